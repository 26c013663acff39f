// Clock=tick: the time word that hooks read instead of the counter, and who advances it.
//
// Reading the counter is nine tenths of what a hook costs. A load from a word that somebody else advances now and then
// costs next to nothing, keeps order, nesting and counts exact, and makes times right on average. The word is
// `ada_tick`, in units of the counter. 0 means that it stands still: then hooks read the counter. That is so
//   - with all other clocks, always;
//   - while few events are recorded. A thread tells with each chunk that it begins; where less than kLeastChunks are
//     begun in kWindowNs, the exact time costs little, and a ticker that nobody needs would cost more;
//   - when the word turns out to be late, until the ticker is back;
//   - for a second, when the ticker came less than a quarter as often as it should: others have all processors;
//   - with a single processor, if the user has asked for a period.
//
// A thread of its own, the ticker, advances the word every 20 to 320 µs (tick_pace.h), and nobody else does: not the
// program's threads when they begin a chunk, nor the drain when it is woken for one. They would do it where many calls
// are made, and the time since the last advance would count for those; only advances at random moments are right on
// average. (Loading a library advances it as well, so that no record of it is older than the library.)
//
// An advance never makes the word smaller, so within a thread no stamp is older than the one before. (But for one: a
// hook may read the counter while the ticker, which has read it earlier, is just setting the word again. Readers of the
// ring repair that, as they do with signal handlers.)
#ifndef ADA_RUNTIME_CORE_TICK_CLOCK_H
#define ADA_RUNTIME_CORE_TICK_CLOCK_H

#include "identity.h"
#include "ring.h"
#include "tick_pace.h"

extern "C" __attribute__((visibility("hidden"))) uint64_t ada_tick;

namespace ada {

class TickClock {
public:
  // For a ring that is about to be used, by its header's `times` and `tick_ns`, which the user has asked for if
  // `isFixed`. Starts the ticker, if there is to be one; without, times are exact. Not for rings that use the system's
  // clock.
  void start(Ring &ring, bool isFixed);
  // The trace is over: the ticker ends.
  void stop();
  // After a fork: there is no ticker any more.
  void reset();

  // The time of a record.
  static uint64_t stamp(const Ring &ring) {
    const uint64_t word = __atomic_load_n(&ada_tick, __ATOMIC_RELAXED);
    return word ? word : ring.stamp();
  }
  // The time now: no record that is begun after this call has an older stamp.
  static uint64_t now(Ring &ring);
  // A time for the start of a chunk. Asks for the ticker when it is worth it, and with clock=none advances the word.
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
  uint32_t isReady_ = 0;       // futex: the ticker has got all that it needs of the system
  uint32_t wanted_ = 0;        // futex: the word is to be advanced
  uint32_t stopped_ = 0;       // futex: of the ticker between two advances
  uint64_t chunks_ = 0;        // begun so far
  uint64_t windowNs_ = 0;      // since when, and
  uint64_t windowFrom_ = 0;    // from which on they are counted, while the word stands still
  uint64_t pausedUntilNs_ = 0; // the ticker found no processor
  uint64_t late_ = 0;          // in units of the counter: the word is not older while the ticker gets the processor
};

} // namespace ada
#endif
