// Advances the time word of clock=tick.
#include "tick_clock.h"
#include "drain_thread.h"
#include "shared/wide.h"
#include <sys/resource.h>

alignas(64) uint64_t ada_tick = 0; // in its own cache line

namespace ada::runtime {
namespace {

uint64_t load(const uint64_t &word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }

// Replaces `from` with `to`. False, with the current word in `from`, if it was something else.
bool change(uint64_t &from, uint64_t to) {
  return __atomic_compare_exchange_n(&ada_tick, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void noteGap(ada_ring_header &h, uint64_t gap) {
  __atomic_add_fetch(&h.tick_gaps, gap, __ATOMIC_RELAXED);
  __atomic_add_fetch(&h.tick_gaps_squared, static_cast<uint64_t>((Wide{gap} * gap) >> 16), __ATOMIC_RELAXED);
  uint64_t longest = load(h.tick_longest);
  while (gap > longest &&
         !__atomic_compare_exchange_n(&h.tick_longest, &longest, gap, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

// The number of involuntary context switches of the process's threads.
uint64_t processorsTaken() {
  rusage usage = {};
  sys::call(SYS_getrusage, RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_nivcsw);
}

} // namespace

uint64_t TickClock::advance(Ring &ring, uint64_t now) {
  uint64_t word = __atomic_load_n(&ada_tick, __ATOMIC_ACQUIRE);
  while (word != 0 && word < now) {
    const uint64_t before = word;
    if (change(word, now)) {
      noteGap(ring.header(), now - before);
      return now;
    }
  }
  return now > word ? now : word;
}

uint64_t TickClock::beginChunk(Ring &ring) {
  if (ring.isTimeless())
    return load(ada_tick);
  if (!isOn_)
    return advance(ring, ring.stamp());
  // This does not advance the word: chunks begin where many calls are made, not at random moments, and the time since
  // the last advance would be attributed to those calls.
  const uint64_t chunks = __atomic_add_fetch(&chunks_, 1, __ATOMIC_RELAXED);
  uint64_t word = load(ada_tick);
  if (word) {
    const uint64_t late = load(late_), stamp = ring.stamp();
    if (late && stamp > word && stamp - word > late)
      change(word, 0); // the ticker is off-CPU: it sets the word again when it runs
  } else if (!__atomic_load_n(&wanted_, __ATOMIC_RELAXED)) {
    // Other threads may do the same at the same time: this only affects costs.
    const uint64_t ns = sys::nowNsQuickly();
    if (ns - load(windowNs_) > kWindowNs) {
      __atomic_store_n(&windowNs_, ns, __ATOMIC_RELAXED);
      __atomic_store_n(&windowFrom_, chunks, __ATOMIC_RELAXED);
    } else if (chunks - load(windowFrom_) >= kLeastChunks && ns >= load(pausedUntilNs_)) {
      __atomic_store_n(&wanted_, 1, __ATOMIC_RELEASE);
      sys::futexWake(&wanted_, 1);
    }
  }
  return stamp(ring);
}

void TickClock::start(Ring &ring, bool isFixed) {
  ring_ = &ring;
  ada_ring_header &h = ring.header();
  // With one processor, the ticker's time is taken from the program.
  const unsigned processors = sys::usableProcessors();
  if (h.times == ADA_TIMES_TICK && processors == 1 && isFixed)
    h.times = ADA_TIMES_EXACT;
  pace_.start(h.tick_ns, isFixed ? TickPace::Period::Fixed : TickPace::Period::Adapted, processors);
  if (h.times == ADA_TIMES_NONE)
    __atomic_store_n(&ada_tick, h.started_ns, __ATOMIC_RELEASE);
  if (h.times == ADA_TIMES_TICK)
    isOn_ = startOwnThread(threadMain, this) == 0;
  // As soon as we return, the program may forbid all threads what the ticker does at its start.
  while (isOn_ && !__atomic_load_n(&isReady_, __ATOMIC_ACQUIRE))
    sys::futexWait(&isReady_, 0, kWindowNs);
}

void TickClock::stop() {
  __atomic_store_n(&stopped_, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&wanted_, 1, __ATOMIC_RELEASE);
  sys::futexWake(&stopped_, 1);
  sys::futexWake(&wanted_, 1);
}

void TickClock::reset() {
  *this = TickClock();
  __atomic_store_n(&ada_tick, 0, __ATOMIC_RELEASE);
}

//===--- the ticker -------------------------------------------------------===//

void TickClock::threadMain(void *self) { static_cast<TickClock *>(self)->run(); }

void TickClock::run() {
  // It needs no files, so it keeps none of the program's open either.
  takeOwnFileTable();
  constexpr long kSetTimerSlack = 29;
  sys::call(SYS_prctl, kSetTimerSlack, 1L); // nanoseconds: 50 µs otherwise
  static Identity identity;                 // large
  identity.start();
  __atomic_store_n(&isReady_, 1, __ATOMIC_RELEASE);
  sys::futexWake(&isReady_, 1);
  while (waitUntilWanted(identity))
    tick(identity);
}

// False if the trace is over.
bool TickClock::waitUntilWanted(Identity &identity) {
  constexpr uint64_t kLookNs = 100000000;
  while (true) {
    if (identity.hasChanged())
      identity.follow();
    if (__atomic_load_n(&stopped_, __ATOMIC_ACQUIRE))
      return false;
    if (__atomic_load_n(&wanted_, __ATOMIC_ACQUIRE))
      return true;
    sys::futexWait(&wanted_, 0, kLookNs);
  }
}

// Advances the word as long as enough events are recorded.
void TickClock::tick(Identity &identity) {
  constexpr uint64_t kLatePeriods = 8;
  uint64_t switches = processorsTaken();
  uint64_t chunks = load(chunks_), windowNs = sys::nowNs(), windowStamp = ring_->stamp(), ticks = 0;
  while (!__atomic_load_n(&stopped_, __ATOMIC_ACQUIRE)) {
    uint64_t still = 0;
    if (!change(still, ring_->stamp()))
      advance(*ring_, ring_->stamp());
    if (const uint64_t ns = sys::nowNs(), spent = ns - windowNs; spent >= kWindowNs) {
      if (identity.hasChanged())
        identity.follow();
      const uint64_t all = load(chunks_), stamp = ring_->stamp();
      if (all - chunks < kLeastChunks)
        break;
      const uint64_t taken = processorsTaken();
      if (!pace_.adapt(ticks, taken - switches, spent)) {
        __atomic_store_n(&pausedUntilNs_, ns + kPauseNs, __ATOMIC_RELAXED);
        break;
      }
      const auto perPeriod = static_cast<uint64_t>(Wide{stamp - windowStamp} * pace_.ns() / spent);
      __atomic_store_n(&late_, perPeriod * kLatePeriods, __ATOMIC_RELAXED);
      switches = taken, chunks = all, windowNs = ns, windowStamp = stamp, ticks = 0;
    }
    ++ticks;
    sys::futexWait(&stopped_, 0, pace_.ns());
  }
  __atomic_store_n(&wanted_, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&ada_tick, 0, __ATOMIC_RELEASE);
}

} // namespace ada::runtime
