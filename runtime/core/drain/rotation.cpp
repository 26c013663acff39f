// The step from one part of a trace to the next (option rotate).
//
// A kill may come between any two steps. The ring's header says which directory the journals refer to, and a single
// store changes that. So everything that is needed after the store is created before it, and everything that was needed
// before it stays until the store is done:
//
//   1. All files get their footers; the manifest says that the trace continues in the next part. After a kill, recovery
//      takes the ring's records into these files, as into any others, and the manifest says how the process ended.
//   2. The next directory is created: an index file for each thread, with the calls that are open and no event; the
//      manifest; the link to the ring. After a kill, the same happens, and there is an additional part without events.
//   3. The store. After a kill, recovery takes the ring's records into the next part, and finds the current one
//      complete.
//   4. The current directory's link to the ring is removed.
#include "core/base/json.h"
#include "core/session/images.h"
#include "session_writer.h"
#include "shared/manifest_keys.h"
#include "shared/ring/losses.h"
#include "shared/ring/tables.h"

namespace ada {

bool SessionWriter::rotate(Batch &batch) {
  if (!parts_.active() || failed())
    return false;
  const ada_ring_header &h = ring_->header();
  const uint64_t now = sys::nowNs();
  if (!parts_.isDue(now, h.bytes_written, h.events_written) || parts_.isPausing(now))
    return false;
  bool isWrong = false; // the manifest says that the trace continues elsewhere
  int error = parts_.makeNext();
  if (error == 0) {
    if (ownFiles_)
      ring_->holdNext(parts_.next());
    finishFiles();
    const bool isFinished = !failed() && (error = tryManifest(Ending::Rotated, 0)) == 0;
    if (isFinished && (error = makeNextPart(batch)) == 0) {
      enterNextPart();
      return true;
    }
    parts_.dropNext();
    ring_->letGo(/*hasBegun=*/false);
    isWrong = isFinished;
  }
  // The current part continues, and its manifest says why; that may fail if there is no room.
  parts_.pause(error);
  if (isWrong)
    writeManifest(Ending::Running, 0);
  else if (!failed())
    tryManifest(Ending::Running, 0);
  return true;
}

int SessionWriter::makeNextPart(Batch &batch) {
  const uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  int error = 0;
  for (uint64_t i = 0; i < used && error == 0; ++i)
    if (Thread &t = threads_[i]; t.active && t.index.exists())
      error = t.index.packed()->makeNext(parts_.next(), batch.events_);
  if (error == 0)
    error = tryManifest(Ending::Rotated, 0, parts_.next());
  if (error == 0) // after the manifest, which shows recovery that this is a part
    error = linkRing();
  return error == 0 ? parts_.enterNext() : error;
}

// If the ring is a file beside the trace, it gets another name, because the directory of this part may be deleted.
int SessionWriter::linkRing() {
  const Path link = Path(parts_.next()) << "/ring";
  if (ringIsBeside_)
    return (int)sys::call(SYS_linkat, AT_FDCWD, (Path(place_) << "/ring").c_str(), AT_FDCWD, link.c_str(), 0);
  return (int)sys::call(SYS_symlinkat, ring_->path(), AT_FDCWD, link.c_str());
}

void SessionWriter::enterNextPart() {
  ada_ring_header &h = ring_->header();
  __atomic_store_n(&h.events_before, h.events_written, __ATOMIC_RELAXED);
  __atomic_store_n(&h.bytes_before, h.bytes_written, __ATOMIC_RELAXED);
  __atomic_store_n(&h.lost_before, h.events_lost, __ATOMIC_RELAXED);
  __atomic_store_n(&h.directory_number, parts_.directoryNumber(), __ATOMIC_RELEASE);
  sys::unlink((Path(parts_.left()) << "/ring").c_str());
  if (ringIsBeside_)
    ring_->setPath((Path(directory_) << "/ring").c_str());
  ring_->letGo(/*hasBegun=*/true);
  parts_.begin(h.bytes_written, h.events_written);
  sched_.beginPart();
  const uint64_t used = __atomic_load_n(&h.threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < summaryCount_; ++i) // ended threads belong to the other parts
    if (const Summary &s = summaries_[i]; !s.isLive)
      summaries_[i].tid = 0;
  gapCount_ = 0;
  for (uint64_t i = 0; i < used; ++i) {
    Thread &t = threads_[i];
    if (!t.active)
      continue;
    if (t.number < summaryCount_)
      t.before = beforeNext(summaries_[t.number]);
    // Losses since the last event were already reported: see listGaps().
    const ring::GapLog &log = t.expansion->gaps;
    if (t.readToNs > 0) {
      ring::Gap last = {0, 0, 0};
      (void)log.last(t.lostByIt, t.readToNs, last);
      t.before.gapNs = last.toNs, t.before.gapEvents = last.events;
    }
    if (t.index.exists())
      t.index.packed()->goOn(place_);
    const ada_ring_thread &from = ring_->threads()[i];
    t.detail.begin(place_, from.index, from.tid, ring::detailVersion(h.format), &details_[i]);
    if (log.list)
      log.list->count = 0;
    sched_.goOn(i);
  }
  unattachedBefore_ = unattachedTold_, lateBefore_ = lateTold_;
  lostEndedBefore_ = h.events_ended, leftOutEndedBefore_ = h.left_out_ended;
}

//===--- what the manifest says of it -------------------------------------===//

SessionWriter::Before SessionWriter::beforeNext(const Summary &s) {
  Before before = s.before;
  for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
    before.lost[r] = s.lostInAll[r];
  before.leftOut += s.leftOut;
  return before;
}

namespace {

struct Lost {
  const char *reason;
  uint64_t count;
};

template <size_t N> void writeDropped(JsonWriter &json, const Lost (&all)[N]) {
  bool any = false;
  for (const Lost &lost : all) {
    if (lost.count == 0)
      continue;
    if (!any)
      json.beginObject(manifest::kDropped);
    any = true;
    json.number(lost.reason, lost.count);
  }
  if (any)
    json.endObject();
}

} // namespace

void SessionWriter::writeBefore(JsonWriter &json, uint64_t events, const Before &before) {
  json.beginObject(manifest::kBefore).number(manifest::kEventCount, events);
  if (before.leftOut)
    json.number(manifest::kLeftOutCount, before.leftOut);
  Lost lost[ADA_LOST_REASONS];
  for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
    lost[r] = {manifest::kLossReasons[r], before.lost[r]};
  writeDropped(json, lost);
  json.endObject();
}

// Writes the threads of the next part, before anything is in it.
void SessionWriter::writeNextThreads(JsonWriter &json) {
  json.line().beginArray(manifest::kThreads);
  const uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < used; ++i) {
    const Thread &t = threads_[i];
    if (!t.active || t.number >= summaryCount_)
      continue;
    const Summary &s = summaries_[t.number];
    json.line().beginObject();
    json.number(manifest::kId, s.number).boolean(manifest::kHasDetail, false);
    json.number(manifest::kTid, s.tid).text(manifest::kName, s.name).number(manifest::kEventCount, 0);
    writeBefore(json, s.events, beforeNext(s));
    json.endObject();
  }
  json.endArray();
}

void SessionWriter::writePart(JsonWriter &json, bool isNext, bool goesOn) {
  const ada_ring_header &h = ring_->header();
  parts_.beginManifest(json, isNext, goesOn);
  json.beginObject(manifest::kBefore);
  if (const uint64_t leftOut = isNext ? h.left_out_ended : leftOutEndedBefore_)
    json.number(manifest::kLeftOutCount, leftOut);
  const Lost lost[] = {{manifest::kUnattachedReason, isNext ? unattachedTold_ : unattachedBefore_},
                       {manifest::kLateReason, isNext ? lateTold_ : lateBefore_},
                       {manifest::kForgottenReason, isNext ? h.events_ended : lostEndedBefore_}};
  writeDropped(json, lost);
  json.endObject().endObject();
}

} // namespace ada
