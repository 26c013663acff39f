// Finishes what a killed process left behind.
//
// A process that is killed leaves index files without footers, and its newest events in the
// ring file (include/ada/ring_file.h), which outlives it. Recovery appends those events to the files, writes the
// footers and completes the manifest. Then everything that was recorded before the kill is there;
// only calls that were open stay open.
//
//   auto result = ada::recoverProcess("ada-traces/session_20260102_030405/pid_4711");
//
// It may be interrupted and started again: until its last step, which removes the ring file, it
// comes to the same result.
#ifndef ADA_TRACE_RECOVER_H
#define ADA_TRACE_RECOVER_H

#include "ada/trace/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada {

struct RecoverOptions {
  /// How the process ended, for the manifest, if the caller knows: an exit code or a signal number.
  std::optional<int> exitCode, signal;
  /// Leaves the ring file where it is.
  bool keepRing = false;
  /// The ring file, if the directory has lost its link to it.
  std::string ring = {};
};

struct RecoverResult {
  /// False if the process had finished its files itself.
  bool wasNeeded = false;
  /// False if there was no ring file any more (after a reboot, say): the files were
  /// finished with what they held.
  bool ringFound = false;
  uint64_t eventsFromRing = 0;
  uint64_t events = 0; ///< in all threads, including those
  uint64_t threads = 0;
  /// Index events that named a detail event which was never written: they name none now.
  uint64_t linksCleared = 0;
  /// Threads whose files could not be finished, and why; the others are.
  std::vector<Error> failures;
};

/// Recovers one process directory (…/pid_N). Errors: E_IO; E_RUNNING if the process is alive
/// and records; E_BAD_RING if the ring file is not one or was written by another version.
Expected<RecoverResult> recoverProcess(const std::string &directory, const RecoverOptions &options = {});

/// Whether a process records into that directory (…/pid_N), as far as the system can say.
bool isRecording(const std::string &directory);

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

/// The ring files in these directories, by path. Programs that crash leave theirs in /dev/shm, or where their option
/// `ring` says. `unreadable` counts files with such a name that belong to others.
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

/// After recoverProcess() on a flight recorder's directory: makes a session of it, and removes what is in memory.
/// `session` is its name; session_2, … if that exists and is not empty. Returns the name that was used.
/// Errors: E_IO; E_UNSAFE if it belongs to another user.
Expected<std::string> saveFlight(const std::string &directory, const std::string &session);

/// Removes what a flight recorder keeps in memory.
void removeFlight(const std::string &directory);

} // namespace ada

#endif // ADA_TRACE_RECOVER_H
