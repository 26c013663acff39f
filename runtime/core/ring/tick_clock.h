// Clock=tick: the time word that hooks read instead of the counter, and how it is advanced.
//
// Reading the counter is nine tenths of the cost of a hook. A load from a word that another thread advances now and
// then costs next to nothing, keeps order, nesting and counts exact, and makes times right on average. The word is
// `ada_tick`, in units of the counter. 0 means that it stands still: then hooks read the counter. It is 0
//   - always, with all other clocks;
//   - while few events are recorded. Each thread reports when it begins a chunk; if fewer than kLeastChunks are
//     begun in kWindowNs, exact times cost little, and a needless ticker would cost more;
//   - when the word turns out to be late, until the ticker is back;
//   - for a second, if the ticker ran less than a quarter as often as it should, because others use all processors;
//   - with a single processor, if the user has asked for a period.
//
// A separate thread, the ticker, advances the word every 20 to 320 µs (tick_pace.h), and no other thread does: neither
// the program's threads when they begin a chunk, nor the drain when it is woken for one. They would do it where many
// calls are made, and the time since the last advance would be attributed to those; only advances at random moments are
// right on average. (Loading a library advances it as well, so that no record of the library is older than the
// library.) With clock=none the drain does, at the beginning of a pass: the word is in nanoseconds of the system's
// clock then, and no thread of the program reads any clock.
//
// An advance never makes the word smaller, so within a thread no stamp is older than the one before. (There is one
// exception: a hook may read the counter while the ticker, which has read it earlier, is just setting the word again.
// Readers of the ring repair that, as they do with signal handlers.)
#pragma once

#include "identity.h"
#include "ring.h"
#include "tick_pace.h"

extern "C" __attribute__((visibility("hidden"))) uint64_t ada_tick;

namespace ada::runtime {

class TickClock {
public:
  // Call it for a ring that is about to be used, with `times` and `tick_ns` in its header; if `isFixed`, the user has
  // asked for `tick_ns`. Starts the ticker, if there is to be one; without it, times are exact. Not for rings that use
  // the system's clock.
  void start(Ring &ring, bool isFixed);
  // The trace is over: ends the ticker.
  void stop();
  // After a fork, when the ticker no longer exists.
  void reset();

  // The time of a record.
  static uint64_t stamp(const Ring &ring) {
    const uint64_t word = __atomic_load_n(&ada_tick, __ATOMIC_RELAXED);
    return word ? word : ring.stamp();
  }
  // Advances the word to `now` if it does not stand still. No record begun after this call is older than the result.
  static uint64_t advance(Ring &ring, uint64_t now);
  // A time for the start of a chunk. Asks for the ticker when that is worthwhile.
  // Async-signal-safe.
  uint64_t beginChunk(Ring &ring);

private:
  static constexpr uint64_t kWindowNs = 20000000, kLeastChunks = 16, kPauseNs = 1000000000;
  static void threadMain(void *self);
  void run();
  bool waitUntilWanted(Identity &identity);
  void tick(Identity &identity);

  Ring *ring_ = nullptr;
  bool isOn_ = false;
  TickPace pace_;
  uint32_t isReady_ = 0;       // futex: the ticker has made its system calls for starting
  uint32_t wanted_ = 0;        // futex: the word should be advanced
  uint32_t stopped_ = 0;       // futex: the ticker waits on it between two advances
  uint64_t chunks_ = 0;        // begun so far
  uint64_t windowNs_ = 0;      // the time since which, and
  uint64_t windowFrom_ = 0;    // the number from which, chunks are counted while the word stands still
  uint64_t pausedUntilNs_ = 0; // after the ticker found all processors busy
  uint64_t late_ = 0;          // in counter units: the word is not older while the ticker runs on time
};

} // namespace ada::runtime
