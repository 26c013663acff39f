// Sessions of flight recorders whose process was killed before anything of it could write one.
#ifndef ADATRACE_FINISH_FLIGHTS_H
#define ADATRACE_FINISH_FLIGHTS_H

#include "child_process.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

/// Where ring files lie: in /dev/shm, and where `ring` (if that is not empty) says.
std::vector<std::string> ringPlaces(std::string_view ring);
/// The same, where ADA_OPTIONS says `ring` or does not.
std::vector<std::string> ringPlaces();
/// These directories without links, each once.
std::vector<std::string> canonicalPlaces(std::vector<std::string> places);

/// Makes sessions of what the dead flight recorders kept that were to write to `session`, and says so. `ending` is that
/// of the program itself: where it ended with status 0, nothing of it is kept.
void finishFlights(const std::string &session, const std::vector<std::string> &places, const Ending &ending,
                   bool quiet);

/// The last of the sessions `session`, `session`_2, … that has a directory of process `pid`; `session` if none has.
std::string lastDump(const std::string &session, pid_t pid);

} // namespace ada::cli
#endif // ADATRACE_FINISH_FLIGHTS_H
