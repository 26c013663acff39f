// What there is to ship: the process directories below a directory of sessions.
#ifndef ADATRACE_SHIP_UNITS_H
#define ADATRACE_SHIP_UNITS_H

#include "process/recover_process.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::cli {

/// One process directory: a process's trace, or a part of it (option rotate).
struct Unit {
  std::string name; ///< from the directory on: "session_20261121_101500/pid_4711"
  std::string path;
  ProcessState state = ProcessState::Running;
  std::uint64_t bytes = 0;
  std::uint64_t writtenNs = 0; ///< its newest file, in nanoseconds since 1970
  std::uint64_t mark = 0;      ///< when its manifest was written, likewise: of another trace of that name another one

  /// Takes bytes, writtenNs and mark from the files.
  void measure();
};

/// Those of `directory` itself, which may be a session, and of the sessions in it; oldest first. What goes away
/// meanwhile is left out. `before`: what was found last time; what was finished then, and has the manifest that it had,
/// is not looked into again.
std::vector<Unit> findUnits(const std::string &directory, const std::vector<Unit> &before = {});

/// Removes a unit, and its session's directory if it was the last thing in it. False if something of it stays.
bool removeUnit(const std::string &directory, const Unit &unit);

} // namespace ada::cli
#endif // ADATRACE_SHIP_UNITS_H
