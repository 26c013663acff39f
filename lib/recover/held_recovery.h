// Completes the lane of a dead process's thread with what its ring tells of the time that the recorder held it up.
#ifndef ADA_LIB_RECOVER_HELD_RECOVERY_H
#define ADA_LIB_RECOVER_HELD_RECOVERY_H

#include "ada/ring_file.h"
#include "ada/trace/error.h"
#include "shared/ring/clock_map.h"

#include <cstdint>
#include <span>
#include <string>

namespace ada {

// In one part of a trace. See ada_ring_thread.
struct HeldSum {
  std::uint64_t ns = 0;        // all of it
  std::uint64_t missingNs = 0; // of that, what is not in the lane
};

// What the file `path` has, sched.ads of a thread that no ring knows any more.
Expected<HeldSum> heldIn(const std::string &path);

// Adds to it what the drain had not written. `chunks`: the thread's, by sequence number. `endNs`: when the process is
// last known to have run, 0 if nobody knows. `isTick`: see ring::heldFor(). The file still needs its end.
Expected<HeldSum> recoverHeld(const std::string &path, const ada_ring_thread &thread,
                              std::span<const ada_chunk *const> chunks, ring::ClockMap &clock, std::uint64_t endNs,
                              bool isTick);

} // namespace ada

#endif // ADA_LIB_RECOVER_HELD_RECOVERY_H
