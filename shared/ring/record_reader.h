// How the drain reads one thread, and how chunks pass between the two.
//
// The drain looks, expands the plain records, takes the rest as a batch, expands that, and advances.
// When their events are written it commits (fillCursor), and only then chunks go back (giveBack, publish).
// The thread's side is at the end. test/model/ring_model_test.cpp runs this code through all
// interleavings of both.
//
// `Memory` is the ring: chunk(number), giveBack(chunk), wake(thread), noteClosed(how many more chunks are closed now).
#pragma once

#include "chunk_walk.h"
#include "losses.h"
#include "notes.h"
#include "plain_walk.h"

namespace ada::ring {

// Plain data. It starts zero-initialised, except for its members' initialisers.
struct RecordReader {
  static constexpr unsigned kMaxDone = 64, kMaxHeld = 16;
  // The records after one that is not plain may be plain again, which is three times as fast.
  // If they are not, batches grow.
  static constexpr uint64_t kFewRecords = 16;
  struct Held {
    ada_chunk *chunk;
    Hold hold;
  };

  ThreadWalk walk;
  WalkRules rules = {}; // of the batch
  ThreadExpansion expansion;
  uint64_t mostRecords = kFewRecords;       // of the next batch, if plain records are taken before it
  bool again = false;                       // the batch is not all that can be taken from the chunk now
  bool isMoved = false;                     // records were taken that are not in the journal
  ada_chunk *done[kMaxDone + kMaxHeld + 1]; // read to the end, to be given back once their events are written
  unsigned doneCount = 0;
  // Read to the end, but a place in them may still be written to. If there are too many, the oldest are given up:
  // they are kept until the thread ends, linked by their `next`.
  Held held[kMaxHeld];
  unsigned heldCount = 0;
  uint32_t kept = 0; // number + 1

  bool mustGiveBack() const { return doneCount >= kMaxDone; }

  // Looks for records to read. False if there never were any. `all`: no more records can be completed.
  // Call it only if !mustGiveBack().
  template <class Memory> bool look(Memory &memory, const ada_ring_thread &thread, uint64_t limitStamp, bool all) {
    ThreadWalk &w = walk;
    if (!w.chunk) {
      uint64_t first = __atomic_load_n(&thread.first_chunk, __ATOMIC_ACQUIRE);
      if (first == 0)
        return false;
      w.chunk = memory.chunk(first - 1);
      w.seq = w.chunk->seq;
    }
    // Read before the records: if there is a successor, or if the thread waits for one, there are no new reservations.
    // And read before the sequence number, because the thread may have used the chunk again.
    uint64_t next = __atomic_load_n(&w.chunk->next, __ATOMIC_ACQUIRE);
    if (uint64_t seq = __atomic_load_n(&w.chunk->seq, __ATOMIC_ACQUIRE); seq != w.seq)
      w.seq = seq, w.place = 0;
    bool waits = !next && __atomic_load_n(&thread.waiting, __ATOMIC_ACQUIRE);
    rules = {.limitStamp = all ? UINT64_MAX : limitStamp,
             .successor = next ? memory.chunk(next - 1) : nullptr,
             .closed = next || waits,
             .dead = all,
             .openCalls = expansion.stack.depth};
    return true;
  }

  // After look(): expands the plain records at once, see plain_walk.h.
  // Returns how many there were. The rest is for take().
  template <class Memory, class Sink>
  uint64_t takePlainTo(Memory &memory, ClockMap &clock, ModuleMap &modules, Sink &sink) {
    uint64_t count = ring::takePlainTo(walk, rules, expansion, clock, modules, sink);
    if (count > 0) {
      isMoved = true;
      settleExpanded(memory);
      rules.openCalls = expansion.stack.depth;
    }
    mostRecords = count > 0 ? kFewRecords : mostRecords < ADA_CHUNK_RECORDS ? mostRecords * 2 : mostRecords;
    rules.most = mostRecords;
    return count;
  }
  // The same with `emit` as for expand().
  template <class Memory, class Emit>
  uint64_t takePlain(Memory &memory, ClockMap &clock, ModuleMap &modules, Emit &&emit) {
    EventSink sink(emit);
    return takePlainTo(memory, clock, modules, sink);
  }

  // After look(): takes records into the batch.
  void take(RecordBatch &batch) {
    ThreadWalk &w = walk;
    ADA_ASSERT(rules.openCalls == expansion.stack.depth);
    const uint32_t droppedRuns = w.droppedRuns;
    WalkEnd end = takeRecords(w, rules, batch);
    if (__builtin_expect(w.droppedRuns != droppedRuns, 0))
      expansion.gaps.lose(w.droppedRuns - droppedRuns);
    bool isAtEnd = end == WalkEnd::Reserved || (end == WalkEnd::Chunk && !rules.successor);
    if (isAtEnd && w.runCount > 0)
      again = batch.count > 0 || takeLate(w, rules, batch);
    else
      again = end == WalkEnd::Split;
    ADA_ASSERT(isInOrder(batch));
  }

  // Call it when the batch has been expanded. True if the thread has more to look at.
  template <class Memory> bool advance(Memory &memory, const RecordBatch &batch) {
    ThreadWalk &w = walk;
    isMoved |= batch.count > 0; // now, because a commit may have come between the batch's records
    settleExpanded(memory);
    if (again)
      return true;
    if (!rules.successor || w.place < ADA_CHUNK_RECORDS)
      return false;
    ada_chunk *chunk = const_cast<ada_chunk *>(w.chunk);
    if (w.hold.count > 0 || w.holdsRunIn(*chunk)) {
      hold(chunk, w.hold);
      memory.noteClosed(-1);
    } else
      done[doneCount++] = chunk;
    isMoved = true;
    w.chunk = rules.successor;
    w.seq = w.chunk->seq, w.place = 0, w.hold = {};
    mostRecords = kFewRecords; // a chunk may begin with a record that is not plain, and have no other
    return true;
  }

  // The journal's entry for a file of `events` events that continues with record `place`.
  // `notes`: memory for `most` notes, which belong to this entry.
  void fillCursor(uint64_t events, uint64_t place, ada_ring_note *notes, uint64_t most, ada_ring_cursor &cursor) {
    isMoved = false;
    // The entry counts once the file has that many events, which it may have already: see cursorFor().
    __atomic_store_n(&cursor.events, UINT64_MAX, __ATOMIC_SEQ_CST);
    cursor.chunk_seq = walk.seq, cursor.record = static_cast<uint32_t>(place);
    cursor.newest_stamp = walk.newestStamp;
    for (unsigned i = 0; i < ADA_RING_RUNS; ++i)
      cursor.runs[i] = i < walk.runCount ? ada_ring_run{static_cast<uint32_t>(walk.runs[i].seq), walk.runs[i].begin,
                                                        walk.runs[i].end, static_cast<uint32_t>(walk.runs[i].depth), 0}
                                         : ada_ring_run{};
    cursor.notes = notes                ? static_cast<uint32_t>(takeNotes(expansion, notes, most))
                   : expansion.hasNotes ? ADA_NOTES_MISSING
                                        : 0;
    cursor.gaps = 0;
    for (uint64_t &lost : cursor.lost)
      lost = 0;
    cursor.lost[ADA_LOST_INTERRUPTED] = walk.droppedRuns;
    addLosses(cursor, expansion);
    __atomic_store_n(&cursor.events, events, __ATOMIC_RELEASE);
  }

  // Gives back the chunks that were read to the end, whose events are written. Wakes the thread if it waits for one.
  template <class Memory> void giveBack(Memory &memory, ada_ring_thread &thread) {
    if (doneCount == 0)
      return;
    for (unsigned i = 0; i < doneCount; ++i)
      memory.giveBack(done[i]);
    memory.noteClosed(-static_cast<int>(doneCount));
    doneCount = 0;
    memory.wake(thread);
  }

  // Everything taken is written: gives the thread its only chunk back, if that was read to the end.
  template <class Memory> void publish(Memory &memory, ada_ring_thread &thread) const {
    const ThreadWalk &w = walk;
    if (!w.chunk || w.place < ADA_CHUNK_RECORDS || __atomic_load_n(&w.chunk->next, __ATOMIC_RELAXED))
      return;
    uint64_t drained = (w.seq + 1) * 2;
    if (w.hold.count > 0 || w.holdsRunIn(*w.chunk))
      drained |= ADA_DRAINED_HELD;
    if (drained == thread.drained)
      return;
    __atomic_store_n(&thread.drained, drained, __ATOMIC_RELEASE);
    memory.wake(thread);
  }

  // The thread is gone, so nothing writes to any of the chunks.
  template <class Memory> void releaseAll(Memory &memory) {
    for (unsigned i = 0; i < heldCount; ++i)
      memory.giveBack(held[i].chunk);
    heldCount = 0;
    while (kept) {
      ada_chunk *chunk = memory.chunk(kept - 1);
      kept = chunk->next;
      memory.giveBack(chunk);
    }
    if (walk.chunk)
      memory.giveBack(const_cast<ada_chunk *>(walk.chunk));
    walk.chunk = nullptr;
  }

private:
  // Forgets what the records expanded since the last time have settled.
  template <class Memory> void settleExpanded(Memory &memory) {
    if (__builtin_expect((walk.hold.count | walk.runCount | heldCount | walk.passedPlace) != 0, 0)) {
      settle(walk, expansion);
      releaseHeld(memory);
    }
    expansion.floor = expansion.stack.depth;
  }

  void hold(ada_chunk *chunk, const Hold &hold) {
    if (heldCount == kMaxHeld) {
      held[0].chunk->next = kept;
      kept = held[0].chunk->number + 1;
      for (unsigned i = 1; i < kMaxHeld; ++i)
        held[i - 1] = held[i];
      --heldCount;
    }
    held[heldCount++] = {chunk, hold};
  }

  template <class Memory> void releaseHeld(Memory &memory) {
    unsigned still = 0;
    for (unsigned i = 0; i < heldCount; ++i)
      if (walk.holdsRunIn(*held[i].chunk) || !held[i].hold.isOver(*held[i].chunk, expansion.floor))
        held[still++] = held[i];
      else { // but not before the journal has passed it
        done[doneCount++] = held[i].chunk;
        isMoved = true;
        memory.noteClosed(1);
      }
    heldCount = still;
  }
};

//===--- the thread's side ------------------------------------------------===//

// What the drain says about the thread's own chunk.
struct OwnChunk {
  bool isRead; // to its end
  bool isHeld; // a place in it may still be written to
};
inline OwnChunk ownChunk(const ada_ring_thread &thread, const ada_chunk &newest) {
  const uint64_t drained = __atomic_load_n(&thread.drained, __ATOMIC_ACQUIRE);
  return {drained >> 1 == newest.seq + 1, (drained & ADA_DRAINED_HELD) != 0};
}

inline void zeroRecords(ada_chunk &chunk) {
  for (uint64_t *p = reinterpret_cast<uint64_t *>(&chunk + 1);
       p < reinterpret_cast<uint64_t *>(reinterpret_cast<char *>(&chunk) + ADA_CHUNK_BYTES); ++p)
    *p = 0;
}

// Makes a zeroed chunk the thread's newest one. A fresh chunk still has to be linked; if it is the thread's own,
// the thread writes to it from now on.
inline void beginChunk(ada_ring_thread &thread, ada_chunk &chunk, uint64_t seq, uint64_t stamp) {
  // Before the drain can see that it is the newest: a waiting thread's newest chunk has no free places.
  __atomic_store_n(&thread.waiting, 0, __ATOMIC_RELAXED);
  chunk.thread = thread.index;
  chunk.next = 0;
  chunk.start_stamp = stamp;
  __atomic_store_n(&chunk.seq, seq, __ATOMIC_RELEASE);
  __atomic_store_n(&chunk.state, ADA_CHUNK_USED, __ATOMIC_RELEASE);
}

} // namespace ada::ring
