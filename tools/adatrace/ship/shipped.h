// What was confirmed by the database, kept in a file so that nobody is asked again after a restart.
#ifndef ADATRACE_SHIP_SHIPPED_H
#define ADATRACE_SHIP_SHIPPED_H

#include "ada/trace/error.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ada::cli {

/// A trace that the database has confirmed.
struct Confirmed {
  std::uint64_t atSeconds = 0; ///< since 1970
  std::uint64_t mark = 0;      ///< Unit::mark of what was sent
};

class Shipped {
public:
  /// `to`, `plan`: what is shipped elsewhere or otherwise was not shipped.
  Shipped(std::string file, std::string to, std::string plan)
      : file_(std::move(file)), to_(std::move(to)), plan_(std::move(plan)) {}

  /// Reads the file. One that is not there, damaged or of another database is as none: what it confirmed is asked for
  /// again, which doubles nothing. Says so in `what` where the user should know.
  void read(std::string &what);
  /// Writes it at once and as a whole: after a crash there is the old one or the new one.
  Expected<void> write() const;

  /// Null if it is not confirmed, or was another trace when it was.
  const Confirmed *find(const std::string &name, std::uint64_t mark) const;
  void confirm(const std::string &name, const Confirmed &confirmed) { units_[name] = confirmed; }
  /// Forgets what is not in `there` any more. True if there was any.
  bool keepOnly(const std::set<std::string> &there);

private:
  std::string file_, to_, plan_;
  std::map<std::string, Confirmed> units_; // by name
};

} // namespace ada::cli
#endif // ADATRACE_SHIP_SHIPPED_H
