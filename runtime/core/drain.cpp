// drain.cpp - the drain thread. Raw system calls only; see os/linux/drain_thread.h for what it must not do.
#include "drain.h"
#include "images.h"
#include "message.h"
#include "options.h"
#include "text.h"
#include "drain_thread.h"

namespace ada {
namespace {

constexpr uint64_t kBatchEvents = 32768; // 1 MiB to write at once
constexpr size_t kDetailBatchBytes = 1 << 20;
constexpr uint64_t kMostSummaries = 1u << 24;
constexpr uint64_t kAbandonedNs = 200000000; // a slot unstamped for so long in a closed chunk was left by longjmp
constexpr unsigned kMostToGiveBack = 64;

} // namespace

struct Drain::ThreadState {
  bool active;
  uint32_t index;
  ada_chunk *chunk;     // being read; null before the first
  uint64_t record;      // next record of it
  uint64_t chunkSeq;
  uint64_t waitingSince; // for the stamp of a slot in a closed chunk; 0 if not
  bool quarantine;      // this chunk has such a slot and is never used again
  bool ended;
  bool behind; // there was more than one pass takes
  ring::ThreadExpansion expansion;
  IndexFile file;
  DetailFile detail;
  Retained retained; // with windows
  ada_chunk *done[kMostToGiveBack]; // read, to be given back once the events are written
  unsigned doneCount;
};

int Drain::start(Ring &ring, Images &images, const Options &options, const TriggerRules &triggers, const char *directory) {
  ring_ = &ring, images_ = &images, options_ = &options, directory_ = directory;
  threads_ = (ThreadState *)sys::mapMemory(ADA_RING_THREADS * sizeof(ThreadState));
  // Address space only; less where that is limited (ulimit -v).
  for (uint64_t n = kMostSummaries; !summaries_ && n >= ADA_RING_THREADS; n /= 16) {
    summaries_ = (ThreadSummary *)sys::mapMemory(n * sizeof(ThreadSummary));
    summaryCapacity_ = n;
  }
  if (!summaries_)
    return -ENOMEM;
  batch_ = (ada_record *)sys::mapMemory(ADA_CHUNK_RECORDS * sizeof(ada_record));
  events_ = (unsigned char *)sys::mapMemory(kBatchEvents * 32);
  details_ = (const ada_detail **)sys::mapMemory(ADA_CHUNK_RECORDS * sizeof *details_);
  detailBytes_ = (unsigned char *)sys::mapMemory(kDetailBatchBytes);
  if (!threads_ || !batch_ || !events_ || !details_ || !detailBytes_)
    return -ENOMEM;
  windows_.start(options, triggers);
  clock_.update(ring.anchors(), 0);
  takeAnchor();
  return startDrainThread(threadMain, this);
}

void Drain::reset() {
  // The memory of the parent's drain is ours alone now, and of no use.
  if (threads_)
    sys::unmap(threads_, ADA_RING_THREADS * sizeof(ThreadState));
  if (summaries_)
    sys::unmap(summaries_, summaryCapacity_ * sizeof(ThreadSummary));
  if (batch_)
    sys::unmap(batch_, ADA_CHUNK_RECORDS * sizeof(ada_record));
  if (events_)
    sys::unmap(events_, kBatchEvents * 32);
  if (details_)
    sys::unmap(details_, ADA_CHUNK_RECORDS * sizeof *details_);
  if (detailBytes_)
    sys::unmap(detailBytes_, kDetailBatchBytes);
  clearBytes(this, sizeof *this);
  manifestDirty_ = 1;
}

int Drain::threadMain(void *self) {
  ((Drain *)self)->run();
  return 0;
}

//===--- called by the program's threads --------------------------------------===//

void Drain::wake() {
  if (__atomic_exchange_n(&sleeping_, 0, __ATOMIC_ACQ_REL)) {
    __atomic_add_fetch(&wakeWord_, 1, __ATOMIC_RELEASE);
    sys::futexWake(&wakeWord_, 1);
  }
}

void Drain::chunkClosed() {
  // A few at once: waking costs a system call, and a batch stays in the cache.
  if (__atomic_add_fetch(&closedChunks_, 1, __ATOMIC_RELAXED) >= 8)
    wake();
}

int Drain::flush() {
  if (stopped_)
    return -1;
  uint32_t wanted = __atomic_add_fetch(&requested_, 1, __ATOMIC_ACQ_REL);
  wake();
  while (true) {
    uint32_t done = __atomic_load_n(&done_, __ATOMIC_ACQUIRE);
    if ((int32_t)(done - wanted) >= 0 || __atomic_load_n(&stopped_, __ATOMIC_ACQUIRE))
      break;
    sys::futexWait(&done_, done, 100000000);
    wake();
  }
  return failed_ ? -1 : 0;
}

int Drain::finish(Ending ending, int status) {
  Lock lock(requestMutex_);
  if (stopped_)
    return -1;
  ending_ = ending, exitStatus_ = status;
  __atomic_store_n(&finishRequested_, 1, __ATOMIC_RELEASE);
  return flush();
}

//===--- the thread -----------------------------------------------------------===//

void Drain::takeAnchor() {
  if (ring_->header().clock == ADA_CLOCK_SYSTEM) {
    limitStamp_ = sys::nowNs(); // stamps are times already: no anchors
    return;
  }
  // The pair whose two counter readings are closest together tells the time best.
  ada_anchor best = {0, 0};
  uint64_t bestWidth = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    uint64_t before = arch::readCounter(), now = sys::nowNs(), after = arch::readCounter();
    if (after - before < bestWidth)
      bestWidth = after - before, best = {before + (after - before) / 2, now};
  }
  uint64_t used = ring_->header().anchors_used;
  if (used > 0) {
    const ada_anchor &last = ring_->anchors()[(used - 1) % ADA_RING_ANCHORS];
    if (best.counter <= last.counter)
      best.counter = last.counter + 1;
    if (best.time_ns < last.time_ns)
      best.time_ns = last.time_ns;
  }
  ring_->addAnchor(best);
  clock_.update(ring_->anchors(), used + 1);
  limitStamp_ = best.counter;
}

void Drain::run() {
  ownFiles_ = takeOwnFileTable();
  while (true) {
    uint32_t seen = __atomic_load_n(&wakeWord_, __ATOMIC_ACQUIRE);
    uint32_t wanted = __atomic_load_n(&requested_, __ATOMIC_ACQUIRE);
    bool finishing = wanted != done_ && __atomic_load_n(&finishRequested_, __ATOMIC_ACQUIRE);
    takeAnchor();
    uint64_t modules = __atomic_load_n(&ring_->header().modules_used, __ATOMIC_ACQUIRE);
    if (modules != modulesSeen_) {
      modules_.update(ring_->modules(), modules);
      modulesSeen_ = modules;
      manifestDirty_ = 1, manifestDueNs_ = 0; // at once: a killed program must have its symbols
    }
    if (manifestDueNs_ == 0)
      writeManifest();
    uint64_t records = pass(finishing && ending_ == Ending::Exit);
    if (finishing)
      finishFiles();
    else if (windows_.manifestIsBehind() && wanted != done_)
      writeManifest(); // who flushes may be about to die
    else if ((__atomic_load_n(&manifestDirty_, __ATOMIC_ACQUIRE) || windows_.manifestIsBehind()) &&
             sys::nowNs() >= manifestDueNs_)
      writeManifest();
    if (wanted != done_) {
      bool stop = finishing && ending_ == Ending::Exit;
      if (finishing)
        __atomic_store_n(&finishRequested_, 0, __ATOMIC_RELEASE);
      if (stop)
        __atomic_store_n(&stopped_, true, __ATOMIC_RELEASE);
      __atomic_store_n(&done_, wanted, __ATOMIC_RELEASE);
      sys::futexWake(&done_, INT32_MAX);
      if (stop)
        return;
    }
    ring_->prepareChunks();
    if (__atomic_load_n(&closedChunks_, __ATOMIC_RELAXED) >= 8)
      continue;
    __atomic_store_n(&sleeping_, 1, __ATOMIC_RELEASE);
    if (__atomic_load_n(&requested_, __ATOMIC_ACQUIRE) == done_)
      sys::futexWait(&wakeWord_, seen, records ? 10000000 : 100000000);
    __atomic_store_n(&sleeping_, 0, __ATOMIC_RELEASE);
  }
}

uint64_t Drain::pass(bool last) {
  uint64_t records = 0;
  uint64_t limitNs = last ? UINT64_MAX : clock_.toNanoseconds(limitStamp_);
  if (windows_.active()) {
    ada_ring_header &h = ring_->header();
    uint64_t orders = __atomic_load_n(&h.trigger_count, __ATOMIC_ACQUIRE);
    if (orders != outsideTriggers_)
      windows_.trigger(h.trigger_time_ns, TriggerKind::Outside);
    outsideTriggers_ = orders;
    windows_.takePending();
  }
  uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < used; ++i) {
    ada_ring_thread &slot = ring_->threads()[i];
    if (__atomic_load_n(&slot.state, __ATOMIC_ACQUIRE) != ADA_THREAD_FREE)
      records += drainThread(slot, threads_[i], last);
  }
  if (windows_.active()) {
    // Triggers of one thread are about all: only now is it known what can't be asked for any more.
    uint64_t undrainedNs = limitNs;
    for (uint64_t i = 0; i < used; ++i)
      if (threads_[i].active && threads_[i].behind && threads_[i].expansion.lastNs < undrainedNs)
        undrainedNs = threads_[i].expansion.lastNs;
    for (uint64_t i = 0; i < used; ++i)
      if (threads_[i].active)
        writeWindows(threads_[i], undrainedNs);
  }
  for (uint64_t i = 0; i < used; ++i)
    if (threads_[i].active && threads_[i].ended && !threads_[i].behind && !threads_[i].retained.oldest())
      endThread(ring_->threads()[i], threads_[i]);
  return records;
}

uint64_t Drain::drainThread(ada_ring_thread &slot, ThreadState &t, bool last) {
  if (!t.active) {
    // The stack's memory is kept from the slot's previous thread.
    ring::CallStack stack = t.expansion.stack;
    clearBytes(&t, sizeof t);
    t.expansion = ring::ThreadExpansion();
    t.expansion.stack = stack;
    t.expansion.stack.depth = 0;
    t.active = true;
    t.index = slot.index;
    t.file.begin(directory_, slot.index, slot.tid, ring_->header().format);
    t.detail.begin(directory_, slot.index, slot.tid, ring_->header().format);
    manifestDirty_ = 1;
  }
  // Read before the records: what a thread recorded before it ended is complete.
  t.ended = __atomic_load_n(&slot.state, __ATOMIC_ACQUIRE) == ADA_THREAD_ENDED;
  uint64_t records = 0;
  bool more = true;
  // Not for ever: a busy thread must not starve the others, whose chunks fill meanwhile.
  for (int chunks = 0; more && (chunks < 64 || last || t.ended); ++chunks)
    records += takeRecords(slot, t, last, more);
  flushThread(slot, t);
  t.behind = more;
  return records;
}

// Takes what is there of one chunk. `more`: there is another chunk to look at.
uint64_t Drain::takeRecords(ada_ring_thread &slot, ThreadState &t, bool last, bool &more) {
  more = false;
  if (!t.chunk) {
    uint64_t first = __atomic_load_n(&slot.first_chunk, __ATOMIC_ACQUIRE);
    if (first == 0)
      return 0;
    t.chunk = ring_->chunk(first - 1);
    t.chunkSeq = t.chunk->seq;
  }
  ada_chunk &chunk = *t.chunk;
  // Read before the records: if there is a successor, this chunk gets no new reservations.
  uint64_t next = __atomic_load_n(&chunk.next, __ATOMIC_ACQUIRE);
  bool complete = last || t.ended;
  const ada_record *records = (const ada_record *)(&chunk + 1);
  uint64_t count = 0, taken = 0, newest = 0, start = chunk.start_stamp;
  bool inverted = false, tooYoung = false;
  while (t.record < ADA_CHUNK_RECORDS) {
    const ada_record &r = records[t.record];
    uint64_t stamp = __atomic_load_n(&r.stamp, __ATOMIC_ACQUIRE);
    if (stamp < start) { // reserved at most
      // Its detail is skipped with it, as far as it was begun; what was not is zeros, unit by unit (see ring_file.h).
      const ada_detail *d = ring_->header().uses_detail ? ring::detailOf(&r) : nullptr;
      uint64_t units = 1 + (d ? d->units : 0);
      if (complete) {
        t.record += units;
        continue;
      }
      if (!next)
        break;
      uint64_t now = sys::nowNs();
      if (t.waitingSince == 0)
        t.waitingSince = now;
      if (now - t.waitingSince < kAbandonedNs)
        break;
      t.waitingSince = 0, t.quarantine = true;
      t.record += units;
      continue;
    }
    if (stamp > limitStamp_ && !complete) {
      tooYoung = true;
      break;
    }
    t.waitingSince = 0;
    inverted |= stamp < newest;
    newest = stamp;
    const ada_detail *d = ring::detailOf(&r);
    details_[count] = d;
    batch_[count] = {stamp, r.what};
    batchPlaces_[count++] = (uint16_t)t.record;
    t.record += 1 + (d ? d->units : 0);
    ++taken;
  }
  bool atEnd = t.record >= ADA_CHUNK_RECORDS;
  uint64_t limit = UINT64_MAX; // stamp of the record behind these
  if (atEnd && next) {
    const ada_chunk &n = *ring_->chunk(next - 1);
    uint64_t stamp = __atomic_load_n(&((const ada_record *)(&n + 1))->stamp, __ATOMIC_ACQUIRE);
    if (stamp >= n.start_stamp)
      limit = stamp;
  } else if (tooYoung)
    limit = limitStamp_;
  if (count && (inverted || batch_[count - 1].stamp > limit))
    ring::lowerStamps(batch_, count, limit);
  expandBatch(slot, t, count);
  if (atEnd && next) {
    if (!t.quarantine) {
      if (t.doneCount == kMostToGiveBack)
        flushThread(slot, t);
      t.done[t.doneCount++] = t.chunk;
    } else
      __atomic_sub_fetch(&closedChunks_, 1, __ATOMIC_RELAXED);
    t.chunk = ring_->chunk(next - 1);
    t.chunkSeq = t.chunk->seq;
    t.record = 0, t.quarantine = false;
    more = true;
  }
  return taken;
}

void Drain::expandBatch(ada_ring_thread &slot, ThreadState &t, uint64_t count) {
  auto grow = [](ring::Frame *old, size_t oldCapacity, size_t newCapacity) {
    size_t bytes = newCapacity * sizeof(ring::Frame);
    if (!old)
      return (ring::Frame *)sys::mapMemory(bytes);
    long p = sys::call(SYS_mremap, old, oldCapacity * sizeof(ring::Frame), bytes, MREMAP_MAYMOVE);
    return p < 0 && p > -4096 ? nullptr : (ring::Frame *)p;
  };
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t before = t.file.events() + eventCount_;
    ring::expand(t.expansion, batch_[i], clock_, modules_, grow, [&](const ring::Event &e) {
      // In the middle of a batch, perhaps of a record: who recovers takes this record again, and drops what it made.
      if (eventCount_ == kBatchEvents)
        flushThread(slot, t, {before, t.chunkSeq, batchPlaces_[i]});
      if (__builtin_expect(windows_.active(), 0))
        if (uint8_t rules = images_->triggersOf(e.functionId))
          windows_.look(e, rules, t.index);
      if (__builtin_expect(details_[i] != nullptr && e.ofRecord, 0))
        return addDetail(t, e, *details_[i]);
      t.file.encode(events_ + 32 * eventCount_++, e);
    });
  }
  if (t.expansion.madeExits | t.expansion.silentExits)
    countGaps(slot, t);
}

// Records that were dropped have been counted by their thread. Around a gap there are events without a record, and exits
// whose calls were dropped, which make no event: with these, events and losses together are what the program did.
void Drain::countGaps(ada_ring_thread &slot, ThreadState &t) {
  uint64_t more = t.expansion.silentExits - t.expansion.madeExits; // may be negative: the sums are not
  t.expansion.silentExits = t.expansion.madeExits = 0;
  bool full = __atomic_load_n(&slot.lost[ADA_LOST_RING_FULL], __ATOMIC_RELAXED) != 0;
  __atomic_add_fetch(&slot.lost[full ? ADA_LOST_RING_FULL : ADA_LOST_NO_MEMORY], more, __ATOMIC_RELAXED);
  __atomic_add_fetch(&ring_->header().events_lost, more, __ATOMIC_RELAXED);
}

// The index event of a record with detail, linked to its detail event; or, with windows, not linked yet.
void Drain::addDetail(ThreadState &t, const ring::Event &e, const ada_detail &d) {
  if (detailUsed_ + DetailFile::kMostBytes > kDetailBatchBytes)
    flushDetail(t); // ahead of the index events: recovery drops what no index event leads to
  uint64_t seq = t.file.events() + eventCount_;
  uint64_t link = t.detail.events() + detailCount_;
  unsigned count = 0;
  if (windows_.active()) {
    alignas(8) unsigned char bytes[DetailFile::kMostBytes];
    size_t n = t.detail.encode(bytes, e, d, seq, count);
    windows_.keep(t.retained, e.timestampNs, seq, bytes, (uint32_t)n, count);
    link = atf::kNoDetail;
  } else if (t.detail.canLink(seq, link)) {
    detailUsed_ += t.detail.encode(detailBytes_ + detailUsed_, e, d, seq, count);
    if (detailCount_ == 0)
      detailFirstSeq_ = seq, detailFirstNs_ = e.timestampNs;
    detailLastSeq_ = seq, detailLastNs_ = e.timestampNs;
    detailCount_ += count;
  } else
    link = atf::kNoDetail;
  t.file.encode(events_ + 32 * eventCount_++, e, link);
}

// Writes a thread's detail events that lie in a window, and drops those that no window can want any more. Their index events are in
// the file already: their links are set there.
void Drain::writeWindows(ThreadState &t, uint64_t undrainedNs) {
  while (const Retained::Entry *e = t.retained.oldest()) {
    Windows::Fate fate = windows_.fateOf(*e, undrainedNs);
    if (fate == Windows::Fate::Wait)
      break;
    if (fate == Windows::Fate::Write && !failed_) {
      if (detailUsed_ + e->bytes > kDetailBatchBytes)
        flushDetail(t);
      uint64_t link = t.detail.events() + detailCount_;
      if (t.detail.canLink(e->indexSeq, link) && e->indexSeq < t.file.events()) {
        copyBytes(detailBytes_ + detailUsed_, e->data(), e->bytes);
        detailUsed_ += e->bytes;
        if (detailCount_ == 0)
          detailFirstSeq_ = e->indexSeq, detailFirstNs_ = e->ns;
        detailLastSeq_ = e->indexSeq, detailLastNs_ = e->ns;
        detailCount_ += e->count;
        int error = t.file.linkDetail(e->indexSeq, link);
        if (error < 0)
          fail((Path("thread_") << t.index << "/index.atf").c_str(), error);
      }
    }
    windows_.removeOldest(t.retained);
  }
  flushDetail(t);
}

void Drain::flushDetail(ThreadState &t) {
  if (detailUsed_ > 0 && !failed_) {
    int error = t.detail.append(detailBytes_, detailUsed_, detailCount_, detailFirstSeq_, detailLastSeq_,
                                detailFirstNs_, detailLastNs_);
    if (error == -EMFILE || error == -ENFILE) {
      closeDescriptors();
      error = t.detail.append(detailBytes_, detailUsed_, detailCount_, detailFirstSeq_, detailLastSeq_,
                              detailFirstNs_, detailLastNs_);
    }
    if (error < 0)
      fail((Path("thread_") << t.index << "/detail.atf").c_str(), error);
    else
      __atomic_add_fetch(&ring_->header().bytes_written, detailUsed_, __ATOMIC_RELAXED);
    if (!ownFiles_)
      t.detail.closeDescriptor();
  }
  detailUsed_ = 0, detailCount_ = 0;
}

// Writes the events that were expanded for this thread, then gives its chunks back. The journal in the slot says at
// every moment which records the file already holds: see ring_file.h.
void Drain::flushThread(ada_ring_thread &slot, ThreadState &t) {
  flushThread(slot, t, {t.file.events() + eventCount_, t.chunkSeq, t.record});
}

// `position`: how far the file will be with the records. Its events may be fewer than the file's.
void Drain::flushThread(ada_ring_thread &slot, ThreadState &t, const ada_ring_cursor &position) {
  flushDetail(t); // first, so that a link in the index always leads somewhere
  if (eventCount_ > 0 && failed_) {
    __atomic_add_fetch(&slot.lost[ADA_LOST_WRITE_ERROR], eventCount_, __ATOMIC_RELAXED);
    __atomic_add_fetch(&ring_->header().events_lost, eventCount_, __ATOMIC_RELAXED);
    eventCount_ = 0;
  }
  if (eventCount_ > 0 || t.doneCount > 0) {
    uint32_t other = 1 - slot.current;
    slot.cursor[other] = position;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    bool wasOpen = t.file.isOpen();
    int error = t.file.append(events_, eventCount_);
    if (error == -EMFILE || error == -ENFILE) {
      closeDescriptors();
      error = t.file.append(events_, eventCount_);
    }
    if (error < 0) {
      __atomic_add_fetch(&slot.lost[ADA_LOST_WRITE_ERROR], eventCount_, __ATOMIC_RELAXED);
      __atomic_add_fetch(&ring_->header().events_lost, eventCount_, __ATOMIC_RELAXED);
      slot.cursor[other].events = t.file.events();
      fail((Path("thread_") << t.index << "/index.atf").c_str(), error);
    } else {
      __atomic_add_fetch(&ring_->header().events_written, eventCount_, __ATOMIC_RELAXED);
      __atomic_add_fetch(&ring_->header().bytes_written, eventCount_ * 32, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&slot.current, other, __ATOMIC_RELEASE);
    eventCount_ = 0;
    if (!ownFiles_)
      t.file.closeDescriptor();
    else if (!wasOpen && t.file.isOpen() && ++openFiles_ > 200)
      closeDescriptors();
  }
  if (t.doneCount > 0) {
    for (unsigned i = 0; i < t.doneCount; ++i)
      ring_->giveBack(t.done[i]);
    __atomic_sub_fetch(&closedChunks_, t.doneCount, __ATOMIC_RELAXED);
    t.doneCount = 0;
    sys::futexWake(ring_->freedWord(), INT32_MAX);
  }
}

void Drain::closeDescriptors() {
  uint64_t used = ring_->header().threads_used;
  for (uint64_t i = 0; i < used; ++i)
    if (threads_[i].active) {
      threads_[i].file.closeDescriptor();
      threads_[i].detail.closeDescriptor();
    }
  openFiles_ = 0;
}

void Drain::fail(const char *what, int error) {
  if (failed_)
    return;
  Text<512> m("cannot write ");
  m << directory_ << '/' << what << ": " << errorText(error);
  copyBytes(failure_, m.c_str(), m.size() + 1);
  __atomic_store_n(&failed_, true, __ATOMIC_RELEASE);
  images_->apply(false); // record nothing that can't be kept
}

void Drain::noteTimes(const IndexFile &file) {
  if (file.events() == 0)
    return;
  if (timeStart_ == 0 || file.timeStart() < timeStart_)
    timeStart_ = file.timeStart();
  if (file.timeEnd() > timeEnd_)
    timeEnd_ = file.timeEnd();
}

void Drain::summarise(ada_ring_thread &slot, ThreadState &t) {
  if (t.index >= summaryCapacity_)
    return;
  ThreadSummary &s = summaries_[t.index];
  s.index = t.index, s.tid = slot.tid;
  copyBytes(s.name, slot.name, sizeof s.name);
  s.events = t.file.events(), s.details = t.detail.events(), s.timeStart = t.file.timeStart(), s.timeEnd = t.file.timeEnd();
  for (unsigned i = 0; i < ADA_LOST_REASONS; ++i)
    s.lost[i] = __atomic_load_n(&slot.lost[i], __ATOMIC_RELAXED);
  if (t.index + 1 > summaryCount_)
    summaryCount_ = t.index + 1;
  noteTimes(t.file);
  if (s.name[0] == 0) { // still running, or gone without a word: what the system calls it
    Text<64> path("/proc/self/task/");
    path << slot.tid << "/comm";
    int fd = sys::open(path.c_str(), O_RDONLY);
    if (fd >= 0) {
      long n = sys::read(fd, s.name, sizeof s.name - 1);
      s.name[n > 0 ? (s.name[n - 1] == '\n' ? n - 1 : n) : 0] = 0;
      sys::close(fd);
    }
  }
}

void Drain::summariseAll() {
  uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < used; ++i)
    if (threads_[i].active)
      summarise(ring_->threads()[i], threads_[i]);
}

// Footers and headers of both files. The files may still be appended to.
int Drain::finishThread(ThreadState &t) {
  int error = t.detail.finish();
  return error < 0 ? error : t.file.finish(t.detail.exists());
}

// All records of a thread that is gone are written: finishes its files and gives its slot back.
void Drain::endThread(ada_ring_thread &slot, ThreadState &t) {
  if (!failed_) {
    int error = finishThread(t);
    if (error == -EMFILE || error == -ENFILE) {
      closeDescriptors();
      error = finishThread(t);
    }
    if (error < 0)
      fail((Path("thread_") << t.index << "/index.atf").c_str(), error);
  }
  t.detail.closeDescriptor();
  if (t.file.isOpen() && openFiles_ > 0)
    --openFiles_;
  t.file.closeDescriptor();
  summarise(slot, t);
  if (t.chunk) {
    ring_->giveBack(t.chunk);
    sys::futexWake(ring_->freedWord(), INT32_MAX);
  }
  t.active = false;
  manifestDirty_ = 1;
  ring_->giveBack(&slot);
}

void Drain::finishFiles() {
  uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < used; ++i) {
    ThreadState &t = threads_[i];
    if (!t.active)
      continue;
    int error = failed_ ? 0 : finishThread(t);
    if (error == -EMFILE || error == -ENFILE) {
      closeDescriptors();
      error = finishThread(t);
    }
    if (error < 0)
      fail((Path("thread_") << t.index << "/index.atf").c_str(), error);
    t.file.closeDescriptor();
    t.detail.closeDescriptor();
  }
  openFiles_ = 0;
  writeManifest();
}

} // namespace ada
