// Reads the ring while the program writes to it.
#include "ring_reader.h"

namespace ada {

int RingReader::Desk::start() {
  batch_.records = (ada_record *)sys::mapMemory(ADA_CHUNK_RECORDS * sizeof *batch_.records);
  batch_.details = (const ada_detail **)sys::mapMemory(ADA_CHUNK_RECORDS * sizeof *batch_.details);
  batch_.places = (uint16_t *)sys::mapMemory(ADA_CHUNK_RECORDS * sizeof *batch_.places);
  if (!batch_.records || !batch_.details || !batch_.places)
    return -ENOMEM;
  return 0;
}

void RingReader::Desk::reset() {
  auto unmap = [](void *memory, size_t bytes) {
    if (memory)
      sys::unmap(memory, bytes);
  };
  unmap(batch_.records, ADA_CHUNK_RECORDS * sizeof *batch_.records);
  unmap(batch_.details, ADA_CHUNK_RECORDS * sizeof *batch_.details);
  unmap(batch_.places, ADA_CHUNK_RECORDS * sizeof *batch_.places);
  *this = Desk();
}

void RingReader::sit(Desk &desk) const {
  desk.clock_ = clock_;
  if (desk.modulesVersion_ == modulesVersion_)
    return;
  desk.modules_.update(ring_->modules(), __atomic_load_n(&ring_->header().modules_used, __ATOMIC_ACQUIRE));
  desk.modulesVersion_ = modulesVersion_;
}

void RingReader::start(Ring &ring) {
  ring_ = &ring;
  clock_.update(ring.anchors(), 0);
  takeAnchor();
}

void RingReader::reset() {
  for (uint64_t i = 0; i < threads_.ready(); ++i) {
    if (const ring::CallStack &stack = threads_[i].expansion.stack; stack.frames)
      sys::unmap(stack.frames, stack.capacity * sizeof(ring::Frame));
    if (threads_[i].expansion.gaps.list)
      sys::unmap(threads_[i].expansion.gaps.list, sizeof(ring::GapList));
  }
  threads_.release();
  *this = RingReader();
}

void RingReader::begin(uint64_t slot) {
  Thread &t = threads_[slot];
  ring::CallStack stack = t.expansion.stack; // memory is kept from the slot's previous thread
  ring::GapList *gaps = t.expansion.gaps.list;
  t = Thread();
  t.expansion.stack = stack;
  t.expansion.stack.depth = 0;
  t.expansion.gaps.list = gaps, t.expansion.gaps.makeList = makeGapList, t.expansion.gaps.startNs = lastPassNs_;
  if (gaps)
    gaps->count = 0;
  t.expansion.leastNs = ring_->header().least_ns, t.expansion.mostDepth = ring_->header().most_depth;
  t.active = true;
}

void RingReader::end(uint64_t slot) {
  Thread &t = threads_[slot];
  t.releaseAll(*this);
  if (uint32_t notes = ring_->threads()[slot].notes_chunk)
    ring_->giveBack(ring_->chunk(notes - 1));
  t.active = false;
  ring_->giveBack(&ring_->threads()[slot]);
}

ring::Frame *RingReader::growStack(ring::Frame *old, size_t oldCapacity, size_t newCapacity) {
  size_t bytes = newCapacity * sizeof(ring::Frame);
  if (!old)
    return (ring::Frame *)sys::mapMemory(bytes);
  long p = sys::call(SYS_mremap, old, oldCapacity * sizeof(ring::Frame), bytes, MREMAP_MAYMOVE);
  return p < 0 && p > -4096 ? nullptr : (ring::Frame *)p;
}

//===--- time and modules -------------------------------------------------===//

void RingReader::takeAnchor() {
  lastPassNs_ = beginStamp_ ? limitNs() : 0;
  if (ring_->usesSystemClock()) {
    beginStamp_ = limitStamp_ = sys::nowNs(); // stamps are times already: no anchors
    return;
  }
  // The pair whose two counter readings are closest together is the most accurate.
  ada_anchor best = {0, 0};
  uint64_t bestWidth = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    uint64_t before = arch::readCounter(), now = sys::nowNs(), after = arch::readCounter();
    if (after - before < bestWidth)
      bestWidth = after - before, best = {before + (after - before) / 2, now};
  }
  uint64_t used = ring_->header().anchors_used;
  if (used > 0) {
    constexpr uint64_t kNoise = 1u << 22; // about a millisecond; a smaller step is soon over
    const ada_anchor &last = ring_->anchors()[(used - 1) % ADA_RING_ANCHORS];
    if (isBack_ || (best.counter < last.counter && last.counter - best.counter > kNoise)) {
      goBack(best);
      return;
    }
    if (best.counter <= last.counter)
      best.counter = last.counter + 1;
    if (best.time_ns < last.time_ns)
      best.time_ns = last.time_ns;
  }
  ring_->addAnchor(best);
  clock_.update(ring_->anchors(), used + 1, ring_->header().anchors_from);
  beginStamp_ = best.counter;
  limitStamp_ = isUneven_ ? UINT64_MAX : beginStamp_;
}

// First reads everything that was recorded before, with the old times. Newer records seem to be old: each gets the time
// of the record before it. Then times start anew.
void RingReader::goBack(ada_anchor now) {
  ada_ring_header &h = ring_->header();
  constexpr uint64_t kSecond = 1000000000;
  if (!isBack_) {
    isBack_ = true, hasPassed_ = false;
    __atomic_add_fetch(&h.counter_faults, 1, __ATOMIC_RELAXED);
    if (h.times != ADA_TIMES_EXACT) // the word must not stay ahead; a ticker sets it again
      __atomic_store_n(&ada_tick, h.times == ADA_TIMES_NONE ? now.counter : 0, __ATOMIC_RELEASE);
  } else if (hasPassed_) {
    isBack_ = false;
    const uint64_t second = clock_.countsIn(kSecond), ago = second < now.counter ? second : now.counter;
    const uint64_t agoNs = (uint64_t)((unsigned __int128)ago * kSecond / (second ? second : 1));
    ring_->forgetStamps();
    ring_->addAnchor({now.counter - ago, now.time_ns - agoNs});
    ring_->addAnchor(now);
    clock_.update(ring_->anchors(), h.anchors_used, h.anchors_from);
    modulesSeen_ = UINT64_MAX;                    // modules' stamps have changed
    for (uint64_t i = 0; i < h.threads_used; ++i) // so have those of threads' current chunks
      if (const ada_chunk *chunk = threads_[i].active ? threads_[i].walk.chunk : nullptr;
          chunk && chunk->start_stamp > now.counter)
        const_cast<ada_chunk *>(chunk)->start_stamp = now.counter - ago;
  }
  beginStamp_ = now.counter;
  limitStamp_ = isBack_ || isUneven_ ? UINT64_MAX : beginStamp_;
}

void RingReader::publish(Desk &desk, uint64_t slot) {
  threads_[slot].publish(*this, ring_->threads()[slot]);
  if (limitStamp_ == UINT64_MAX || ring_->usesSystemClock())
    return;
  // A thread whose counter is far ahead of ours, or faster, would be read too late and would have to wait for that.
  const ring::ThreadWalk &w = threads_[slot].walk;
  constexpr uint64_t kSecond = 1000000000;
  const uint64_t next = w.chunk ? __atomic_load_n(&w.chunk->next, __ATOMIC_ACQUIRE) : 0;
  uint64_t stamp = w.chunk && w.place < ADA_CHUNK_RECORDS ? ring::placeAt(*w.chunk, w.place).stamp : 0;
  if (next)
    stamp = ring_->chunk(next - 1)->start_stamp;
  const uint64_t second = desk.clock_.countsIn(kSecond);
  if (stamp > limitStamp_ && stamp - limitStamp_ > second && stamp > arch::readCounter() + second) {
    __atomic_store_n(&isUneven_, true, __ATOMIC_RELAXED);
    __atomic_add_fetch(&ring_->header().counter_faults, 1, __ATOMIC_RELAXED);
  }
}

// Not yet if the hold lasts beyond the end of the clock map: the chunk's records are not older, so they are left to the
// next pass as well.
bool RingReader::takeHeldOf(Desk &desk, Thread &t, ring::Held &held) {
  const ada_chunk &chunk = *t.walk.chunk;
  if (chunk.held_to > t.rules.limitStamp && t.walk.place == 0)
    return false;
  t.heldSeq = t.walk.seq + 1;
  held = ring::heldFor(chunk, desk.clock_, t.expansion.lastNs, /*isLastEvent=*/t.walk.seq > 0,
                       ring_->header().times == ADA_TIMES_TICK);
  return held.placedNs() + held.missingNs > 0;
}

bool RingReader::takeHeldAtEnd(Desk &desk, uint64_t slot, ring::Held &held) {
  const Thread &t = threads_[slot];
  uint64_t &since = ring_->threads()[slot].held_at_end;
  const uint64_t from = t.active ? __atomic_exchange_n(&since, 0, __ATOMIC_RELAXED) : 0;
  if (from == 0 || from >= beginStamp_)
    return false;
  ada_chunk wait = {};
  wait.held_from = from, wait.held_to = wait.start_stamp = beginStamp_, wait.held_reason = ADA_HELD_OTHER;
  held = ring::heldFor(wait, desk.clock_, t.expansion.lastNs, /*isLastEvent=*/true, /*isTick=*/false);
  return true;
}

bool RingReader::takeModules() {
  uint64_t published = ring_->modulesPublished();
  if (published == modulesSeen_)
    return false;
  modulesSeen_ = published;
  ++modulesVersion_;
  return true;
}

//===--- the journal ------------------------------------------------------===//

void RingReader::fillCursor(uint64_t slot, uint64_t events, uint64_t place, unsigned half, ada_ring_cursor &cursor) {
  Thread &t = threads_[slot];
  t.fillCursor(events, place, t.expansion.hasNotes ? notesOf(slot, half) : nullptr, ADA_CHUNK_NOTES_PER_CURSOR, cursor);
  ring_->threads()[slot].left_out[half] = t.expansion.leftOut;
  ring_->threads()[slot].lost_in_gaps[half] = t.expansion.gaps.threadLost;
}

// Memory for what recovery can't learn from the file about the open calls; null if there is none.
ada_ring_note *RingReader::notesOf(uint64_t slot, unsigned half) {
  ada_ring_thread &thread = ring_->threads()[slot];
  if (thread.notes_chunk == 0) {
    ada_chunk *chunk;
    if (!ring_->takeChunkForDrain(chunk))
      return nullptr;
    chunk->thread = thread.index;
    __atomic_store_n(&chunk->state, ADA_CHUNK_NOTES, __ATOMIC_RELEASE);
    thread.notes_chunk = (uint32_t)ring_->numberOf(chunk) + 1;
  }
  return (ada_ring_note *)(ring_->chunk(thread.notes_chunk - 1) + 1) + half * ADA_CHUNK_NOTES_PER_CURSOR;
}

} // namespace ada
