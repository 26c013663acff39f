// Completes the lane of a dead process's thread with the times in the ring at which the recorder held the thread up.
#pragma once

#include "ada/trace/error.h"
#include "shared/ring/clock_map.h"
#include "shared/ring/ring_file.h"

#include "ada/trace/manifest.h"

#include <cstdint>
#include <span>
#include <string>

namespace ada::recover {

// How long the recorder held a thread up, in one part of a trace. See ada_ring_thread.
struct HeldSum {
  uint64_t ns = 0;        // the total
  uint64_t missingNs = 0; // the share of it that is not in the lane
};

// The sum in the record of a thread that is no longer in a ring. `thread` is its directory, `info` the manifest's entry
// or null.
Expected<HeldSum> heldIn(const std::string &thread, const ManifestThread *info);

// Adds to the file what the drain had not written. `chunks` are the thread's, by sequence number. `endNs` is when the
// process is last known to have run, 0 if that is unknown. `times`: see ring::heldFor(). The file still needs its end.
Expected<HeldSum> recoverHeld(const std::string &path, const ada_ring_thread &thread,
                              std::span<const ada_chunk *const> chunks, ring::ClockMap &clock, uint64_t endNs,
                              uint32_t times);

} // namespace ada::recover
