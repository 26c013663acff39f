// What dead processes have left in memory: ring files, and the directories of flight recorders.
#pragma once

#include "ada/trace/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ada::recover {

/// A ring file: the memory that a process shares with its recovery.
struct RingFile {
  enum class State {
    Recording,   ///< its process is alive
    Unfinished,  ///< recoverProcess(directory, {.ring = path}) takes what it holds
    SessionGone, ///< it is of no use any more
    Answered, ///< a flight recorder's: its last session is on disk, or none had been requested when it went into exec
  };
  State state = State::Recording;
  std::string path;
  uint32_t pid = 0;
  uint64_t bytes = 0;     ///< of memory or disk that it really takes: the file is sparse
  uint64_t changedNs = 0; ///< since 1970
  std::string directory;  ///< of its process; empty if that was killed while it started
  bool isFlight = false;  ///< a flight recorder's: its directory is in memory, too
};

/// The directories in which programs that crash leave their ring files, unless their option `ring` names another.
std::vector<std::string> usualRingPlaces();

/// The ring files in these directories, by path. `unreadable` counts files with such a name that belong to others.
std::vector<RingFile> findRings(const std::vector<std::string> &directories, uint64_t *unreadable = nullptr);

/// Removes the ring file of a dead process, and what its flight recorder kept if that is `Answered`. Errors: E_IO;
/// E_RUNNING if it turns out to be alive.
Expected<void> removeRing(const RingFile &ring);

/// Where a flight recorder keeps its directory (…/pid_N): …/adatrace-flight-N-TIME.
/// Empty if the process is not a flight recorder.
std::string flightPlace(const std::string &directory);

/// The session that a flight recorder was told to make (option `session`), absolute; empty if none was given.
std::string flightSession(const std::string &directory);
/// The directory in which it was told to make one (option `output`), likewise.
std::string flightOutput(const std::string &directory);

/// Whether it may be saved: only its owner may say where. Errors: E_IO, E_UNSAFE.
Expected<void> checkFlight(const std::string &directory);

/// After recoverProcess() on a flight recorder's directory: makes a session of it, and removes what is in memory.
/// `session` is its name; session_2, … if that exists and is not empty. Returns the name that was used.
/// Errors: E_IO; E_UNSAFE if it belongs to another user.
Expected<std::string> saveFlight(const std::string &directory, const std::string &session);

/// Removes the files of a session's folder `binaries` that processes were writing when they were killed: those with a
/// temporary name that nobody has open.
void removeLeftBinaries(const std::string &session);

/// Removes what a flight recorder keeps in memory.
void removeFlight(const std::string &directory);

} // namespace ada::recover
