// Writes index and detail events to files, with raw system calls.
#include "session_writer.h"

#include "core/base/message.h"
#include "core/session/images.h"
#include "core/session/process_info.h"
#include "identity.h"
#include "shared/manifest_keys.h"
#include "shared/ring/losses.h"
#include "shared/ring/tables.h"

#include <sys/resource.h>

namespace ada {
namespace {

constexpr size_t kDetailBatchBytes = 1 << 20;
constexpr uint64_t kMostLinks = kDetailBatchBytes / atf::kFunctionPayloadBytes;
constexpr uint64_t kMostOpenFiles = 200; // half of the lowest limit for programs on ordinary systems
constexpr uint64_t kManyGaps = 1u << 20; // 24 MiB; threads that end after that keep one gap each

bool isFull(int error) { return error == -ENOSPC || error == -EDQUOT || error == -EFBIG; }

void addTo(uint64_t &counter, uint64_t n) { __atomic_add_fetch(&counter, n, __ATOMIC_RELAXED); }

} // namespace

int SessionWriter::Batch::start() {
  events_ = (unsigned char *)sys::mapMemory(kBatchBytes);
  detailBytes_ = (unsigned char *)sys::mapMemory(kDetailBatchBytes);
  links_ = (Link *)sys::mapMemory(kMostLinks * sizeof(Link));
  return events_ && detailBytes_ && links_ ? 0 : -ENOMEM;
}

void SessionWriter::Batch::reset() {
  auto unmap = [](void *memory, size_t bytes) {
    if (memory)
      sys::unmap(memory, bytes);
  };
  unmap(events_, kBatchBytes);
  unmap(detailBytes_, kDetailBatchBytes);
  unmap(links_, kMostLinks * sizeof(Link));
  *this = Batch();
}

void SessionWriter::start(Ring &ring, Images &images, TimingAnchors &anchors, const Options &options,
                          const TriggerRules &triggers, const char *directory) {
  anchors_ = &anchors;
  ring_ = &ring, images_ = &images, options_ = &options;
  parts_.start(options, directory);
  directory_ = place_ = parts_.directory();
  ringIsBeside_ = equal(ring.path(), (Path(directory_) << "/ring").c_str());
  windows_.start(options, triggers);
  pool_.start(options.detail_buffer, ring.header().death_pre_roll ? &ring : nullptr);
  bound_.start(options);
  budget_.start(ring, images, options);
}

void SessionWriter::startSched() {
  sched_.begin(*ring_, place_, options_->isBounded());
  if (!options_->sched)
    sched_.refuse(manifest::kNotAskedFor);
  else if (options_->isBounded())
    sched_.refuse("not in bounded traces");
  else if (!ownFiles_)
    sched_.refuse("AdaTrace can't have file descriptors of its own here");
  else
    sched_.start();
}

void SessionWriter::reset() {
  sched_.reset();
  threads_.release();
  blocks_.release();
  for (uint64_t slot = 0; slot < details_.ready(); ++slot)
    if (details_[slot])
      sys::unmap(details_[slot], sizeof *details_[slot]);
  details_.release();
  bound_.reset();
  summaries_.release();
  gaps_.release();
  __builtin_memset((void *)this, 0, sizeof *this);
}

void SessionWriter::removeRing() {
  ring_->unlink();
  sys::unlink((Path(place_) << "/ring").c_str());
}

void SessionWriter::handOver(Identity &identity) {
  auto give = [&](const char *path) {
    sys::call(SYS_fchownat, AT_FDCWD, path, identity.user(), identity.group(), AT_SYMLINK_NOFOLLOW);
  };
  // Make no system call that would not be permitted: a seccomp filter may not know it.
  if (sys::call(SYS_geteuid) == 0 && identity.user() != 0) {
    sys::call(SYS_fchown, ring_->descriptor(), identity.user(), identity.group());
    give(place_);
    give((Path(place_) << "/manifest.json").c_str());
    if (parts_.active() && parts_.isInOwnSession()) // the next part is created in it
      give((Path(place_) << "/..").c_str());
    uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
    for (uint64_t i = 0; i < used; ++i)
      if (threads_[i].active) {
        Path path(place_);
        path << "/thread_" << threads_[i].number;
        give(path.c_str());
        size_t n = path.size();
        give((path << '/' << threads_[i].index.name()).c_str());
        path.shorten(n);
        give((path << '/' << threads_[i].detail.name()).c_str());
        path.shorten(n);
        give((path << '/' << sched::kFileName).c_str());
      }
  }
  identity.follow();
}

bool SessionWriter::canShare() const {
  rlimit64 limit = {};
  return ownFiles_ && !windows_.active() && !bound_.active() && !budget_.active() &&
         sys::call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &limit) == 0 && limit.rlim_cur >= 2 * kMostOpenFiles;
}

void SessionWriter::begin(uint64_t slot, ring::ThreadExpansion &expansion) {
  Thread &t = threads_[slot];
  const ada_ring_thread &from = ring_->threads()[slot];
  t.active = true;
  t.number = from.index;
  t.unwritten = t.readToNs = 0;
  t.before = {};
  t.expansion = &expansion;
  const uint32_t format = ring_->header().format;
  t.index.begin(place_, from.index, from.tid, format, isPacked() ? &blocks_[slot] : nullptr);
  t.detail.begin(place_, from.index, from.tid, ring::detailVersion(format), isPacked() ? &details_[slot] : nullptr);
  t.retained.reset(pool_);
  sched_.begin(slot, from.tid, from.index);
}

//===--- events -----------------------------------------------------------===//

void SessionWriter::add(Batch &batch, uint64_t slot, const ring::Event &e, const ada_detail *detail) {
  Thread &t = threads_[slot];
  // In the middle of a record: the journal stays as it is, and recovery takes the record again.
  if (batch.eventBytes_ + packed::kMostEventBytes > kBatchBytes)
    writeEvents(batch, slot);
  uint64_t link = atf::kNoDetail;
  if (__builtin_expect(windows_.active(), 0)) {
    uint8_t rules = images_->triggersOf(e.functionId);
    bool isCaught = rules && windows_.look(e, rules, t.number);
    if (e.kind != ring::kCall)
      if (const RetainedDetails::Entry *held = t.retained.unwatch(e.depth, isCaught); held && isCaught) {
        if (held->index_seq >= t.index.events()) // its index event must be in the file to be linked
          writeEvents(batch, slot);
        writeDetail(batch, t, *held);
      }
    if (detail)
      retain(batch, slot, e, *detail, e.kind == ring::kCall && (rules & windows_.slowRules()));
  } else if (__builtin_expect(detail != nullptr, 0))
    link = addDetail(batch, t, e, *detail);
  t.index.with(
      [&](auto &file) { batch.eventBytes_ = (size_t)(file.encode(endOf(batch, file), e, link) - batch.events_); });
  ++batch.eventCount_;
}

bool SessionWriter::isWanted(const ring::Event &e) const {
  return windows_.active() && images_->triggersOf(e.functionId) != 0;
}

// Returns the link to the detail event of the next index event.
uint64_t SessionWriter::addDetail(Batch &batch, Thread &t, const ring::Event &e, const ada_detail &d) {
  if (batch.details_.bytes + DetailFile::kMostBytes > kDetailBatchBytes)
    flushDetail(batch, t); // before the index events: recovery drops unlinked detail
  uint64_t seq = t.index.events() + batch.eventCount_, link = t.detail.events() + batch.details_.events;
  if (!t.detail.canLink(seq, link))
    return atf::kNoDetail;
  unsigned count = 0;
  size_t n = t.detail.encode(batch.detailBytes_ + batch.details_.bytes, e, d, seq, count);
  batch.details_.add({count, n, e.timestampNs, e.timestampNs, seq, seq});
  return link;
}

// The journal always says which records the file holds. It may count fewer events than the file has.
void SessionWriter::writeEvents(Batch &batch, uint64_t slot) {
  Thread &t = threads_[slot];
  ada_ring_header &header = ring_->header();
  flushDetail(batch, t); // first, so that a link in the index always leads somewhere
  uint64_t before = t.index.events();
  if (!failed())
    tryToWrite(t.number, t.index.name(),
               [&] { return t.index.append(batch.events_, batch.eventBytes_, batch.eventCount_); });
  if (t.index.events() != before + batch.eventCount_)
    t.unwritten += batch.eventCount_;
  else {
    addTo(header.events_written, batch.eventCount_);
    addTo(header.bytes_written, batch.eventBytes_);
  }
  batch.eventCount_ = 0, batch.eventBytes_ = 0;
  noteClosed(slot);
}

// Makes the journal's other entry the current one.
void SessionWriter::turnJournal(uint64_t slot) {
  ada_ring_thread &thread = ring_->threads()[slot];
  const uint32_t other = 1 - thread.current;
  ada_ring_cursor &now = thread.cursor[other], &before = thread.cursor[thread.current];
  now.lost[ADA_LOST_WRITE_ERROR] = threads_[slot].unwritten;
  if (int64_t more = ring::sumOfLosses(now) - ring::sumOfLosses(before))
    addTo(ring_->header().events_lost, (uint64_t)more);
  __atomic_store_n(&thread.current, other, __ATOMIC_RELEASE);
}

//===--- the newest events only -------------------------------------------===//

// Notes a block that has been closed.
void SessionWriter::noteClosed(uint64_t slot) {
  Thread &t = threads_[slot];
  if (!bound_.active())
    return;
  Bound::Block block = {.bytes = 0, .lastNs = 0, .thread = t.number, .slot = slot};
  if (t.index.packed()->takeClosed(block.bytes, block.lastNs))
    while (!bound_.add(block) && !bound_.isEmpty())
      removeOldest();
}

void SessionWriter::removeOldest() {
  const Bound::Block block = bound_.takeOldest();
  Thread &t = threads_[block.slot];
  if (failed()) // the files stay as they are
    return;
  if (t.active && t.number == block.thread) {
    tryToWrite(t.number, t.index.name(), [&] { return t.index.packed()->removeFirst(); });
    return;
  }
  // The thread has ended, and its slot may belong to another.
  PackedFile file;
  tryToWrite(block.thread, "index.atp", [&] {
    int error = file.load(place_, (uint32_t)block.thread);
    return error < 0 ? error : file.removeFirst();
  });
  file.closeDescriptor();
  Summary &s = summaries_[block.thread];
  s.removed = file.removed(), s.timeStart = file.timeStart(), s.timeEnd = file.timeEnd();
}

void SessionWriter::closeFiles(uint64_t slot) {
  Thread &t = threads_[slot];
  if (!ownFiles_) {
    t.index.closeDescriptor();
    return;
  }
  if (!t.index.isOpen() || t.isCounted)
    return;
  t.isCounted = true;
  if (__atomic_add_fetch(&openFiles_, 1, __ATOMIC_RELAXED) <= kMostOpenFiles)
    return;
  if (!isShared_)
    closeDescriptors();
  else
    closeDescriptors(t); // the others' are in use
}

//===--- detail that waits for a trigger ----------------------------------===//

// Keeps the detail of the next index event. If memory is short, the thread's oldest entries make room.
void SessionWriter::retain(Batch &batch, uint64_t slot, const ring::Event &e, const ada_detail &d, bool isWatched) {
  Thread &t = threads_[slot];
  alignas(8) unsigned char bytes[DetailFile::kMostBytes];
  unsigned count = 0;
  uint64_t seq = events(batch, slot);
  size_t n = t.detail.encode(bytes, e, d, seq, count);
  RetainedDetails::Entry entry = {e.timestampNs, seq, (uint32_t)n, (uint8_t)count, RetainedDetails::State::Plain};
  if (!t.retained.keep(pool_, t.number, entry, bytes)) {
    if (t.retained.oldest()) {
      // Wanted entries of the oldest block can only be linked once their index events are written.
      writeEvents(batch, slot);
      for (const void *block = t.retained.oldestBlock(); block && t.retained.oldestBlock() == block;)
        dispose(batch, t, windows_.fateOf(t.retained.oldest()->ns, 0));
    }
    if (!t.retained.keep(pool_, t.number, entry, bytes)) {
      noteDropped(e.timestampNs);
      if (isWatched)
        t.retained.watch(e.depth, entry, bytes);
      return;
    }
  }
  if (!t.retained.newestIsSafe())
    noteGone(e.timestampNs);
  if (isWatched)
    t.retained.watch(e.depth);
}

void SessionWriter::noteDropped(uint64_t ns) {
  windows_.noteDropped(ns);
  noteGone(ns);
}

void SessionWriter::noteGone(uint64_t ns) {
  if (uint64_t &gone = ring_->header().detail_gone_ns; ns > gone)
    __atomic_store_n(&gone, ns, __ATOMIC_RELAXED);
}

// Removes the oldest entry of a thread, and writes it if a window or a slow call needs it.
void SessionWriter::dispose(Batch &batch, Thread &t, Windows::Fate fate) {
  const RetainedDetails::Entry &e = *t.retained.oldest();
  if (fate == Windows::Fate::Write || e.state == RetainedDetails::State::Wanted)
    writeDetail(batch, t, e);
  else if (e.state != RetainedDetails::State::Watched || !t.retained.holdOldest())
    noteDropped(e.ns);
  t.retained.removeOldest(pool_);
}

void SessionWriter::writeWindows(Batch &batch, uint64_t slot, uint64_t undrainedNs) {
  Thread &t = threads_[slot];
  while (const RetainedDetails::Entry *e = t.retained.oldest()) {
    Windows::Fate fate = windows_.fateOf(e->ns, undrainedNs);
    if (fate == Windows::Fate::Wait && e->state != RetainedDetails::State::Wanted)
      break;
    dispose(batch, t, fate);
  }
  flushDetail(batch, t);
}

// Adds an entry to the batch. Its index event is already in the file: the link is set when the detail is written.
void SessionWriter::writeDetail(Batch &batch, Thread &t, const RetainedDetails::Entry &e) {
  if (failed())
    return;
  if (batch.details_.bytes + e.bytes > kDetailBatchBytes || batch.linkCount_ == kMostLinks)
    flushDetail(batch, t);
  uint64_t link = t.detail.events() + batch.details_.events;
  if (!t.detail.canLink(e.index_seq, link) || e.index_seq >= t.index.events())
    return;
  __builtin_memcpy(batch.detailBytes_ + batch.details_.bytes, RetainedDetails::dataOf(e), e.bytes);
  batch.details_.add({e.count, e.bytes, e.ns, e.ns, e.index_seq, e.index_seq});
  batch.links_[batch.linkCount_++] = {e.index_seq, link};
}

// Detail first, links afterwards: a killed process may leave a detail event without a link, which recovery finds, but
// never a link that leads nowhere.
void SessionWriter::flushDetail(Batch &batch, Thread &t) {
  if (batch.details_.events > 0 && !failed()) {
    const uint64_t before = t.detail.bytes();
    tryToWrite(t.number, t.detail.name(), [&] { return t.detail.append(batch.detailBytes_, batch.details_); });
    if (!failed())
      addTo(ring_->header().bytes_written, t.detail.bytes() - before);
    for (uint64_t i = 0; i < batch.linkCount_ && !failed(); ++i)
      tryToWrite(t.number, t.index.name(),
                 [&] { return t.index.linkDetail(batch.links_[i].indexSeq, batch.links_[i].detailSeq); });
    if (!ownFiles_)
      t.detail.closeDescriptor();
  }
  batch.details_ = {};
  batch.linkCount_ = 0;
}

//===--- files ------------------------------------------------------------===//

// Calls `write`, which returns 0 or a negative errno, and calls it again if there were no descriptors left.
template <class Write> void SessionWriter::tryToWrite(uint64_t thread, const char *file, Write &&write) {
  int error = write();
  if (!isShared_ && (error == -EMFILE || error == -ENFILE)) {
    closeDescriptors();
    error = write();
  }
  if (error < 0)
    fail((Path("thread_") << thread << '/' << file).c_str(), error);
}

void SessionWriter::closeDescriptors() {
  uint64_t used = ring_->header().threads_used;
  for (uint64_t i = 0; i < used; ++i)
    if (threads_[i].active)
      closeDescriptors(threads_[i]);
}

void SessionWriter::closeDescriptors(Thread &t) {
  t.detail.closeDescriptor();
  t.index.closeDescriptor();
  if (t.isCounted)
    __atomic_sub_fetch(&openFiles_, 1, __ATOMIC_RELAXED);
  t.isCounted = false;
}

void SessionWriter::fail(const char *what, int error) {
  if (__atomic_exchange_n(&failing_, true, __ATOMIC_ACQ_REL)) { // the first of several threads reports it
    while (!failed())
      arch::pause();
    return;
  }
  Text<512> m("cannot write ");
  m << directory_ << '/' << what << ": " << errorText(error);
  __builtin_memcpy(failure_, m.c_str(), m.size() + 1);
  static_assert(sizeof failure_ <= sizeof ring_->header().failure);
  __builtin_memcpy(ring_->header().failure, failure_, sizeof failure_);
  __atomic_store_n(&failed_, true, __ATOMIC_RELEASE); // later events are counted and dropped
}

// Writes footers and headers of both files. They may still be appended to. On a full disk the newest events make room
// for the footer, so that the rest is complete.
void SessionWriter::finishThread(uint64_t slot) {
  Thread &t = threads_[slot];
  // Detail is written first, so it may belong to events that could not be written, or were removed again.
  auto cutDetail = [&] {
    return t.detail.cutTo(t.index.events(), [&](uint64_t seq) { t.index.linkDetail(seq, atf::kNoDetail); });
  };
  auto finish = [&] {
    int error = cutDetail();
    if (error == 0)
      error = t.detail.finish();
    return error < 0 ? error : t.index.finish(t.detail.exists());
  };
  if (!failed())
    tryToWrite(t.number, t.index.name(), finish);
  if (failed() && !t.index.exists())
    cutDetail();
  else if (failed() && isFull(finish()) && makeRoom(slot))
    finish();
  noteClosed(slot);
  closeDescriptors(t);
}

void SessionWriter::end(uint64_t slot) {
  finishThread(slot);
  finishSched(slot);
  sched_.end(slot);
  summarise(slot);
  keepGaps(slot);
  threads_[slot].active = false;
}

void SessionWriter::finishFiles() {
  uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < used; ++i)
    if (threads_[i].active) {
      finishThread(i);
      finishSched(i);
    }
}

// A thread without events has no files.
void SessionWriter::finishSched(uint64_t slot) {
  if (threads_[slot].index.exists())
    sched_.finish(slot);
  else
    sched_.remove(slot);
}

void SessionWriter::finish(Ending ending, int status) {
  uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  finishFiles();
  int error = writeManifest(ending, status);
  for (uint64_t i = 0; i < used && isFull(error); ++i) // it needs room as well
    if (threads_[i].active && makeRoom(i)) {
      finishThread(i);
      error = writeManifest(ending, status);
    }
}

// On a full disk: removes the thread's newest events to make room for the data that describes the others. False if
// there are none.
bool SessionWriter::makeRoom(uint64_t slot) {
  constexpr uint64_t kEvents = 1024; // some pages
  uint64_t gone = threads_[slot].index.exists() ? threads_[slot].index.shorten(kEvents) : 0;
  addTo(ring_->header().events_written, 0 - gone);
  ada_ring_thread &thread = ring_->threads()[slot];
  ada_ring_cursor &cursor = thread.cursor[1 - thread.current];
  cursor = thread.cursor[thread.current];
  cursor.events -= gone;
  thread.left_out[1 - thread.current] = thread.left_out[thread.current];
  thread.lost_in_gaps[1 - thread.current] = thread.lost_in_gaps[thread.current];
  threads_[slot].unwritten += gone;
  turnJournal(slot);
  return gone > 0;
}

// Gathers what the manifest has about a thread, as of now. `isPartDone`: losses after the last record that was read
// count for the next part, and so do records that the thread may have made since.
void SessionWriter::summarise(uint64_t slot, bool isPartDone) {
  Thread &t = threads_[slot];
  ada_ring_thread &from = ring_->threads()[slot];
  if (!summaries_.reserve(t.number + 1))
    return;
  Summary &s = summaries_[t.number];
  s.number = t.number, s.tid = from.tid;
  __builtin_memcpy(s.name, from.name, sizeof s.name);
  s.events = t.index.events(), s.removed = t.index.removed(), s.details = t.detail.events();
  s.timeStart = t.index.timeStart(), s.timeEnd = t.index.timeEnd();
  s.before = t.before;
  s.leftOut = from.left_out[from.current] - t.before.leftOut;
  ada_ring_thread seen; // a copy: the thread continues to count
  for (unsigned r = 0; r < ADA_LOST_REASONS; ++r)
    seen.lost[r] = __atomic_load_n(&from.lost[r], __ATOMIC_RELAXED);
  if (isPartDone)
    for (uint64_t later = ring::lostByThread(seen) - t.expansion->gaps.threadLost, r = 0; r < ADA_LOST_REASONS; ++r) {
      const uint64_t less = later < seen.lost[r] ? later : seen.lost[r];
      seen.lost[r] -= less, later -= less;
    }
  t.lostByIt = ring::lostByThread(seen);
  ring::lossesAt(seen, from.cursor[from.current], s.lostInAll);
  s.found = 0;
  for (unsigned r = 0; r < ADA_LOST_REASONS; ++r) {
    const uint64_t all = s.lostInAll[r], before = t.before.lost[r];
    s.lost[r] = all > before ? all - before : 0;
    s.found += all < before ? before - all : 0;
  }
  s.held = sched_.heldOf(slot, isPartDone);
  s.slot = slot, s.isLive = true;
  if (ring::GapList *list = t.expansion->gaps.list; list && s.removed > 0 && !parts_.active())
    list->removeBefore(s.timeStart); // they would displace other gaps
  if (t.number + 1 > summaryCount_)
    summaryCount_ = t.number + 1;
  if (s.name[0] == 0) { // still running, or ended without notice
    readThreadName(from.tid, from.comm);
    __builtin_memcpy(s.name, from.comm, sizeof s.name);
  }
}

// Lists the times at which events of a thread were lost, up to what has been read.
void SessionWriter::listGaps(uint64_t slot, ring::GapList &list) const {
  const Thread &t = threads_[slot];
  const ring::GapLog &log = t.expansion->gaps;
  list.count = 0;
  if (log.list)
    for (size_t i = 0; i < log.list->count; ++i)
      list.gaps[list.count++] = log.list->gaps[i];
  if (ring::Gap last; t.readToNs > 0 && log.last(t.lostByIt, t.readToNs, last))
    list.add(last);
  if (t.unwritten > 0) { // everything after the last event in the file
    const uint64_t fromNs = t.index.events() > 0 ? t.index.timeEnd() : log.startNs;
    const uint64_t readToNs = log.lastEventNs > t.readToNs ? log.lastEventNs : t.readToNs;
    list.addLast({fromNs, readToNs > fromNs ? readToNs : fromNs, t.unwritten});
  }
}

// After this the slot may belong to another thread.
void SessionWriter::keepGaps(uint64_t slot) {
  Thread &t = threads_[slot];
  if (t.number >= summaries_.ready())
    return;
  Summary &s = summaries_[t.number];
  s.isLive = false, s.gapsAt = gapCount_, s.gapCount = 0;
  ring::GapList list;
  listGaps(slot, list);
  if (gapCount_ >= kManyGaps)
    list.reduceTo(1);
  if (!gaps_.reserve(gapCount_ + list.count))
    return;
  for (size_t i = 0; i < list.count; ++i)
    gaps_[gapCount_++] = list.gaps[i];
  s.gapCount = list.count;
}

} // namespace ada
