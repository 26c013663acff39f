// What was confirmed by the database, kept in a file so that nobody is asked again after a restart.
#ifndef ADATRACE_SHIP_SHIPPED_H
#define ADATRACE_SHIP_SHIPPED_H

#include "ada/trace/error.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ada::cli {

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

  bool has(const std::string &name) const { return units_.contains(name); }
  /// When it was confirmed, in seconds since 1970; 0 if it was not.
  std::uint64_t confirmedAt(const std::string &name) const;
  void confirm(const std::string &name, std::uint64_t seconds) { units_[name] = seconds; }
  /// Forgets what is not in `there` any more. True if there was any.
  bool keepOnly(const std::set<std::string> &there);

private:
  std::string file_, to_, plan_;
  std::map<std::string, std::uint64_t> units_; // by name: when
};

} // namespace ada::cli
#endif // ADATRACE_SHIP_SHIPPED_H
