// Makes sessions for flight recorders whose process was killed before it could write one.
#pragma once

#include "ada/trace/recover.h"

#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace ada::cli {

/// The directories of ring files: the usual ones, and `ring` if it is not empty.
std::vector<std::string> ringPlaces(std::string_view ring);
/// The same, with `ring` from ADA_OPTIONS if it is set there.
std::vector<std::string> ringPlaces();
/// These directories with links resolved and duplicates removed.
std::vector<std::string> canonicalPlaces(std::vector<std::string> places);

/// Returns how the process of a directory ended: the exit code or the signal, or neither if nobody knows.
using EndOf = std::function<RecoverOptions(const std::string &directory)>;

/// Makes sessions from the events of dead flight recorders that were to write to `session`, and reports them. The
/// events of a process that ended with status 0 are not kept. `program` is the process of the program itself.
void finishFlights(const std::string &session, const std::vector<std::string> &places, pid_t program,
                   const EndOf &endOf, bool quiet);

/// The last of the sessions `session`, `session`_2, … with a directory of process `pid`; `session` if none has one.
std::string lastDump(const std::string &session, pid_t pid);

} // namespace ada::cli
