// Finds the records of a chunk in the order of their events.
//
// The drain of a running process and the recovery of a dead one use it. The rules that both must agree on:
//
//   - A record takes one unit of 16 bytes, and a detail after it as many more as its `what` says.
//   - Chunks come zeroed. A hook reserves a place, stores `what`, reads the clock, and stores the stamp last. So a
//     place is complete when its stamp is not 0, and its `what` is known when that is not 0.
//   - Signal handlers interrupt hooks anywhere, and their records lie after the interrupted place. They may return in a
//     microsecond or in an hour, or leave by longjmp: then the place stays as it is for ever. Nothing here waits for
//     them, and no timeout decides anything. A place that is not complete although a later one is was *passed*:
//       its `what` is known:  it counts as recorded at the time of the next record, because the handler ran inside it.
//       nothing is known:     the hook had not read the clock yet, so its stamp will be younger than everything the
//                             handler records. Its place (or run of places: a detail is longer) is kept in `runs`, and
//                             its record comes in the order of the stamps, once it is complete.
//     If the hook is interrupted a second time, after it has read the clock, younger records of that handler may
//     already have been taken. And with a coarse clock (clock=tick) the records around it may be as old as it is. In
//     both cases it comes when as many calls are open as at its place, because a handler's calls are over then. Among
//     several such places that are equally old, the last comes first: hooks that interrupt each other end in that
//     order.
//   - A passed place may still be written to, so its chunk must not be used again (`hold`) until the place is complete,
//     its thread has ended, or a jump has proved the place dead: the stack of open calls has since been shorter than it
//     was there (an outer call returned), or a setjmp with an older frame returned (RESYNC). See
//     ThreadExpansion::floor.
//   - The records of a handler that has returned lie after the record that it interrupted between reservation and
//     stamp, but have older stamps: order() repairs that.
//   - Losses need no rule here: a gap is a record of its own kind (ADA_RECORD_GAP), which expander.h understands.
//   - Chunks of a thread are ordered by `seq`, without holes. `next` names the successor. A chunk with a successor gets
//     no new reservations. Neither does the newest chunk while its thread waits for memory: it is closed.
//
//     takeRecords(walk, rules, batch);
//     for (uint64_t i = 0; i < batch.count; ++i)
//       expand(state, batch.records[i], clock, modules, grow, emit);
//     settle(walk, state);
#pragma once

#include "expander.h"

namespace ada::ring {

// Records of one chunk, copied, in arrays of ADA_CHUNK_RECORDS elements that the owner provides.
struct RecordBatch {
  ada_record *records = nullptr;
  const ada_detail **details = nullptr; // the detail after each record, in the chunk; null if there is none
  uint16_t *places = nullptr;           // where a walk would continue to take the record (and those after it) again
  uint64_t count = 0;
  bool inverted = false; // a stamp is older than the one before it
};

// What lies at one place of a chunk.
struct Place {
  uint64_t stamp, what;
  uint64_t units; // to the next place

  bool isComplete() const { return stamp != 0; }
  bool isEmpty() const { return (stamp | what) == 0; }
};

inline const ada_record *recordsOf(const ada_chunk &chunk) { return reinterpret_cast<const ada_record *>(&chunk + 1); }

// A test lets the thread go on here, as it does in fact.
#ifndef ADA_BETWEEN_PLACES
#define ADA_BETWEEN_PLACES() ((void)0)
#endif

inline Place placeAt(const ada_chunk &chunk, uint64_t place) {
  ADA_BETWEEN_PLACES();
  const ada_record &r = recordsOf(chunk)[place];
  const uint64_t stamp = __atomic_load_n(&r.stamp, __ATOMIC_ACQUIRE);
  const uint64_t what = __atomic_load_n(&r.what, __ATOMIC_RELAXED);
  return {stamp, what, 1 + unitsOf(what)};
}

// Whether no record is older than the one before it.
inline bool isInOrder(const RecordBatch &batch) {
  for (uint64_t i = 1; i < batch.count; ++i)
    if (batch.records[i].stamp < batch.records[i - 1].stamp)
      return false;
  return true;
}

// Places in a chunk that may still be written to, although the walk has passed them.
struct Hold {
  static constexpr unsigned kMaxPlaces = 12;
  uint64_t depth = UINT64_MAX; // fewest calls that were open at one of them
  uint32_t count = 0;          // places beyond the last are not known: then only `depth` proves anything
  uint16_t places[kMaxPlaces];

  void add(uint64_t place, uint64_t openCalls) {
    if (count < kMaxPlaces)
      places[count] = static_cast<uint16_t>(place);
    ++count;
    if (openCalls < depth)
      depth = openCalls;
  }
  bool isOver(const ada_chunk &chunk, uint64_t floor) const {
    if (count == 0 || depth > floor)
      return true;
    if (count > kMaxPlaces)
      return false;
    for (uint32_t i = 0; i < count; ++i)
      if (!placeAt(chunk, places[i]).isComplete())
        return false;
    return true;
  }
};

// Places of which nothing was known when the walk passed them.
struct Run {
  const ada_chunk *chunk;
  uint64_t seq;   // of the chunk
  uint64_t depth; // calls that were open
  uint16_t begin, end;
};

// How far the walk has come in one thread. It starts zero-initialised, with the first chunk.
struct ThreadWalk {
  const ada_chunk *chunk = nullptr; // being read
  uint64_t seq = 0;                 // its sequence number
  uint64_t place = 0;               // the next one of it
  Hold hold;                        // of this chunk
  Run runs[ADA_RING_RUNS];          // the oldest first
  uint32_t runCount = 0;
  uint32_t droppedRuns = 0; // there were more: their records are lost
  uint64_t newestStamp = 0; // of the records taken since there have been runs
  uint32_t takenRun = 0;    // number + 1 of the run that the batch's only record is from
  uint16_t takenPlace = 0;
  uint16_t passedPlace = 0; // place + 1 of the batch's only record, which is not complete

  bool holdsRunIn(const ada_chunk &c) const {
    for (uint32_t i = 0; i < runCount; ++i)
      if (runs[i].chunk == &c)
        return true;
    return false;
  }
};

struct WalkRules {
  uint64_t limitStamp;               // younger records are left for the next time
  const ada_chunk *successor;        // of the chunk, null if it has none; read before its records
  bool closed;                       // it gets no new reservations
  bool dead;                         // no more records can be completed
  uint64_t openCalls;                // now
  uint64_t most = ADA_CHUNK_RECORDS; // records of one batch
};

enum class WalkEnd {
  Chunk,    // no place is left
  Reserved, // at a place that is free or being written
  Younger,  // at a record that is younger than the limit
  Split,    // more can be taken right away
};

// Whether a record after this incomplete place is complete. For a dead thread the answer is certain;
// for others, such a record need not be found before the chunk is closed.
inline bool isPassed(const ada_chunk &chunk, uint64_t place, bool dead) {
  constexpr uint64_t kLook = 64;
  const uint64_t end = dead || place + kLook > ADA_CHUNK_RECORDS ? ADA_CHUNK_RECORDS : place + kLook;
  while (place < end) {
    const Place p = placeAt(chunk, place);
    if (p.isComplete())
      return true;
    place += p.units;
  }
  return false;
}

// The stamp of the first complete record from a place on, UINT64_MAX if there is none.
inline uint64_t stampFrom(const ada_chunk &chunk, uint64_t place) {
  while (place < ADA_CHUNK_RECORDS) {
    const Place p = placeAt(chunk, place);
    if (p.isComplete())
      return p.stamp;
    place += p.units;
  }
  return UINT64_MAX;
}

// Repairs the stamps of a batch in which a signal handler's records follow an interrupted one.
// `behind`: the stamp of the record that follows the batch, UINT64_MAX if it is not known. `least`: no record is older.
inline void order(RecordBatch &batch, uint64_t behind, uint64_t least) {
  if (batch.count == 0 || (!batch.inverted && batch.records[batch.count - 1].stamp <= behind))
    return;
  lowerStamps(batch.records, batch.count, behind);
  for (uint64_t i = batch.count; i-- > 0 && batch.records[i].stamp == UINT64_MAX;)
    batch.records[i].stamp = least; // nothing younger is known: the expander keeps times in order
}

namespace detail {

inline void add(RecordBatch &batch, const Place &p, const ada_chunk &chunk, uint64_t place, uint64_t cursorPlace) {
  batch.records[batch.count] = {p.isComplete() ? p.stamp : UINT64_MAX, p.what};
  batch.details[batch.count] = p.isComplete() ? detailOf(recordsOf(chunk) + place) : nullptr;
  batch.places[batch.count++] = static_cast<uint16_t>(cursorPlace);
}

// Takes the oldest complete record in the runs as the batch's only one, if it is not younger than `limit` and its turn
// has come. `limit` is the stamp of the next record, if there is one. `atEnd`: there is nothing else to take.
inline bool takeFromRuns(ThreadWalk &w, uint64_t limit, uint64_t openCalls, bool atEnd, RecordBatch &batch) {
  Place best = {UINT64_MAX, 0, 0};
  for (uint32_t i = 0; i < w.runCount; ++i) {
    const Run &run = w.runs[i];
    for (uint64_t at = run.begin; at < run.end;) {
      const Place p = placeAt(*run.chunk, at);
      if (p.isComplete() && p.stamp <= limit && p.stamp <= best.stamp)
        best = p, w.takenRun = i + 1, w.takenPlace = static_cast<uint16_t>(at);
      at += p.units;
    }
  }
  if (w.takenRun == 0)
    return false;
  const Run &run = w.runs[w.takenRun - 1];
  if ((best.stamp <= w.newestStamp || best.stamp == limit) && openCalls != run.depth && !atEnd) {
    w.takenRun = 0;
    return false;
  }
  if (hasPosition(best.what)) // the known stack position is that of its place
    best.what &= (1ull << kPositionShift) - 1;
  add(batch, best, *run.chunk, w.takenPlace, w.place);
  return true;
}

inline void passRun(ThreadWalk &w, const WalkRules &rules) {
  uint64_t end = w.place;
  while (end < ADA_CHUNK_RECORDS && placeAt(*w.chunk, end).isEmpty())
    ++end;
  if (end > w.place && !rules.dead) {
    if (w.runCount == ADA_RING_RUNS) {
      // Handlers that interrupt each other do not go so deep: the oldest was left by a jump that nothing proves.
      ++w.droppedRuns;
      for (uint32_t i = 1; i < w.runCount; ++i)
        w.runs[i - 1] = w.runs[i];
      --w.runCount;
    }
    if (w.runCount == 0)
      w.newestStamp = 0;
    w.runs[w.runCount++] = {w.chunk, w.seq, rules.openCalls, static_cast<uint16_t>(w.place),
                            static_cast<uint16_t>(end)};
    w.hold.add(w.place, rules.openCalls);
  }
  w.place = end;
}

} // namespace detail

// Puts records from `w.place` on into the batch, in the order of their events, and moves `w.place` past them.
// After WalkEnd::Split, call it again once the batch is expanded and settled.
inline WalkEnd takeRecords(ThreadWalk &w, const WalkRules &rules, RecordBatch &batch) {
  uint64_t newest = 0, behind = UINT64_MAX;
  WalkEnd end = WalkEnd::Chunk;
  batch.count = 0, batch.inverted = false;
  while (w.place < ADA_CHUNK_RECORDS) {
    const Place p = placeAt(*w.chunk, w.place);
    if (p.isComplete()) {
      if (p.stamp > rules.limitStamp) {
        end = WalkEnd::Younger, behind = rules.limitStamp;
        break;
      }
      if (__builtin_expect(w.runCount > 0, 0)) {
        if (batch.count > 0) { // one at a time, so that rules.openCalls is true for each
          end = WalkEnd::Split, behind = p.stamp;
          break;
        }
        // After this record was seen, so that records completed before it are seen as well.
        if (detail::takeFromRuns(w, p.stamp, rules.openCalls, false, batch)) {
          end = WalkEnd::Split, behind = p.stamp;
          break;
        }
        if (p.stamp > w.newestStamp)
          w.newestStamp = p.stamp;
      }
      if (__builtin_expect(batch.count == rules.most, 0)) {
        end = WalkEnd::Split, behind = p.stamp;
        break;
      }
      batch.inverted |= p.stamp < newest;
      newest = p.stamp;
      detail::add(batch, p, *w.chunk, w.place, w.place);
      w.place += p.units;
      continue;
    }
    if (!rules.closed) {
      if (!isPassed(*w.chunk, w.place, rules.dead)) {
        end = WalkEnd::Reserved;
        break;
      }
      // It may have been completed since `p` was read, before the records after it were.
      if (placeAt(*w.chunk, w.place).isComplete())
        continue;
    }
    if (batch.count > 0) { // so that rules.openCalls is true for it
      end = WalkEnd::Split, behind = stampFrom(*w.chunk, w.place);
      break;
    }
    if (w.runCount > 0) { // records older than the next record there is
      uint64_t limit = stampFrom(*w.chunk, w.place);
      if (limit == UINT64_MAX && rules.successor)
        limit = stampFrom(*rules.successor, 0);
      if (limit > rules.limitStamp)
        limit = rules.limitStamp;
      if (detail::takeFromRuns(w, limit, rules.openCalls, false, batch)) {
        end = WalkEnd::Split, behind = limit;
        break;
      }
    }
    if (p.what == 0) {
      detail::passRun(w, rules);
      continue;
    }
    // Alone, so that the stack after it is known: its own exit proves nothing about it.
    detail::add(batch, p, *w.chunk, w.place, w.place);
    batch.inverted = true;
    w.passedPlace = rules.dead ? 0 : static_cast<uint16_t>(w.place + 1);
    w.place += p.units;
    end = WalkEnd::Split, behind = stampFrom(*w.chunk, w.place);
    break;
  }
  if (behind == UINT64_MAX && rules.successor && end != WalkEnd::Reserved)
    behind = stampFrom(*rules.successor, 0);
  order(batch, behind, w.chunk->start_stamp);
  return end;
}

// For a walk that is at its end for now (Reserved, or Chunk without a successor) with an empty batch:
// takes a record of a run that has become complete. True if the batch has one, or if there is more to read before it:
// then call takeRecords() again.
inline bool takeLate(ThreadWalk &w, const WalkRules &rules, RecordBatch &batch) {
  if (w.runCount == 0 || !detail::takeFromRuns(w, rules.limitStamp, rules.openCalls, true, batch))
    return false;
  // Its handler has returned. If the handler recorded more than has been read, that comes first.
  const bool atEnd = w.place >= ADA_CHUNK_RECORDS;
  const bool more =
      !rules.dead && (atEnd ? !rules.successor && __atomic_load_n(&w.chunk->next, __ATOMIC_ACQUIRE) != 0
                            : placeAt(*w.chunk, w.place).isComplete() || isPassed(*w.chunk, w.place, false));
  if (more)
    w.takenRun = 0, batch.count = 0;
  return true;
}

// After a batch has been expanded: forgets what it has settled.
inline void settle(ThreadWalk &w, const ThreadExpansion &state) {
  if (w.takenRun > 0) {
    // The hook was resumed, so all that was reserved after it is over.
    w.runs[w.takenRun - 1].end = w.takenPlace;
    w.runCount = w.takenPlace > w.runs[w.takenRun - 1].begin ? w.takenRun : w.takenRun - 1;
    w.takenRun = 0;
  }
  while (w.runCount > 0 && w.runs[w.runCount - 1].depth > state.floor)
    --w.runCount;
  if (w.hold.count > 0 && w.hold.isOver(*w.chunk, state.floor))
    w.hold = {};
  if (w.passedPlace > 0) {
    w.hold.add(w.passedPlace - 1u, state.stack.depth);
    w.passedPlace = 0;
  }
}

// For recovery: the runs of a cursor, found in the thread's `count` chunks. Nothing in the cursor is trusted.
inline void restoreRuns(ThreadWalk &w, const ada_ring_cursor &cursor, const ada_chunk *const *chunks, size_t count) {
  w.newestStamp = cursor.newest_stamp;
  for (const ada_ring_run &run : cursor.runs)
    for (size_t i = 0; i < count; ++i)
      if (run.begin < run.end && run.end <= ADA_CHUNK_RECORDS && static_cast<uint32_t>(chunks[i]->seq) == run.seq &&
          w.runCount < ADA_RING_RUNS)
        w.runs[w.runCount++] = {chunks[i], chunks[i]->seq, run.depth, run.begin, run.end};
}

// The address of the last STACK record before a place. A chunk's first call comes after one.
inline uint64_t stackBaseAt(const ada_chunk &chunk, uint64_t end) {
  uint64_t base = 0;
  for (uint64_t place = 0; place < end && place < ADA_CHUNK_RECORDS;) {
    const Place p = placeAt(chunk, place);
    if (kindOf(p.what) == ADA_RECORD_STACK)
      base = p.what & kPayloadMask;
    place += p.units;
  }
  return base;
}

// For recovery: takes everything that a dead thread's journal does not count as written.
// `chunks` are the thread's, by sequence number; `state` is what the journal and the file say about it.
// `expandBatch()` expands the batch with that state.
template <class Expand>
inline void takeRest(const ada_chunk *const *chunks, size_t count, const ada_ring_cursor &cursor,
                     ThreadExpansion &state, RecordBatch &batch, Expand &&expandBatch) {
  ThreadWalk walk;
  restoreRuns(walk, cursor, chunks, count);
  for (size_t n = 0; n < count; ++n) {
    if (chunks[n]->seq < cursor.chunk_seq)
      continue;
    walk.chunk = chunks[n], walk.seq = chunks[n]->seq;
    walk.place = walk.seq == cursor.chunk_seq ? cursor.record : 0;
    if (walk.place > 0)
      state.stackBase = stackBaseAt(*walk.chunk, walk.place);
    const bool isLast = n + 1 == count;
    for (bool more = true; more;) {
      const WalkRules rules{UINT64_MAX, isLast ? nullptr : chunks[n + 1], !isLast, true, state.stack.depth};
      more = takeRecords(walk, rules, batch) == WalkEnd::Split || batch.count > 0;
      if (!more && isLast)
        more = takeLate(walk, rules, batch);
      expandBatch();
      settle(walk, state);
      state.floor = state.stack.depth;
    }
  }
}

// Which of a thread's two cursors is valid for an index file with that many events: see ada_ring_thread.
inline unsigned cursorFor(const ada_ring_thread &thread, uint64_t eventsInFile) {
  const unsigned current = thread.current & 1;
  const ada_ring_cursor &now = thread.cursor[current], &next = thread.cursor[1 - current];
  return next.events > now.events && eventsInFile >= next.events ? 1 - current : current;
}

} // namespace ada::ring
