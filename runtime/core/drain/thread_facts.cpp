// Gathers what is known about a thread, and takes it to the next part of the trace.
#include "core/facts/process_info.h"
#include "process_writer.h"
#include "shared/ring/losses.h"
#include "shared/ring/tables.h"
#include "thread_writer.h"

namespace ada::runtime {

void ThreadWriter::gatherFacts(bool isPartDone) {
  ThreadFacts *const facts = process_->facts().add(number_);
  if (!facts)
    return;
  ThreadFacts &f = *facts;
  f.number = number_, f.tid = slot_->tid;
  __builtin_memcpy(f.name, slot_->name, sizeof f.name);
  f.events = index_.events(), f.removed = index_.removed(), f.details = detail_.events();
  f.timeStart = index_.timeStart(), f.timeEnd = index_.timeEnd();
  f.before = before_;
  f.leftOut = slot_->left_out[slot_->current] - before_.leftOut;
  f.inferred = slot_->inferred[slot_->current] - before_.inferred;
  f.strays = reader_.expansion.strayExits - before_.strays;
  ring::GapLog &gaps = reader_.expansion.gaps;
  ada_ring_thread seen; // a copy: the thread continues to count
  for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
    seen.lost[r] = __atomic_load_n(&slot_->lost[r], __ATOMIC_RELAXED);
  if (isPartDone)
    for (uint64_t later = ring::lostByThread(seen) - gaps.threadLost, r = 0; r < ADA_LOST_REASONS; ++r) {
      const uint64_t less = later < seen.lost[r] ? later : seen.lost[r];
      seen.lost[r] -= less, later -= less;
    }
  lostByIt_ = ring::lostByThread(seen);
  ring::lossesAt(seen, slot_->cursor[slot_->current], f.lostInAll);
  f.found = 0;
  for (unsigned r = 0; r < ADA_LOST_REASONS; ++r) {
    const uint64_t all = f.lostInAll[r], before = before_.lost[r];
    f.lost[r] = all > before ? all - before : 0;
    f.found += all < before ? before - all : 0;
  }
  f.held = sched_->heldInAll(isPartDone);
  f.sched = sched_->kept();
  f.live = this;
  if (gaps.list && f.removed > 0 && !process_->parts().active())
    gaps.list->removeBefore(f.timeStart); // they would displace other gaps
  if (f.name[0] == 0) {                   // still running, or ended without notice
    readThreadName(f.tid, slot_->comm);
    __builtin_memcpy(f.name, slot_->comm, sizeof f.name);
  }
}

void FactsOfThreads::listGaps(const ThreadFacts &f, ring::GapList &list) const {
  if (f.live)
    return f.live->listGaps(list);
  list.count = 0;
  for (uint64_t i = 0; i < f.gapCount; ++i)
    list.gaps[list.count++] = gaps_[f.gapsAt + i];
}

void ThreadWriter::listGaps(ring::GapList &list) const {
  const ring::GapLog &log = reader_.expansion.gaps;
  list.count = 0;
  if (log.list)
    for (size_t i = 0; i < log.list->count; ++i)
      list.gaps[list.count++] = log.list->gaps[i];
  if (ring::Gap last; readToNs_ > 0 && log.last(lostByIt_, readToNs_, last))
    list.add(last);
  if (unwritten_ > 0) { // everything after the last event in the file
    const uint64_t fromNs = index_.events() > 0 ? index_.timeEnd() : log.startNs;
    const uint64_t readToNs = log.lastEventNs > readToNs_ ? log.lastEventNs : readToNs_;
    list.addLast({fromNs, readToNs > fromNs ? readToNs : fromNs, unwritten_});
  }
}

int ThreadWriter::makeNext(const char *directory, unsigned char *buffer) {
  return index_.exists() ? index_.packed()->makeNext(directory, buffer) : 0;
}

void ThreadWriter::goOn() {
  if (number_ < process_->facts().count())
    before_ = process_->facts()[number_].beforeNext();
  // Losses since the last event were already reported: see listGaps().
  const ring::GapLog &log = reader_.expansion.gaps;
  if (readToNs_ > 0) {
    ring::Gap last = {0, 0, 0};
    (void)log.last(lostByIt_, readToNs_, last);
    before_.gapNs = last.toNs, before_.gapEvents = last.events;
  }
  if (index_.exists())
    index_.packed()->goOn(process_->place());
  detail_.begin(process_->place(), number_, slot_->tid, ring::detailVersion(ring_->header().format),
                process_->detailsOf(slotNumber_));
  if (log.list)
    log.list->count = 0;
  sched_->goOn();
}

} // namespace ada::runtime
