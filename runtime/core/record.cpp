// record.cpp - the slow path of recording: everything that the few instructions in trampolines.S leave aside.
//
// It runs once in 3580 records, when a chunk is full; at a thread's first event; and for each event of a thread that can't record (the
// rings are full and overflow=drop, the trace is over) or of a process without a usable counter. All of it runs with signals blocked, but
// for the time in which it waits for the drain.
#include "session.h"
#include "detail_registers.h"
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
  case ADA_RECORD_CALL | ADA_RECORD_DETAIL:
    ++t.gapOpened;
    break;
  case ADA_RECORD_RETURN:
  case ADA_RECORD_RETURN | ADA_RECORD_DETAIL:
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

namespace {

// Reserves `bytes` for the record `what` where the fast path could not. Returns 0 if the record is lost.
uint64_t reserveSlowly(AdaThread &t, uint64_t what, uint64_t bytes) {
  if (t.busy) {
    // Code that the runtime itself called (the program's malloc, say, for a thread-specific value): not recorded.
    t.position = ADA_POSITION_PARKED;
    return 0;
  }
  bool system = runtime.ring.exists() && usesSystemClock();
  uint64_t &position = system ? t.systemPosition : t.position;
  if (system) {
    t.position = ADA_POSITION_PARKED; // so that every event comes here
    uint64_t place = arch::reserve(&position, bytes);
    if (!isFull(place))
      return place;
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
  uint64_t place = 0;
  if (ready) {
    if (t.gapOpened | t.gapClosed)
      storeGap(t, position);
    place = arch::reserve(&position, bytes);
    // The process turned out to have no usable counter: with its first chunk a thread learns it.
    if (&position == &t.position && usesSystemClock()) {
      t.systemPosition = t.position;
      t.position = ADA_POSITION_PARKED;
    }
  } else {
    position = ADA_POSITION_PARKED;
    if (t.slot)
      noteLost(t, what);
  }
  t.busy = 0;
  sys::restoreSignals(signals);
  errno = savedErrno;
  return place;
}

// Records one of the kinds that are not hot.
void record(uint64_t what) {
  AdaThread &t = ada_thread;
  uint64_t place = arch::reserve(&t.position, sizeof(ada_record));
  if (__builtin_expect(isFull(place), 0))
    place = reserveSlowly(t, what, sizeof(ada_record));
  if (place)
    store(place, what, runtime.stamp());
}

// Whether the 8 bytes at an address can be read. rt_sigprocmask copies its set in before it looks at what to do with it, and ~0 is
// nothing to do: EINVAL. Allowed in every sandbox and known to emulators, unlike process_vm_readv.
bool isReadable(uint64_t address) { return sys::call(SYS_rt_sigprocmask, ~0L, address, nullptr, 8L) == -EINVAL; }

// How many of the `wanted` bytes from `sp` upwards are stack: not all, perhaps, in a thread's outermost functions.
uint64_t readableStack(uint64_t sp, uint64_t wanted) {
  constexpr uint64_t kLeastPage = 4096;
  static_assert(ADA_MOST_STACK_BYTES <= kLeastPage, "at most one page begins in the window");
  uint64_t onPage = kLeastPage - (sp & (kLeastPage - 1));
  if (onPage == kLeastPage && wanted > 0 && !isReadable(sp)) // AArch64: an empty stack's pointer is right behind it
    return 0;
  return wanted <= onPage || isReadable(sp + onPage) ? wanted : onPage;
}

} // namespace
} // namespace ada

using namespace ada;

extern "C" void ada_record_slow(uint64_t what) {
  if (uint64_t place = reserveSlowly(ada_thread, what, sizeof(ada_record)))
    store(place, what, runtime.stamp());
}

extern "C" __attribute__((visibility("hidden"))) void
ada_record_detail(const ada_detail_frame *frame, const arch::SavedRegisters *saved, uint32_t kind) {
  AdaThread &t = ada_thread;
  uint64_t what = (uint64_t)frame->function | kind | ADA_RECORD_DETAIL;
  uint32_t vectors = arch::vectorCount(*frame, kind == ADA_RECORD_CALL);
  uint64_t stack = readableStack(frame->sp, runtime.stackBytes);
  uint64_t units = 7 + vectors + (stack + 15) / 16;
  uint64_t bytes = sizeof(ada_record) + units * 16;
  uint64_t place = arch::reserve(&t.position, bytes);
  if (__builtin_expect(isFull(place), 0)) {
    place = reserveSlowly(t, what, bytes);
    if (place)
      __atomic_store_n(&runtime.ring.header().uses_detail, 1, __ATOMIC_RELAXED);
  }
  if (!place)
    return;
  ada_record *r = (ada_record *)place;
  ada_detail *d = (ada_detail *)(r + 1);
  __atomic_store_n(&r->what, what, __ATOMIC_RELAXED);
  d->units = (uint16_t)units;
  d->stack_bytes = (uint16_t)stack;
  d->integers = frame->integers;
  d->vectors = (uint8_t)vectors;
  d->reserved[0] = d->reserved[1] = 0;
  char *tail = (char *)(d + 1);
  arch::fillRegisters(*d, tail, *frame, *saved, kind == ADA_RECORD_CALL);
  d->sp = frame->sp;
  d->lr = frame->return_address;
  d->reserved2[0] = d->reserved2[1] = 0;
  tail += vectors * 16;
  typedef uint64_t Word __attribute__((aligned(1), may_alias));
  const Word *from = (const Word *)frame->sp;
  Word *to = (Word *)tail;
  for (uint64_t i = 0; i < stack / 8; ++i)
    to[i] = from[i];
  for (uint64_t i = stack & ~7ull; i < stack; ++i)
    tail[i] = ((const char *)frame->sp)[i];
  __atomic_store_n(&r->stamp, runtime.stamp(), __ATOMIC_RELEASE);
}

extern "C" void __ada_mark_frame(const void *frame) {
  record(((uint64_t)frame & ~(uint64_t)ADA_RECORD_KIND_MASK) | ADA_RECORD_MARK);
}

extern "C" void __ada_resync(const void *frame) {
  record(((uint64_t)frame & ~(uint64_t)ADA_RECORD_KIND_MASK) | ADA_RECORD_RESYNC);
}
