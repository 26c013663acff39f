// The time for which the slow path holds a thread up, as its hooks measure it.
#pragma once

#include "recorder.h"
#include "thread.h"

namespace ada::runtime {

// The time since which the slow path has held the thread up, and how that is recorded: see shared/ring/held.h.
class Hold {
public:
  // At a process's first event it is not yet known which clock the ring will have.
  explicit Hold(const AdaThread &t) : slot_(t.slot), before_(slot_ ? slot_->held_since : 0), seq_(t.nextSeq) {
    begin();
  }

  uint64_t from() const {
    return recorder.ring.isTimeless() ? 0 : recorder.ring.usesSystemClock() ? ns_ - bootOffsetNs() : counter_;
  }
  // The thread waits from now on. `isFull`: for the drain to read what is in the ring, not for memory.
  void wait(AdaThread &t, bool isFull) {
    reason_ = isFull || reason_ == ADA_HELD_WAITED ? ADA_HELD_WAITED : ADA_HELD_MEMORY;
    noteWait(t);
  }
  // The thread was held up to get this chunk. Call it before beginChunk(), because others read the times after that.
  void endWith(ada_chunk &chunk, const AdaThread &t, uint64_t touchFrom) {
    seq_ = t.nextSeq + 1;
    chunk.held_from = from();
    chunk.held_to = now();
    chunk.held_reason = reason_;
    chunk.held_lost = t.slot->held_lost_seq == t.nextSeq + 1 ? t.slot->held_lost : 0;
    const uint64_t touch = touchFrom && chunk.held_to > touchFrom ? chunk.held_to - touchFrom : 0;
    chunk.held_touch = touch < UINT32_MAX ? static_cast<uint32_t>(touch) : UINT32_MAX;
    begin(); // the same record may be held up again
    reason_ = ADA_HELD_OTHER;
  }
  // The thread was held up until `to` without getting a chunk.
  void endAt(AdaThread &t, uint64_t to) {
    if (t.slot && to > from())
      __atomic_add_fetch(&t.slot->held_unplaced, to - from(), __ATOMIC_RELAXED);
  }
  // The event was lost. The next chunk reports what that cost.
  void endLost(AdaThread &t) {
    if (!t.slot)
      return;
    if (t.slot->held_lost_seq != t.nextSeq + 1)
      t.slot->held_lost = 0, t.slot->held_lost_seq = t.nextSeq + 1;
    addLost(t);
    isLost_ = true;
  }
  // The rest of that cost, now that signals are as they were. No part of it if a handler has recorded or lost
  // something meanwhile.
  void endAfterLost(AdaThread &t) {
    if (isLost_ && t.slot && t.slot->held_lost == lost_ && t.nextSeq == seq_)
      addLost(t);
  }
  // The thread continues with the chunk given to endWith(), which can't include the time since then. `isAlone`: no
  // handler has recorded anything meanwhile; a handler's time would not be the recorder's.
  void endAfter(AdaThread &t, bool isAlone) {
    if (isAlone && t.nextSeq == seq_)
      endAt(t, now());
  }
  // A signal handler may have run meanwhile and got the chunk, which may even be full again.
  void look(AdaThread &t, bool goesOn) {
    if (!t.chunk || t.nextSeq == seq_)
      return;
    seq_ = t.nextSeq;
    endAt(t, t.chunk->held_from);
    begin();
    if (goesOn && reason_ != ADA_HELD_OTHER)
      noteWait(t);
  }
  // This hook waits no longer. If it runs in a signal handler that interrupted a waiting hook, that hook still waits.
  void leave(AdaThread &t) { __atomic_store_n(&t.slot->held_since, t.slot == slot_ ? before_ : 0, __ATOMIC_RELAXED); }

private:
  void noteWait(AdaThread &t) {
    if (t.slot)
      __atomic_store_n(&t.slot->held_since, from(), __ATOMIC_RELAXED);
  }
  void addLost(AdaThread &t) {
    const uint64_t to = now(), since = from();
    lost_ = __atomic_add_fetch(&t.slot->held_lost, to > since ? to - since : 0, __ATOMIC_RELAXED);
    set(to);
  }
  // No clock is read for a trace that shows no times, nor if nothing is recorded. Not inline: the hook needs less
  // stack.
  __attribute__((noinline)) static uint64_t now() { return recorder.ring.isTimeless() ? 0 : recorder.ring.stamp(); }
  void set(uint64_t stamp) {
    counter_ = stamp;
    ns_ = stamp + bootOffsetNs();
  }
  void begin() {
    const State state = recorder.currentState(); // before it is On, the ring's clock may change
    if (state == State::On) {
      set(now());
    } else if (state != State::Waiting) {
      counter_ = ns_ = 0;
    } else {
      const bool readsCounter = mayReadCounter();
      counter_ = readsCounter ? arch::readCounter() : 0;
      ns_ = (readsCounter ? sys::nowNsQuickly() : sys::askNowNs()) + bootOffsetNs();
    }
  }

  const ada_ring_thread *slot_;
  uint64_t before_, seq_;
  uint64_t counter_;
  uint64_t ns_;       // with the offset, which a process finds at its first event: see boot_offset.h
  uint64_t lost_ = 0; // ada_ring_thread.held_lost, with this event's part
  uint32_t reason_ = ADA_HELD_OTHER;
  bool isLost_ = false;
};

} // namespace ada::runtime
