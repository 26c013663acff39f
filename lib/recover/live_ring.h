// The ring file of a program that is recording: what it counts, and orders to it.
#ifndef ADA_LIB_RECOVER_LIVE_RING_H
#define ADA_LIB_RECOVER_LIVE_RING_H

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

namespace ada {

/// Where a process directory's manifest says that the ring file is; empty if it doesn't. `part`: which part of the
/// process's trace it says it is, 0 if it says nothing.
std::string ringPathOf(const std::string &directory, uint64_t *part = nullptr);

/// What the runtime counts while it records.
struct RingCounters {
  uint64_t events = 0, lost = 0, bytes = 0, threads = 0;
};
/// Of what is in the process directory `directory`. Nothing if the ring file is gone, is something else, or is about
/// another part of the trace (option rotate).
std::optional<RingCounters> readRingCounters(const std::string &path, const std::string &directory);

/// What became of an order.
struct OrderResult {
  enum class What {
    Given,
    NoProcess,    ///< there is no process of that number
    NotReadable,  ///< the system refused to look into it, or to write its ring
    NotRecording, ///< it has no ring file of AdaTrace, or has finished recording
    OtherVersion, ///< its runtime has another ABI
    NoWindows,    ///< it does not run with detail_mode=window
  } what = What::Given;
  std::string why; ///< a sentence for people, empty if the order was given
};

/// Opens a detail window in a running process, as ada_trigger() in it would. The process
/// sees the order within a tenth of a second; the time of the trigger is that of this call.
OrderResult triggerProcess(pid_t pid);

/// The same by the path of its ring file, as the manifest in `directory` has it. Not believed without more: the file
/// has to belong to the directory's owner, and to name the directory.
OrderResult triggerRing(const std::string &path, const std::string &directory);

} // namespace ada
#endif // ADA_LIB_RECOVER_LIVE_RING_H
