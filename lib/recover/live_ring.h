// Reads the counters in the ring file of a recording program, and gives the program orders through it.
#ifndef ADA_LIB_RECOVER_LIVE_RING_H
#define ADA_LIB_RECOVER_LIVE_RING_H

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace ada {

/// The path of the ring file according to a process directory's manifest; empty if it names none. `part` receives the
/// number of the part of the process's trace that the directory is, 0 if the manifest gives none.
std::string ringPathOf(const std::string &directory, uint64_t *part = nullptr);

/// What the runtime counts while it records.
struct RingCounters {
  uint64_t events = 0, lost = 0, bytes = 0, threads = 0;
};
/// The counters for what is in the process directory `directory`. Nothing if the ring file is gone, is something else,
/// or is about another part of the trace (option rotate).
std::optional<RingCounters> readRingCounters(const std::string &path, const std::string &directory);

/// The outcome of an order.
struct OrderResult {
  enum class What {
    Given,
    NoProcess,    ///< no process has that number
    NotReadable,  ///< the system does not let us look into it, or write its ring
    NotRecording, ///< it has no ring file of AdaTrace, or has finished recording
    OtherVersion, ///< its runtime has another ABI
    NoWindows,    ///< it does not run with detail_mode=window
  } what = What::Given;
  std::string why; ///< a sentence for people, empty if the order was given
};

/// Opens a detail window in a running process, as a call of ada_trigger() in that process would. The process sees the
/// order within a tenth of a second; the time of the trigger is the time of this call.
OrderResult triggerProcess(pid_t pid);

/// Does the same by the path of the ring file, from the manifest in `directory`. The path is not trusted: the file
/// must belong to the directory's owner, and name the directory.
OrderResult triggerRing(const std::string &path, const std::string &directory);

} // namespace ada
#endif // ADA_LIB_RECOVER_LIVE_RING_H
