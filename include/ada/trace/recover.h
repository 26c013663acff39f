// Finishes what a killed process left behind.
//
// A process that is killed leaves index files without footers, and its newest events in the
// ring file, which outlives it. Recovery appends those events to the files, writes the
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
#include "ada/trace/manifest.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada {

struct RecoverOptions {
  /// How the process ended, for the manifest, if the caller knows: an exit code or a signal number.
  std::optional<int> exitCode, signal;
  /// When it ended, in nanoseconds of CLOCK_REALTIME, if the caller saw it end.
  std::optional<uint64_t> endedUtcNs = {};
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

/// Whether the process of that directory is gone and has not finished its files, as recoverProcess() does. `manifest`
/// is the directory's, and may have been read a while ago. For sessions of ten thousand processes: it asks only for
/// those whose manifest says that they run.
bool isUnfinished(const std::string &directory, const Manifest &manifest);

} // namespace ada

#endif // ADA_TRACE_RECOVER_H
