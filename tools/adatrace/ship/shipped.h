// Remembers in a file which traces the database has confirmed, so that it need not be asked again after a restart.
#pragma once

#include "ada/trace/error.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ada::cli {

/// A trace that the database has confirmed.
struct Confirmed {
  uint64_t atSeconds = 0; ///< since 1970
  uint64_t mark = 0;      ///< Unit::mark of the trace that was sent
};

class Shipped {
public:
  /// Traces that were shipped to another destination than `to`, or with another `plan`, don't count as shipped.
  Shipped(std::string file, std::string to, std::string plan)
      : file_(std::move(file)), to_(std::move(to)), plan_(std::move(plan)) {}

  /// Reads the file. A file that is missing, damaged or for another database is ignored: the database is asked about
  /// its traces again, which duplicates nothing. `what` gets a message if the user should know about it.
  void read(std::string &what);
  /// Writes the file atomically: after a crash there is either the old file or the new one.
  Expected<void> write() const;

  /// Null if the trace is not confirmed, or if the one confirmed under this name was another trace.
  const Confirmed *find(const std::string &name, uint64_t mark) const;
  void confirm(const std::string &name, const Confirmed &confirmed) { units_[name] = confirmed; }
  /// Forgets traces that are no longer in `there`. Returns true if there were any.
  bool keepOnly(const std::set<std::string> &there);

private:
  std::string file_, to_, plan_;
  std::map<std::string, Confirmed> units_; // by name
};

} // namespace ada::cli
