// Finds what to ship: the process directories below a directory of sessions.
#pragma once

#include "process/recover_process.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::cli {

/// One process directory: a process's trace, or a part of it (option rotate).
struct Unit {
  std::string name; ///< relative to the directory: "session_20261121_101500/pid_4711"
  std::string path;
  ProcessState state = ProcessState::Running;
  uint64_t bytes = 0;
  uint64_t writtenNs = 0; ///< when its newest file was written, in nanoseconds since 1970
  uint64_t mark = 0;      ///< when its manifest was written; differs for another trace of the same name

  /// Sets bytes, writtenNs and mark from the files.
  void measure();
};

/// Returns the units of `directory` itself, which may be a session, and of the sessions in it, oldest first. Units that
/// disappear meanwhile are left out. `before`: the units found last time. A unit that was finished then and still has
/// the same manifest is not examined again.
std::vector<Unit> findUnits(const std::string &directory, const std::vector<Unit> &before = {});

/// Removes a unit, and its session's directory if nothing else is left in it. False if some of the unit could not be
/// removed.
bool removeUnit(const std::string &directory, const Unit &unit);

} // namespace ada::cli
