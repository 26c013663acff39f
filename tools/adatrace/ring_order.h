//===- ring_order.h - orders to a program that is recording ---------------===//
#ifndef ADATRACE_RING_ORDER_H
#define ADATRACE_RING_ORDER_H

#include <cstdint>
#include <string>
#include <sys/types.h>

namespace ada::cli {

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

/// The same by the path of its ring file, as its manifest has it.
OrderResult triggerRing(const std::string &path);

} // namespace ada::cli
#endif // ADATRACE_RING_ORDER_H
