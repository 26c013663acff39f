// Dumps of flight recorders that were killed while they copied them: directories SESSION.part-PID.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace ada::recover {

/// Removes those of this user in `parent`, a directory of sessions: of the process `dead`, and of every other one that
/// is not running here and has changed nothing for a day. A process in another container, or on another machine that
/// shares the file system, changes its dump all the time. Nothing else is touched, and no link is followed.
void removeUnfinishedDumps(const std::string &parent, std::optional<uint64_t> dead, time_t now = ::time(nullptr));

} // namespace ada::recover
