// Makes sessions for flight recorders whose process was killed before it could write one.
#pragma once

#include "child_process.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

/// The directories of ring files: the usual ones, and `ring` if it is not empty.
std::vector<std::string> ringPlaces(std::string_view ring);
/// The same, with `ring` from ADA_OPTIONS if it is set there.
std::vector<std::string> ringPlaces();
/// These directories with links resolved and duplicates removed.
std::vector<std::string> canonicalPlaces(std::vector<std::string> places);

/// Makes sessions from the events of dead flight recorders that were to write to `session`, and reports them. `ending`
/// is how the program itself ended: if with status 0, its events are not kept.
void finishFlights(const std::string &session, const std::vector<std::string> &places, const Ending &ending,
                   bool quiet);

/// The last of the sessions `session`, `session`_2, … with a directory of process `pid`; `session` if none has one.
std::string lastDump(const std::string &session, pid_t pid);

} // namespace ada::cli
