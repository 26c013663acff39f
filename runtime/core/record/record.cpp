// The slow path of recording: everything that the few instructions in trampolines.S leave to it.
//
// It runs once in 3580 records, when a chunk is full; at a thread's first event; and for each event of a thread that
// can't record (the rings are full and overflow=drop, or the trace is over) or of a process without a usable counter.
// All of it runs with signals blocked, except while it waits for the drain, and on a part of the stack that was touched
// before (signals_blocked.h).
#include "core/base/any_word.h"
#include "core/images/annotations.h"
#include "core/images/argument_contents.h"
#include "core/images/selection.h"
#include "detail_registers.h"
#include "fibers.h"
#include "hold.h"
#include "late_events.h"
#include "process_events.h"
#include "recorder.h"
#include "shared/ring/record_reader.h"
#include "stack_window.h"
#include "thread.h"

#include <errno.h>
#include <sys/prctl.h>

// Makes a program that links the archive get api.cpp together with the hooks: with <ada/annotations.h>, images refer to
// its functions only weakly, and weak references pull nothing out of an archive.
__asm__(".reloc ., " ADA_NO_RELOCATION ", __ada_register_image");

namespace ada::runtime {
namespace {

constexpr uint32_t kEnded = 2; // AdaThread::busy

enum class Outcome { Ready, Wait, Lost };

bool isFull(uint64_t position) { return (position & (ADA_CHUNK_BYTES - 1)) >= ADA_CHUNK_FULL; }

// Stores a record at a reserved place. The order makes it safe against kills: see ada_record.
void store(uint64_t place, uint64_t what, uint64_t stamp) {
  auto *r = reinterpret_cast<ada_record *>(place);
  __atomic_store_n(&r->what, what, __ATOMIC_RELAXED);
  __atomic_store_n(&r->stamp, stamp, __ATOMIC_RELEASE);
}

// The thread's first event: a slot in the ring file, and a callback at its end.
Outcome attach(AdaThread &t) {
  bool later;
  ada_ring_thread *slot = recorder.ring.takeThread(later);
  if (!slot)
    return later ? Outcome::Wait : Outcome::Lost;
  slot->tid = sys::threadId();
  sys::call(SYS_prctl, PR_GET_NAME, slot->comm);
  slot->stack_low = slot->signal_stack = slot->stack_window = 0;
  t.nextSeq = 0;
  t.chunk = nullptr;
  t.slot = slot;
  markFiber(t);
  watchThread();
  t.isWatched = true;
  return Outcome::Ready;
}

ring::LostCalls::Landing *growLandings(ring::LostCalls::Landing *old, size_t oldCapacity, size_t newCapacity) {
  const size_t bytes = newCapacity * sizeof *old;
  if (!old)
    return static_cast<ring::LostCalls::Landing *>(sys::mapMemory(bytes));
  const long p = sys::call(SYS_mremap, old, oldCapacity * sizeof *old, bytes, MREMAP_MAYMOVE);
  return p < 0 && p > -4096 ? nullptr : reinterpret_cast<ring::LostCalls::Landing *>(p);
}

void countLost(AdaThread &t, uint64_t what, unsigned reason) {
  ada_ring_header &header = recorder.ring.header();
  // Also for a thread without a slot: it may get one before these calls are left.
  const uint32_t events = t.lostCalls.note(what, growLandings);
  __atomic_add_fetch(t.slot ? &t.slot->lost[reason] : &header.events_unattached, events, __ATOMIC_RELAXED);
  __atomic_add_fetch(&header.events_lost, events, __ATOMIC_RELAXED);
  t.hasLost |= t.slot != nullptr && events > 0;
}

// Whether a thread's first record is about a call that is not part of the trace: one that had begun when recording
// began, or one that entered the hook only because the enable bytes of all functions were set for an order.
bool isOfNoCall(uint64_t what) {
  switch (ring::kindOf(what)) {
  case ADA_RECORD_CALL:
    return __atomic_load_n(enableByteOf(*reinterpret_cast<const ada_function *>(what & ring::kPayloadMask)),
                           __ATOMIC_RELAXED) == 0;
  case ADA_RECORD_RETURN:
  case ADA_RECORD_EXCEPTION:
    return true;
  default:
    return false;
  }
}

// Gives the thread a chunk to write to: another one, or its own again once the drain has read it. `what`: the record
// that is lost if there is no chunk. A thread ends with ADA_RECORD_NOTHING; its chunk may exceed the limit.
// `hasWaited`: with overflow=drop the thread won't wait again, nor until it gets a chunk: if the drain stands still,
// each event would take as long.
Outcome acquire(AdaThread &t, uint64_t what, uint64_t &position, bool hasWaited, Hold &hold) {
  switch (recorder.currentState()) {
  case State::On:
    break;
  case State::Waiting:
    if (startRecording())
      break;
    return Outcome::Lost;
  default:
    return Outcome::Lost;
  }
  if (!t.slot && recorder.beganLate && isOfNoCall(what))
    return Outcome::Lost;
  const bool first = t.chunk == nullptr;
  if (!t.slot)
    if (Outcome outcome = attach(t); outcome != Outcome::Ready) {
      if (outcome == Outcome::Lost)
        countLost(t, what, ADA_LOST_NO_MEMORY);
      return outcome;
    }
  const ring::OwnChunk own = first ? ring::OwnChunk{false, false} : ring::ownChunk(*t.slot, *t.chunk);
  const bool beyond = first || (own.isRead && own.isHeld) || what == ADA_RECORD_NOTHING; // no chunk to wait with
  ada_chunk *chunk;
  uint64_t madeFrom;
  Ring::Taken taken = recorder.ring.takeChunk(beyond, chunk, madeFrom);
  if (taken == Ring::Taken::Yes) {
    if (!first) // it may make a system call, which counts as holding the thread up
      recorder.ring.chunkClosed();
    hold.endWith(*chunk, t, madeFrom);
    ring::beginChunk(*t.slot, *chunk, t.nextSeq++, recorder.ticks.beginChunk(recorder.ring));
    uint64_t number = recorder.ring.numberOf(chunk) + 1;
    if (first) {
      __atomic_store_n(&t.slot->first_chunk, number, __ATOMIC_RELEASE);
      __atomic_store_n(&t.slot->state, ADA_THREAD_LIVE, __ATOMIC_RELEASE);
    } else
      __atomic_store_n(&t.chunk->next, static_cast<uint32_t>(number), __ATOMIC_RELEASE);
    t.chunk = chunk;
  } else if (own.isRead && !own.isHeld) {
    chunk = t.chunk;
    ring::zeroRecords(*chunk);
    hold.endWith(*chunk, t, 0);
    ring::beginChunk(*t.slot, *chunk, t.nextSeq++, recorder.ticks.beginChunk(recorder.ring));
  } else if (recorder.dropsOverflow ? taken == Ring::Taken::Later && !hasWaited && !t.hasLost
                                    : taken == Ring::Taken::Later || !beyond) {
    return Outcome::Wait;
  } else {
    countLost(t, what, taken == Ring::Taken::NoMemory ? ADA_LOST_NO_MEMORY : ADA_LOST_RING_FULL);
    if (first) // a thread that has only losses exists, too
      __atomic_store_n(&t.slot->state, ADA_THREAD_LIVE, __ATOMIC_RELEASE);
    recorder.ring.wakeDrain();
    return Outcome::Lost;
  }
  position = reinterpret_cast<uint64_t>(chunk + 1);
  return Outcome::Ready;
}

// Stores what the reader must know before the next record: that records were lost, and how the stack has changed. If
// the chunk becomes full, the rest goes to the beginning of the next one.
void storeGap(AdaThread &t, uint64_t &position) {
  auto put = [&](uint64_t what) {
    store(arch::reserve(&position, sizeof(ada_record)), what, TickClock::stamp(recorder.ring));
    return !isFull(position);
  };
  if (t.hasLost) {
    t.hasLost = false;
    if (!put(ring::lostByThread(*t.slot) << 4 | ADA_RECORD_LOST))
      return;
  }
  t.lostCalls.tell(put);
}

// The position at which the thread records. Without a usable counter `position` stays parked, so that every event comes
// here; a process knows that from its first event on. All code must use the same position, including handlers that
// interrupt a waiting thread: a chunk that a waiting thread still wrote to would be taken for closed.
uint64_t &positionOf(AdaThread &t) {
  if (!recorder.ring.exists() || !recorder.ring.stampsSlowly())
    return t.position;
  t.position = kPositionParked;
  return t.systemPosition;
}

// Code that the runtime itself called, for example the program's malloc for a thread-specific value, is not recorded;
// nor is what comes after a thread's end, but that is counted.
void loseInRuntime(AdaThread &t) {
  t.position = kPositionParked;
  if (t.busy == kEnded && recorder.currentState() == State::On) {
    __atomic_add_fetch(&recorder.ring.header().events_late, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&recorder.ring.header().events_lost, 1, __ATOMIC_RELAXED);
  }
}

// Reserves where the fast path did not look: after __ada_before_clone, in the calling process, and with clock=system.
// 0 if the thread needs a chunk.
uint64_t reserveElsewhere(AdaThread &t, uint64_t bytes) {
  if (t.resumeAt) {
    t.position = t.resumeAt;
    t.resumeAt = 0;
    if (const uint64_t place = arch::reserve(&t.position, bytes); !isFull(place))
      return place;
  }
  if (uint64_t &position = positionOf(t); &position == &t.systemPosition)
    if (const uint64_t place = arch::reserve(&position, bytes); !isFull(place))
      return place;
  return 0;
}

// Reserves in the thread's chunk, after what the reader must know first. `isFresh`: the chunk is new, so it must be
// readable without earlier ones; false afterwards if it is. 0 if the chunk is full.
uint64_t reserveInChunk(AdaThread &t, uint64_t &position, uint64_t bytes, bool &isFresh) {
  if (t.hasLost || t.lostCalls.any())
    storeGap(t, position);
  if ((isFresh || t.stack == 0) && !isFull(position)) {
    isFresh = false;
    const uint64_t sp = (reinterpret_cast<uint64_t>(__builtin_frame_address(0)) & ~15ull) | arch::kEntryPhase;
    store(arch::reserve(&position, sizeof(ada_record)), windowFor(t, sp), TickClock::stamp(recorder.ring));
  }
  const uint64_t place = arch::reserve(&position, bytes);
  return isFull(place) ? 0 : place;
}

// Waits for the drain. Handlers may run and record meanwhile: they wait as well. `slots`: the slots' word before the
// thread last looked for one.
void waitForDrain(AdaThread &t, uint32_t slots, SignalsBlocked<> &blocked) {
  t.busy = 0;
  blocked.unblock();
  recorder.ring.wakeDrain();
  constexpr uint64_t kAgain = 50000000; // a precaution: no case is known in which we are not woken
  if (t.slot)
    sys::futexWait(&t.slot->waiting, 1, kAgain);
  else
    sys::futexWait(recorder.ring.slotsWord(), slots, kAgain);
  blocked.blockAgain();
  t.busy = 1;
}

// Gets chunks until one has room for the record, and waits for them. 0 if the record is lost. With signals blocked.
uint64_t reserveWithChunks(AdaThread &t, uint64_t what, uint64_t bytes, Hold &hold, SignalsBlocked<> &blocked) {
  bool isFresh = false;
  for (bool hasWaited = false;; hasWaited = true) {
    // A signal handler on top of us may have got a chunk meanwhile, and the process may just have found its clock.
    uint64_t &position = positionOf(t);
    hold.look(t, isFull(position));
    if (!isFull(position)) {
      if (const uint64_t place = reserveInChunk(t, position, bytes, isFresh))
        return place;
      continue;
    }
    // Set it before looking: a thread that frees a chunk after that clears it. See ada_ring_thread.
    if (t.slot)
      __atomic_store_n(&t.slot->waiting, 1, __ATOMIC_SEQ_CST);
    const uint32_t slots = __atomic_load_n(recorder.ring.slotsWord(), __ATOMIC_ACQUIRE);
    uint64_t fresh = kPositionParked;
    const Outcome outcome = acquire(t, what, fresh, hasWaited, hold);
    positionOf(t) = fresh;
    if (outcome == Outcome::Lost) {
      if (recorder.currentState() == State::On)
        hold.endLost(t);
      return 0;
    }
    if (outcome == Outcome::Ready) {
      isFresh = true;
      continue;
    }
    hold.wait(t, recorder.ring.isFull());
    waitForDrain(t, slots, blocked);
  }
}

// Reserves `bytes` for the record `what` if the fast path could not. Returns 0 if the record is lost.
uint64_t reserveSlowly(AdaThread &t, uint64_t what, uint64_t bytes) {
  if (t.busy)
    return loseInRuntime(t), 0;
  separateCopiedProcess();
  if (const uint64_t place = reserveElsewhere(t, bytes))
    return place;
  int savedErrno = errno;
  Hold hold(t);
  if (!t.isWatched && watchingAllocates())
    touchStack<kAllocatorStack>();
  SignalsBlocked blocked;
  t.busy = 1;
  const uint64_t place = reserveWithChunks(t, what, bytes, hold, blocked);
  if (t.slot) {
    __atomic_store_n(&t.slot->waiting, 0, __ATOMIC_RELAXED);
    hold.leave(t);
  }
  t.busy = 0;
  blocked.unblock();
  if (place)
    hold.endAfter(t, positionOf(t) == place + bytes);
  else
    hold.endAfterLost(t);
  errno = savedErrno;
  return place;
}

// Records one of the rare kinds.
void record(uint64_t what) {
  AdaThread &t = ada_thread;
  uint64_t place = arch::reserve(&t.position, sizeof(ada_record));
  if (__builtin_expect(isFull(place), 0))
    place = reserveSlowly(t, what, sizeof(ada_record));
  if (place)
    store(place, what, TickClock::stamp(recorder.ring));
}

} // namespace

void reportLostCalls(AdaThread &t) {
  if (t.lostCalls.hasJumps())
    record(ADA_RECORD_NOTHING);
}

void forgetLostCalls(AdaThread &t) {
  if (t.lostCalls.more)
    sys::unmap(t.lostCalls.more, t.lostCalls.capacity * sizeof *t.lostCalls.more);
  t.lostCalls = {};
}

void threadEnds() {
  AdaThread &t = ada_thread;
  const bool isRecorded = t.slot && sys::processId() == recorder.processId;
  if (isRecorded)
    reportLostCalls(t); // it touches the stack for itself
  SignalsBlocked blocked;
  if (isRecorded) {
    Identity::noteThreadExit(recorder.processId, 0); // the status with which libc will end it
    if (t.slot->name[0] == 0)
      sys::call(SYS_prctl, 16 /* PR_GET_NAME */, t.slot->name);
    __atomic_store_n(&t.slot->state, ADA_THREAD_ENDED, __ATOMIC_RELEASE);
  }
  forgetLostCalls(t);
  endFibers(t);
  t.slot = nullptr, t.chunk = nullptr;
  t.position = t.systemPosition = kPositionParked;
  t.busy = kEnded; // permanently: nothing calls us again for later records
}

namespace {

// The number of the `wanted` bytes from `sp` upwards that are stack: in a thread's outermost functions there may be
// fewer.
uint64_t readableStack(uint64_t sp, uint64_t wanted) {
  constexpr uint64_t kLeastPage = 4096;
  static_assert(ADA_MOST_STACK_BYTES <= kLeastPage, "at most one page begins in the window");
  uint64_t onPage = kLeastPage - (sp & (kLeastPage - 1));
  // On AArch64 the pointer of an empty stack is right after the stack.
  if (onPage == kLeastPage && wanted > 0 && !sys::isReadable(sp))
    return 0;
  return wanted <= onPage || sys::isReadable(sp + onPage) ? wanted : onPage;
}

uint64_t reserve(AdaThread &t, uint64_t what) {
  const uint64_t place = arch::reserve(&t.position, sizeof(ada_record));
  return __builtin_expect(isFull(place), 0) ? reserveSlowly(t, what, sizeof(ada_record)) : place;
}

// Turns a reserved place into the record that moves the window to `sp`. If a signal handler has meanwhile reserved
// later places, and perhaps moved the window, the record becomes ADA_RECORD_NOTHING.
void moveWindowAt(AdaThread &t, uint64_t place, uint64_t sp) {
  SignalsBlocked blocked;
  const bool isNewest = positionOf(t) == place + sizeof(ada_record);
  const uint64_t what = isNewest ? moveWindow(t, sp) : ADA_RECORD_NOTHING;
  store(place, what, TickClock::stamp(recorder.ring));
}

// Records a call at a place that was reserved before the window is read, so the window is that of the records before
// that place, whatever handlers do.
void recordCall(AdaThread &t, uint64_t what, uint64_t sp, uint64_t place) {
  for (; place; place = reserve(t, what)) {
    if (const uint64_t n = positionInWindow(t, sp); n <= 0xffff) {
      store(place, what | n << ring::kPositionShift, TickClock::stamp(recorder.ring));
      return;
    }
    moveWindowAt(t, place, sp);
  }
}

// The number of vectors that are recorded. For the arguments of a variadic function it is the largest possible number,
// because only the caller knew the true one. A result in memory is recorded as the vectors that it would fill.
uint32_t vectorCount(const DetailSite &site, bool call) {
  uint32_t n = !site.memory ? site.vectors : call ? 8 : (site.resultBytes + 15u) / 16;
  return n < 8 ? n : 8;
}

void copyResult(char *vectors, uint32_t count, const DetailSite &site) {
  const volatile char *from = static_cast<const volatile char *>(site.memory); // avoids a call of memcpy
  for (uint32_t i = 0; i < 16 * count; ++i)
    vectors[i] = i < site.resultBytes ? from[i] : 0;
}

ArgumentContents contentsOf(const ada_function &function) {
  return ArgumentContents::of(function, recorder.contentSizes, [](const ada_function &f) {
    return recorder.selection->argumentsOf(f); // from the options, which do not change
  });
}

} // namespace
} // namespace ada::runtime

namespace ring = ada::ring;
using namespace ada::runtime;

extern "C" ADA_ANY_STACK void ada_record_slow(uint64_t what, const char *nest, uint64_t place) {
  AdaThread &t = ada_thread;
  if (isFull(place))
    place = reserveSlowly(t, what, sizeof(ada_record));
  if (nest && place)
    recordCall(t, what, reinterpret_cast<const ada_frame *>(nest - ADA_ENABLE_INDEX)->sp, place);
  else if (place)
    store(place, what, TickClock::stamp(recorder.ring));
}

extern "C" ADA_ANY_STACK __attribute__((visibility("hidden"))) void
ada_record_detail(const ada_frame *frame, const arch::SavedRegisters *saved, uint32_t kind) {
  if (__builtin_expect(lateEvents.areCounted(), 0))
    return lateEvents.count();
  AdaThread &t = ada_thread;
  const bool isCall = kind == ADA_RECORD_CALL;
  const DetailSite site(*frame, arch::returnAddressOf(*frame), isCall);
  uint32_t vectors = vectorCount(site, isCall);
  uint64_t stack = readableStack(site.sp, recorder.stackBytes);
  const ArgumentContents contents = recorder.readsContents ? contentsOf(*frame->function) : ArgumentContents();
  uint64_t units = 7 + vectors + (stack + 15) / 16 + (contents.room(isCall) + 15) / 16;
  uint64_t bytes = sizeof(ada_record) + units * 16;
  uint64_t what = reinterpret_cast<uint64_t>(frame->function) | kind | ADA_RECORD_DETAIL | units << ring::kUnitsShift;
  if (isCall && !isInWindow(t, frame->sp))
    if (uint64_t before = arch::reserve(&t.position, sizeof(ada_record)); !isFull(before))
      moveWindowAt(t, before, frame->sp);
  uint64_t place = arch::reserve(&t.position, bytes);
  if (__builtin_expect(isFull(place), 0))
    place = reserveSlowly(t, what, bytes);
  if (!place)
    return;
  auto *r = reinterpret_cast<ada_record *>(place);
  auto *d = reinterpret_cast<ada_detail *>(r + 1);
  __atomic_store_n(&r->what, what, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_RELEASE); // a handler or a kill at this point must not find a detail without it
  d->contents_bytes = 0;
  d->stack_bytes = static_cast<uint16_t>(stack);
  d->integers = static_cast<uint8_t>(site.integers);
  d->vectors = static_cast<uint8_t>(vectors);
  d->contents = d->reserved = 0;
  auto *tail = reinterpret_cast<char *>(d + 1);
  arch::fillRegisters(*d, tail, site, *saved, isCall);
  if (!isCall && (frame->function->flags & ADA_FUNCTION_EXTERNAL)) // no result uses that many registers
    d->registers[7] = static_cast<uint32_t>(errno);
  if (!isCall && site.memory)
    copyResult(tail, vectors, site);
  d->sp = site.sp;
  d->lr = site.returnAddress;
  d->reserved2[0] = d->reserved2[1] = 0;
  tail += vectors * 16;
  const auto *from = reinterpret_cast<const AnyWord *>(site.sp);
  auto *to = reinterpret_cast<AnyWord *>(tail);
  for (uint64_t i = 0; i < stack / 8; ++i)
    to[i] = from[i];
  for (uint64_t i = stack & ~7ull; i < stack; ++i)
    tail[i] = reinterpret_cast<const char *>(site.sp)[i];
  if (contents.any(isCall))
    readContents(*d, const_cast<unsigned char *>(ring::contentsOf(*d)), contents, isCall, site.memory);
  __atomic_store_n(&r->stamp, TickClock::stamp(recorder.ring), __ATOMIC_RELEASE);
}

namespace ada::runtime {
namespace {

// Records the call of an annotation, with its values as a detail. Returns its stamp, or 0 if it is lost.
uint64_t recordAnnotation(const ada_annotation &site, const ada_value *values, uint64_t caller) {
  AdaThread &t = ada_thread;
  const uint64_t textBytes = textBytesOf(site);
  const uint64_t units = values ? 7 + textBytes / 16 : 0;
  const uint64_t kind = values ? ADA_RECORD_CALL | ADA_RECORD_DETAIL : ADA_RECORD_CALL;
  const uint64_t what = reinterpret_cast<uint64_t>(&site) | kind | units << ring::kUnitsShift;
  const uint64_t bytes = sizeof(ada_record) + units * 16;
  uint64_t place = arch::reserve(&t.position, bytes);
  if (__builtin_expect(isFull(place), 0))
    place = reserveSlowly(t, what, bytes);
  if (!place)
    return 0;
  auto *r = reinterpret_cast<ada_record *>(place);
  __atomic_store_n(&r->what, what, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_RELEASE); // as in ada_record_detail
  if (values)
    fillValues(*reinterpret_cast<ada_detail *>(r + 1), site, values, textBytes, caller);
  const uint64_t stamp = TickClock::stamp(recorder.ring);
  __atomic_store_n(&r->stamp, stamp, __ATOMIC_RELEASE);
  return stamp;
}

} // namespace
} // namespace ada::runtime

extern "C" ADA_ANY_STACK void __ada_annotation_begin_with(const ada_annotation *site, const ada_value *values) {
  recordAnnotation(*site, values, reinterpret_cast<uint64_t>(__builtin_return_address(0)));
}

// Records a call and its return at the same time, with one reading of the clock.
extern "C" ADA_ANY_STACK void __ada_annotation_point(const ada_annotation *site, const ada_value *values) {
  const uint64_t stamp = recordAnnotation(*site, values, reinterpret_cast<uint64_t>(__builtin_return_address(0)));
  const uint64_t what = reinterpret_cast<uint64_t>(site) | ADA_RECORD_RETURN;
  AdaThread &t = ada_thread;
  uint64_t place = arch::reserve(&t.position, sizeof(ada_record));
  if (__builtin_expect(isFull(place), 0))
    place = reserveSlowly(t, what, sizeof(ada_record));
  if (place)
    store(place, what, stamp ? stamp : TickClock::stamp(recorder.ring));
}

extern "C" ADA_ANY_STACK void __ada_mark_frame(const void *frame) {
  record((reinterpret_cast<uint64_t>(frame) & ~uint64_t{ADA_RECORD_KIND_MASK}) | ADA_RECORD_MARK);
}

extern "C" ADA_ANY_STACK void __ada_before_clone(void) {
  AdaThread &t = ada_thread;
  if (t.resumeAt == 0 && !isFull(t.position)) {
    t.resumeAt = t.position;
    t.position = kPositionParked; // both processes reach reserveSlowly next
  }
}

extern "C" ADA_ANY_STACK void __ada_resync(const void *frame) { __ada_landed(frame, 1); }

namespace ada::runtime {
namespace {

ADA_ANY_STACK __attribute__((noinline)) void recordLanding(AdaThread &t, uint64_t at, bool isMarked) {
  const uint64_t what = isMarked ? at | ADA_RECORD_RESYNC : ADA_RECORD_JUMP;
  if (t.isFiber)
    return record(what);
  // Calls from this frame begin below it; where the call instruction stores nothing, at its very end.
  recordCall(t, what, at + (arch::kEntryPhase ? arch::kEntryPhase : 16), reserve(t, what));
  t.jumpEnd = positionOf(t), t.jumpFrame = at;
}

} // namespace
} // namespace ada::runtime

extern "C" void __ada_landed(const void *frame, uint64_t isMarked) {
  AdaThread &t = ada_thread;
  const uint64_t at = reinterpret_cast<uint64_t>(frame) & ~uint64_t{ADA_RECORD_KIND_MASK};
  // Without a mark, only the position says which calls are gone; and it says nothing new if none began since.
  if (isMarked || (t.slot && !t.busy && !t.isFiber && !(positionOf(t) == t.jumpEnd && at <= t.jumpFrame)))
    recordLanding(t, at, isMarked != 0);
}
