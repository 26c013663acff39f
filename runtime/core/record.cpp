// record.cpp - the slow path of recording: everything that the few instructions in trampolines.S leave aside.
//
// It runs once in 4028 records, when a chunk is full; at a thread's first event; and for each event of a thread that can't record (the
// rings are full and overflow=drop, the trace is over) or of a process without a usable counter. All of it runs with signals blocked, but
// for the time in which it waits for the drain.
#include "session.h"
#include "thread.h"
#include "process_events.h"

#include <errno.h>

__thread AdaThread ada_thread = {ADA_POSITION_PARKED, ADA_POSITION_PARKED, nullptr, nullptr, 0, 0, 0, 0, 0};

namespace ada {
namespace {

enum class Outcome { Ready, Wait, Lost };

bool isFull(uint64_t position) { return (position & (ADA_CHUNK_BYTES - 1)) >= ADA_CHUNK_FULL; }

bool usesSystemClock() { return runtime.ring.header().clock == ADA_CLOCK_SYSTEM; }

// Stores a record at a reserved place. The order is what makes it safe against kills: see ada_record.
void store(uint64_t place, uint64_t what, uint64_t stamp) {
  ada_record *r = (ada_record *)place;
  __atomic_store_n(&r->what, what, __ATOMIC_RELAXED);
  __atomic_store_n(&r->stamp, stamp, __ATOMIC_RELEASE);
}

// The thread's first event: a slot in the ring file, and a callback at its end.
bool attach(AdaThread &t) {
  ada_ring_thread *slot = runtime.ring.takeThread();
  if (!slot)
    return false;
  slot->tid = sys::threadId();
  t.nextSeq = 0;
  t.chunk = nullptr;
  t.slot = slot;
  watchThread();
  return true;
}

// Gives the thread a chunk to write to.
Outcome acquire(AdaThread &t, uint64_t &position) {
  Runtime &r = runtime;
  switch (r.currentState()) {
  case State::On:
    break;
  case State::Forked:
    if (startChild())
      break;
    return Outcome::Lost;
  default:
    return Outcome::Lost;
  }
  bool first = t.chunk == nullptr;
  if (!t.slot && !attach(t))
    return Outcome::Lost;
  ada_chunk *chunk;
  Ring::Taken taken = r.ring.takeChunk(first, chunk);
  if (taken != Ring::Taken::Yes) {
    if (first || r.options.overflowDrops()) {
      unsigned reason = taken == Ring::Taken::Full ? ADA_LOST_RING_FULL : ADA_LOST_NO_MEMORY;
      __atomic_add_fetch(&t.slot->lost[reason], 1, __ATOMIC_RELAXED);
      __atomic_add_fetch(&r.ring.header().events_lost, 1, __ATOMIC_RELAXED);
      r.drain.wake();
      return Outcome::Lost;
    }
    return Outcome::Wait;
  }
  chunk->thread = t.slot->index;
  chunk->seq = t.nextSeq++;
  chunk->next = 0;
  chunk->start_stamp = r.stamp();
  __atomic_store_n(&chunk->state, ADA_CHUNK_USED, __ATOMIC_RELEASE);
  uint64_t number = r.ring.numberOf(chunk) + 1;
  if (first) {
    __atomic_store_n(&t.slot->first_chunk, number, __ATOMIC_RELEASE);
    __atomic_store_n(&t.slot->state, ADA_THREAD_LIVE, __ATOMIC_RELEASE);
  } else {
    __atomic_store_n(&t.chunk->next, number, __ATOMIC_RELEASE);
    r.drain.chunkClosed();
  }
  t.chunk = chunk;
  position = (uint64_t)(chunk + 1);
  return Outcome::Ready;
}

// Keeps account of the calls that are entered and left while nothing can be recorded, so that the first record after the
// gap can say how the stack has changed.
void noteLost(AdaThread &t, uint64_t what) {
  switch (what & ADA_RECORD_KIND_MASK) {
  case ADA_RECORD_CALL:
    ++t.gapOpened;
    break;
  case ADA_RECORD_RETURN:
  case ADA_RECORD_EXCEPTION:
    if (t.gapOpened > 0)
      --t.gapOpened;
    else
      ++t.gapClosed;
    break;
  }
}

constexpr uint64_t kGapLimit = (1u << 30) - 1;

void storeGap(AdaThread &t, uint64_t &position) {
  uint64_t closed = t.gapClosed < kGapLimit ? t.gapClosed : kGapLimit;
  uint64_t opened = t.gapOpened < kGapLimit ? t.gapOpened : kGapLimit;
  t.gapClosed = t.gapOpened = 0;
  store(arch::reserve(&position, sizeof(ada_record)), closed << 34 | opened << 4 | ADA_RECORD_GAP, runtime.stamp());
}

} // namespace

void threadEnds() {
  uint64_t signals = sys::blockSignals();
  AdaThread &t = ada_thread;
  if (t.slot && sys::processId() == runtime.processId) {
    if (t.slot->name[0] == 0)
      sys::call(SYS_prctl, 16 /* PR_GET_NAME */, t.slot->name);
    __atomic_store_n(&t.slot->state, ADA_THREAD_ENDED, __ATOMIC_RELEASE);
  }
  t.slot = nullptr, t.chunk = nullptr;
  t.position = t.systemPosition = ADA_POSITION_PARKED;
  t.busy = 1; // for good: nobody would tell us of a second end
  sys::restoreSignals(signals);
}

} // namespace ada

using namespace ada;

extern "C" void ada_record_slow(uint64_t what) {
  AdaThread &t = ada_thread;
  if (t.busy) {
    // Code that the runtime itself called (the program's malloc, say, for a thread-specific value): not recorded.
    t.position = ADA_POSITION_PARKED;
    return;
  }
  bool system = runtime.ring.exists() && usesSystemClock();
  uint64_t &position = system ? t.systemPosition : t.position;
  if (system) {
    t.position = ADA_POSITION_PARKED; // so that every event comes here
    uint64_t place = arch::reserve(&position, sizeof(ada_record));
    if (!isFull(place))
      return store(place, what, sys::nowNs());
  }
  int savedErrno = errno;
  uint64_t signals = sys::blockSignals();
  t.busy = 1;
  bool ready = true;
  // A signal handler on top of us may have got a chunk meanwhile.
  while (isFull(position)) {
    uint32_t seen = 0;
    if (runtime.ring.exists())
      seen = __atomic_load_n(runtime.ring.freedWord(), __ATOMIC_ACQUIRE);
    uint64_t fresh = ADA_POSITION_PARKED;
    Outcome outcome = acquire(t, fresh);
    if (outcome == Outcome::Lost) {
      ready = false;
      break;
    }
    position = fresh;
    if (outcome == Outcome::Ready)
      break;
    // Handlers may run while we wait, and record: they will wait as well.
    t.busy = 0;
    sys::restoreSignals(signals);
    runtime.drain.wake();
    sys::futexWait(runtime.ring.freedWord(), seen, 50000000);
    sys::blockSignals();
    t.busy = 1;
  }
  if (ready) {
    if (t.gapOpened | t.gapClosed)
      storeGap(t, position);
    store(arch::reserve(&position, sizeof(ada_record)), what, runtime.stamp());
  } else {
    position = ADA_POSITION_PARKED;
    if (t.slot)
      noteLost(t, what);
  }
  t.busy = 0;
  sys::restoreSignals(signals);
  errno = savedErrno;
}

namespace {

void record(uint64_t what) {
  AdaThread &t = ada_thread;
  uint64_t place = arch::reserve(&t.position, sizeof(ada_record));
  if (__builtin_expect(isFull(place), 0))
    return ada_record_slow(what);
  ada_record *r = (ada_record *)place;
  __atomic_store_n(&r->what, what, __ATOMIC_RELAXED);
  __atomic_store_n(&r->stamp, arch::readCounter(), __ATOMIC_RELEASE);
}

} // namespace

extern "C" void __ada_mark_frame(const void *frame) {
  record(((uint64_t)frame & ~(uint64_t)ADA_RECORD_KIND_MASK) | ADA_RECORD_MARK);
}

extern "C" void __ada_resync(const void *frame) {
  record(((uint64_t)frame & ~(uint64_t)ADA_RECORD_KIND_MASK) | ADA_RECORD_RESYNC);
}
