// Reads the threads of the ring: turns complete records into events. Used by the drain only; drain.h describes a pass.
#ifndef ADA_RUNTIME_CORE_RING_READER_H
#define ADA_RUNTIME_CORE_RING_READER_H

#include "core/base/stepped_array.h"
#include "core/record/tick_clock.h"
#include "ring.h"
#include "shared/ring/held.h"
#include "shared/ring/thread_reader.h"

namespace ada {

class RingReader {
public:
  // The reader's state for the thread of one slot. Slots are reused when threads have ended.
  struct Thread : ring::ThreadReader {
    bool active;
    bool ended;  // the thread is gone: all of its records are complete
    bool behind; // there was more than one pass reads
    // The hold times in chunks below this number have been taken.
    uint64_t heldSeq;
  };

  // The working data of a drain thread: one for each.
  class Desk {
  public:
    // 0 or -ENOMEM.
    int start();
    void reset();
    const ring::RecordBatch &batch() const { return batch_; }

  private:
    friend RingReader;
    ring::RecordBatch batch_;
    ring::ClockMap clock_;
    ring::ModuleMap modules_;
    uint64_t modulesVersion_ = 0; // that of modules_
  };

  // Needs sit() before the first pass.
  void start(Ring &ring);
  // After a fork: frees the memory of the parent's reader.
  void reset();

  // Ensures that there is memory for the threads of slots below `slots`. False if there is none.
  bool reserve(uint64_t slots) { return threads_.reserve(slots); }
  Thread &thread(uint64_t slot) { return threads_[slot]; }
  void begin(uint64_t slot);
  // Called when the thread has ended and its events are written: gives back its last chunk and its slot.
  void end(uint64_t slot);

  // Begins a pass: records younger than now are left to the next one.
  void takeAnchor();
  // Checks for newly loaded modules. True if there are any.
  bool takeModules();
  // No later record is older than this.
  uint64_t limitNs() {
    const uint64_t word = __atomic_load_n(&ada_tick, __ATOMIC_RELAXED);
    return clock_.toNanoseconds(word && word < beginStamp_ ? word : beginStamp_);
  }
  // Called in every drain thread when a pass begins: sets the times and modules of this pass.
  void sit(Desk &desk) const;
  // All threads were read up to the limit, and everything read is written.
  void notePassed() {
    ring_->notePassed(beginStamp_);
    hasPassed_ = true;
  }

  // See ring::ThreadReader for these.
  bool look(uint64_t slot, bool all) { return threads_[slot].look(*this, ring_->threads()[slot], limitStamp_, all); }
  // Called after look(), before the chunk's records are taken. True if the chunk says how long the thread was held up.
  bool takeHeld(Desk &desk, uint64_t slot, ring::Held &held) {
    Thread &t = threads_[slot];
    return __builtin_expect(t.walk.seq >= t.heldSeq, 0) && takeHeldOf(desk, t, held);
  }
  // The same for a thread that waits before exit or exec: held up until this pass.
  bool takeHeldAtEnd(Desk &desk, uint64_t slot, ring::Held &held);
  template <class Emit> uint64_t takePlain(Desk &desk, uint64_t slot, Emit &&emit) {
    return threads_[slot].takePlain(*this, desk.clock_, desk.modules_, emit);
  }
  void take(Desk &desk, uint64_t slot) { threads_[slot].take(desk.batch_); }
  bool advance(Desk &desk, uint64_t slot) { return threads_[slot].advance(*this, desk.batch_); }
  void giveBack(uint64_t slot) { threads_[slot].giveBack(*this, ring_->threads()[slot]); }
  void publish(Desk &desk, uint64_t slot);
  // `half`: which of the two cursors to fill.
  void fillCursor(uint64_t slot, uint64_t events, uint64_t place, unsigned half, ada_ring_cursor &cursor);
  uint64_t place(uint64_t slot) const { return threads_[slot].walk.place; }

  // Expands record `i` of the batch: calls emit(const ring::Event &, const ada_detail * or null) for each event.
  template <class Emit> void expand(Desk &desk, uint64_t slot, uint64_t i, Emit &&emit) {
    ring::expand(
        threads_[slot].expansion, desk.batch_.records[i], desk.clock_, desk.modules_, growStack,
        [&](const ring::Event &e) { emit(e, e.ofRecord ? desk.batch_.details[i] : nullptr); }, desk.batch_.details[i]);
  }
  // Called by a thread that closes a chunk. Returns the number of chunks that were closed and not yet given back.
  uint32_t noteClosedChunk() { return __atomic_add_fetch(&closedChunks_, 1, __ATOMIC_RELAXED); }
  uint32_t closedChunks() const { return __atomic_load_n(&closedChunks_, __ATOMIC_RELAXED); }

  // What ring::ThreadReader needs from the ring.
  ada_chunk *chunk(uint64_t number) { return ring_->chunk(number); }
  void giveBack(ada_chunk *chunk) { ring_->giveBack(chunk); }
  void wake(ada_ring_thread &thread) { ring_->wake(thread); }
  void noteClosed(int more) { __atomic_add_fetch(&closedChunks_, (uint32_t)more, __ATOMIC_RELAXED); }

private:
  // Called if the counter has a fault: see docs/explanation/ring.md.
  void goBack(ada_anchor now);
  bool takeHeldOf(Desk &desk, Thread &t, ring::Held &held);
  static ring::GapList *makeGapList() { return (ring::GapList *)sys::mapMemory(sizeof(ring::GapList)); }
  static ring::Frame *growStack(ring::Frame *old, size_t oldCapacity, size_t newCapacity);
  ada_ring_note *notesOf(uint64_t slot, unsigned half);

  Ring *ring_ = nullptr;
  SteppedArray<Thread, ADA_RING_THREADS> threads_; // by slot
  ring::ClockMap clock_;
  uint64_t modulesSeen_ = 0;    // modulesPublished() at the last check
  uint64_t modulesVersion_ = 0; // changes when desks must be updated
  uint64_t beginStamp_ = 0;     // of this pass
  uint64_t limitStamp_ = 0;     // likewise; none if the counters can't be compared
  uint64_t lastPassNs_ = 0;     // when the previous pass began
  bool isBack_ = false;         // the counter has gone back, and older records are still unread
  bool isUneven_ = false;       // threads have different counters
  bool hasPassed_ = false;      // since isBack_
  uint32_t closedChunks_ = 0;
};

} // namespace ada
#endif
