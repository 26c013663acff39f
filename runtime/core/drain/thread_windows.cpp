// Detail of one thread that waits for a trigger.
#include "core/images/images.h"
#include "process_writer.h"
#include "thread_writer.h"

namespace ada::runtime {

// With windows, before an event is encoded.
void ThreadWriter::lookForTriggers(Workspace &work, const ring::Event &e, const ada_detail *detail) {
  Windows &windows = process_->windows();
  const uint8_t rules = process_->images().triggersOf(e.functionId);
  const bool isCaught = rules && windows.look(e, rules, number_);
  if (e.kind != ring::kCall)
    if (const RetainedDetails::Entry *held = retained_.unwatch(e.depth, isCaught); held && isCaught) {
      if (held->index_seq >= index_.events()) // its index event must be in the file to be linked
        writeEvents(work);
      writeDetail(work, *held);
    }
  if (detail)
    retain(work, e, *detail, e.kind == ring::kCall && (rules & windows.slowRules()));
}

// Keeps the detail of the next index event. If memory is short, the thread's oldest entries make room.
void ThreadWriter::retain(Workspace &work, const ring::Event &e, const ada_detail &d, bool isWatched) {
  alignas(8) unsigned char bytes[DetailFile::kMaxBytes];
  unsigned count = 0;
  const uint64_t seq = events(work);
  const size_t n = detail_.encode(bytes, e, d, seq, count);
  const RetainedDetails::Entry entry = {e.timestampNs, seq, static_cast<uint32_t>(n), static_cast<uint8_t>(count),
                                        RetainedDetails::State::Plain};
  DetailPool &pool = process_->pool();
  if (!retained_.keep(pool, number_, entry, bytes)) {
    if (retained_.oldest()) {
      // Wanted entries of the oldest block can only be linked once their index events are written.
      writeEvents(work);
      for (const void *block = retained_.oldestBlock(); block && retained_.oldestBlock() == block;)
        dispose(work, process_->windows().fateOf(retained_.oldest()->ns, 0));
      flushDetail(work);
    }
    if (!retained_.keep(pool, number_, entry, bytes)) {
      noteDropped(e.timestampNs);
      if (isWatched)
        retained_.watch(e.depth, entry, bytes);
      return;
    }
  }
  if (!retained_.newestIsSafe()) {
    process_->windows().noteUnsafe(e.timestampNs);
    noteGone(e.timestampNs);
  }
  if (isWatched)
    retained_.watch(e.depth);
}

void ThreadWriter::noteDropped(uint64_t ns) {
  process_->windows().noteDropped(ns);
  noteGone(ns);
}

void ThreadWriter::noteGone(uint64_t ns) {
  if (uint64_t &gone = ring_->header().detail_gone_ns; ns > gone)
    __atomic_store_n(&gone, ns, __ATOMIC_RELAXED);
}

// Removes the oldest entry, and writes it if a window or a slow call needs it.
void ThreadWriter::dispose(Workspace &work, Windows::Fate fate) {
  const RetainedDetails::Entry &e = *retained_.oldest();
  if (fate == Windows::Fate::Write || e.state == RetainedDetails::State::Wanted) {
    writeDetail(work, e);
    if (e.state == RetainedDetails::State::Watched)
      retained_.forgetOldest();
  } else if (e.state != RetainedDetails::State::Watched || !retained_.holdOldest())
    noteDropped(e.ns);
  retained_.removeOldest();
}

void ThreadWriter::writeWindows(Workspace &work, uint64_t undrainedNs) {
  while (const RetainedDetails::Entry *e = retained_.oldest()) {
    const Windows::Fate fate = process_->windows().fateOf(e->ns, undrainedNs);
    if (fate == Windows::Fate::Wait && e->state != RetainedDetails::State::Wanted)
      break;
    dispose(work, fate);
  }
  flushDetail(work);
}

// Adds an entry to the workspace. Its index event is already in the file: the link is set when the detail is written.
void ThreadWriter::writeDetail(Workspace &work, const RetainedDetails::Entry &e) {
  if (process_->failed())
    return;
  if (work.details.bytes + e.bytes > Workspace::kDetailBytes || work.linkCount == Workspace::kMaxLinks)
    flushDetail(work);
  const uint64_t link = detail_.events() + work.details.events;
  if (!detail_.canLink(e.index_seq, link) || e.index_seq >= index_.events())
    return;
  __builtin_memcpy(work.detailBytes + work.details.bytes, RetainedDetails::dataOf(e), e.bytes);
  work.details.add({e.count, e.bytes, e.ns, e.ns, e.index_seq, e.index_seq});
  work.links[work.linkCount++] = {e.index_seq, link};
}

} // namespace ada::runtime
