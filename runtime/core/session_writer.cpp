// Index and detail events into files, by raw system calls.
#include "session_writer.h"
#include "identity.h"
#include "images.h"
#include "message.h"
#include "process_info.h"
#include "shared/ring/losses.h"
#include "shared/ring/tables.h"

namespace ada {
namespace {

constexpr size_t kDetailBatchBytes = 1 << 20;
constexpr uint64_t kMostLinks = kDetailBatchBytes / atf::kFunctionPayloadBytes;
constexpr uint64_t kMostOpenFiles = 200;

bool isFull(int error) { return error == -ENOSPC || error == -EDQUOT || error == -EFBIG; }

void addTo(uint64_t &counter, uint64_t n) { __atomic_add_fetch(&counter, n, __ATOMIC_RELAXED); }

} // namespace

int SessionWriter::start(Ring &ring, Images &images, const Options &options, const TriggerRules &triggers,
                         const char *directory) {
  ring_ = &ring, images_ = &images, options_ = &options, directory_ = place_ = directory;
  events_ = (unsigned char *)sys::mapMemory(kBatchBytes);
  detailBytes_ = (unsigned char *)sys::mapMemory(kDetailBatchBytes);
  links_ = (Link *)sys::mapMemory(kMostLinks * sizeof(Link));
  if (!events_ || !detailBytes_ || !links_)
    return -ENOMEM;
  windows_.start(options, triggers);
  pool_.start(options.detail_buffer);
  bound_.start(options);
  budget_.start(ring, images, options);
  return 0;
}

void SessionWriter::reset() {
  auto unmap = [](void *memory, size_t bytes) {
    if (memory)
      sys::unmap(memory, bytes);
  };
  threads_.release();
  blocks_.release();
  for (uint64_t slot = 0; slot < details_.ready(); ++slot)
    unmap(details_[slot], sizeof *details_[slot]);
  details_.release();
  bound_.reset();
  summaries_.release();
  unmap(events_, kBatchBytes);
  unmap(detailBytes_, kDetailBatchBytes);
  unmap(links_, kMostLinks * sizeof(Link));
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
  // No system call where there is no right to: a seccomp filter may not know it.
  if (sys::call(SYS_geteuid) == 0 && identity.user() != 0) {
    sys::call(SYS_fchown, ring_->descriptor(), identity.user(), identity.group());
    give(place_);
    give((Path(place_) << "/manifest.json").c_str());
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
      }
  }
  identity.follow();
}

void SessionWriter::begin(uint64_t slot) {
  Thread &t = threads_[slot];
  const ada_ring_thread &from = ring_->threads()[slot];
  t.active = true;
  t.number = from.index;
  t.unwritten = 0;
  const uint32_t format = ring_->header().format;
  t.index.begin(place_, from.index, from.tid, format, isPacked() ? &blocks_[slot] : nullptr);
  t.detail.begin(place_, from.index, from.tid, ring::detailVersion(format), isPacked() ? &details_[slot] : nullptr);
  t.retained.reset(pool_);
}

//===--- events -----------------------------------------------------------===//

void SessionWriter::add(uint64_t slot, const ring::Event &e, const ada_detail *detail) {
  Thread &t = threads_[slot];
  if (eventBytes_ + packed::kMostEventBytes >
      kBatchBytes)     // in the middle of a record: the journal stays, recovery takes
    writeEvents(slot); // the record again
  uint64_t link = atf::kNoDetail;
  if (__builtin_expect(windows_.active(), 0)) {
    uint8_t rules = images_->triggersOf(e.functionId);
    bool isCaught = rules && windows_.look(e, rules, t.number);
    if (e.kind != ring::kCall)
      if (const RetainedDetails::Entry *held = t.retained.unwatch(e.depth, isCaught); held && isCaught) {
        if (held->indexSeq >= t.index.events()) // its index event has to be in the file, to be linked
          writeEvents(slot);
        writeDetail(t, *held);
      }
    if (detail)
      retain(slot, e, *detail, e.kind == ring::kCall && (rules & windows_.slowRules()));
  } else if (__builtin_expect(detail != nullptr, 0))
    link = addDetail(t, e, *detail);
  t.index.with([&](auto &file) { eventBytes_ = (size_t)(file.encode(batchEnd(file), e, link) - events_); });
  ++eventCount_;
}

bool SessionWriter::isWanted(const ring::Event &e) const {
  return windows_.active() && images_->triggersOf(e.functionId) != 0;
}

// Returns the link to the detail event of the next index event.
uint64_t SessionWriter::addDetail(Thread &t, const ring::Event &e, const ada_detail &d) {
  if (detailBatch_.bytes + DetailFile::kMostBytes > kDetailBatchBytes)
    flushDetail(t); // ahead of the index events: recovery drops what no index event leads to
  uint64_t seq = t.index.events() + eventCount_, link = t.detail.events() + detailBatch_.events;
  if (!t.detail.canLink(seq, link))
    return atf::kNoDetail;
  unsigned count = 0;
  size_t n = t.detail.encode(detailBytes_ + detailBatch_.bytes, e, d, seq, count);
  detailBatch_.add({count, n, e.timestampNs, e.timestampNs, seq, seq});
  return link;
}

// The journal says at every moment which records the file holds. Its events may be fewer than the file's.
void SessionWriter::writeEvents(uint64_t slot) {
  Thread &t = threads_[slot];
  ada_ring_header &header = ring_->header();
  flushDetail(t); // first, so that a link in the index always leads somewhere
  uint64_t before = t.index.events();
  if (!failed_)
    tryToWrite(t.number, t.index.name(), [&] { return t.index.append(events_, eventBytes_, eventCount_); });
  if (t.index.events() != before + eventCount_)
    t.unwritten += eventCount_;
  else {
    addTo(header.events_written, eventCount_);
    addTo(header.bytes_written, eventBytes_);
  }
  eventCount_ = 0, eventBytes_ = 0;
  noteClosed(slot);
}

// The journal's other entry is the true one from now on.
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

// Takes notice of a block that has been closed.
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
  if (failed_) // the files stay as they are
    return;
  if (t.active && t.number == block.thread) {
    tryToWrite(t.number, t.index.name(), [&] { return t.index.packed()->removeFirst(); });
    return;
  }
  // It has ended, and its slot may be another's.
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
  if (!ownFiles_)
    t.index.closeDescriptor();
  else if (t.index.isOpen() && !t.isCounted) {
    t.isCounted = true;
    if (++openFiles_ > kMostOpenFiles)
      closeDescriptors();
  }
}

//===--- detail that waits for a trigger ----------------------------------===//

// Keeps the detail of the next index event. Where memory is short, the thread's own oldest entries make room.
void SessionWriter::retain(uint64_t slot, const ring::Event &e, const ada_detail &d, bool isWatched) {
  Thread &t = threads_[slot];
  alignas(8) unsigned char bytes[DetailFile::kMostBytes];
  unsigned count = 0;
  uint64_t seq = events(slot);
  size_t n = t.detail.encode(bytes, e, d, seq, count);
  RetainedDetails::Entry entry = {e.timestampNs, seq, (uint32_t)n, (uint8_t)count, RetainedDetails::State::Plain};
  if (!t.retained.keep(pool_, entry, bytes)) {
    if (t.retained.oldest()) {
      writeEvents(slot); // what is wanted of the oldest block can only be linked when its index events are written
      for (const void *block = t.retained.oldestBlock(); block && t.retained.oldestBlock() == block;)
        dispose(t, windows_.fateOf(t.retained.oldest()->ns, 0));
    }
    if (!t.retained.keep(pool_, entry, bytes)) {
      windows_.noteDropped(e.timestampNs);
      if (isWatched)
        t.retained.watch(e.depth, entry, bytes);
      return;
    }
  }
  if (isWatched)
    t.retained.watch(e.depth);
}

// Removes the oldest entry of a thread, which is written if a window or a slow call wants it.
void SessionWriter::dispose(Thread &t, Windows::Fate fate) {
  const RetainedDetails::Entry &e = *t.retained.oldest();
  if (fate == Windows::Fate::Write || e.state == RetainedDetails::State::Wanted)
    writeDetail(t, e);
  else if (e.state != RetainedDetails::State::Watched || !t.retained.holdOldest())
    windows_.noteDropped(e.ns);
  t.retained.removeOldest(pool_);
}

void SessionWriter::writeWindows(uint64_t slot, uint64_t undrainedNs) {
  Thread &t = threads_[slot];
  while (const RetainedDetails::Entry *e = t.retained.oldest()) {
    Windows::Fate fate = windows_.fateOf(e->ns, undrainedNs);
    if (fate == Windows::Fate::Wait && e->state != RetainedDetails::State::Wanted)
      break;
    dispose(t, fate);
  }
  flushDetail(t);
}

// Puts an entry into the batch. Its index event is in the file already: the link is set when the detail is written.
void SessionWriter::writeDetail(Thread &t, const RetainedDetails::Entry &e) {
  if (failed_)
    return;
  if (detailBatch_.bytes + e.bytes > kDetailBatchBytes || linkCount_ == kMostLinks)
    flushDetail(t);
  uint64_t link = t.detail.events() + detailBatch_.events;
  if (!t.detail.canLink(e.indexSeq, link) || e.indexSeq >= t.index.events())
    return;
  __builtin_memcpy(detailBytes_ + detailBatch_.bytes, e.data(), e.bytes);
  detailBatch_.add({e.count, e.bytes, e.ns, e.ns, e.indexSeq, e.indexSeq});
  links_[linkCount_++] = {e.indexSeq, link};
}

// Detail first, links after it: a killed process may leave a detail event that no link leads to, which recovery finds,
// but never a link that leads nowhere.
void SessionWriter::flushDetail(Thread &t) {
  if (detailBatch_.events > 0 && !failed_) {
    const uint64_t before = t.detail.bytes();
    tryToWrite(t.number, t.detail.name(), [&] { return t.detail.append(detailBytes_, detailBatch_); });
    if (!failed_)
      addTo(ring_->header().bytes_written, t.detail.bytes() - before);
    for (uint64_t i = 0; i < linkCount_ && !failed_; ++i)
      tryToWrite(t.number, t.index.name(), [&] { return t.index.linkDetail(links_[i].indexSeq, links_[i].detailSeq); });
    if (!ownFiles_)
      t.detail.closeDescriptor();
  }
  detailBatch_ = {};
  linkCount_ = 0;
}

//===--- files ------------------------------------------------------------===//

// Calls `write`, which returns 0 or a negative errno; once more if there were no descriptors left.
template <class Write> void SessionWriter::tryToWrite(uint64_t thread, const char *file, Write &&write) {
  int error = write();
  if (error == -EMFILE || error == -ENFILE) {
    closeDescriptors();
    error = write();
  }
  if (error < 0)
    fail((Path("thread_") << thread << '/' << file).c_str(), error);
}

void SessionWriter::closeDescriptors() {
  uint64_t used = ring_->header().threads_used;
  for (uint64_t i = 0; i < used; ++i)
    if (threads_[i].active) {
      threads_[i].index.closeDescriptor();
      threads_[i].detail.closeDescriptor();
      threads_[i].isCounted = false;
    }
  openFiles_ = 0;
}

void SessionWriter::fail(const char *what, int error) {
  if (failed_)
    return;
  Text<512> m("cannot write ");
  m << directory_ << '/' << what << ": " << errorText(error);
  __builtin_memcpy(failure_, m.c_str(), m.size() + 1);
  __atomic_store_n(&failed_, true, __ATOMIC_RELEASE); // what is recorded from now on is counted, and dropped
}

// Footers and headers of both files. They may still be appended to. On a full disk the newest events make room for the
// footer, so that what is there is complete.
void SessionWriter::finishThread(uint64_t slot) {
  Thread &t = threads_[slot];
  // Detail comes first, so it may belong to events that could not be written, or were given up.
  auto cutDetail = [&] {
    return t.detail.cutTo(t.index.events(), [&](uint64_t seq) { t.index.linkDetail(seq, atf::kNoDetail); });
  };
  auto finish = [&] {
    int error = cutDetail();
    if (error == 0)
      error = t.detail.finish();
    return error < 0 ? error : t.index.finish(t.detail.exists());
  };
  if (!failed_)
    tryToWrite(t.number, t.index.name(), finish);
  if (failed_ && !t.index.exists())
    cutDetail();
  else if (failed_ && isFull(finish()) && makeRoom(slot))
    finish();
  noteClosed(slot);
  t.detail.closeDescriptor();
  t.index.closeDescriptor();
  openFiles_ -= t.isCounted;
  t.isCounted = false;
}

void SessionWriter::end(uint64_t slot) {
  finishThread(slot);
  summarise(slot);
  threads_[slot].active = false;
}

void SessionWriter::finishFiles() {
  uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t i = 0; i < used; ++i)
    if (threads_[i].active)
      finishThread(i);
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

// On a full disk: the thread's newest events make room for what tells of the others. False if there are none.
bool SessionWriter::makeRoom(uint64_t slot) {
  constexpr uint64_t kEvents = 1024; // some pages
  uint64_t gone = threads_[slot].index.exists() ? threads_[slot].index.shorten(kEvents) : 0;
  addTo(ring_->header().events_written, 0 - gone);
  ada_ring_thread &thread = ring_->threads()[slot];
  ada_ring_cursor &cursor = thread.cursor[1 - thread.current];
  cursor = thread.cursor[thread.current];
  cursor.events -= gone;
  thread.left_out[1 - thread.current] = thread.left_out[thread.current];
  threads_[slot].unwritten += gone;
  turnJournal(slot);
  return gone > 0;
}

// What the manifest says of a thread, as it is now.
void SessionWriter::summarise(uint64_t slot) {
  Thread &t = threads_[slot];
  ada_ring_thread &from = ring_->threads()[slot];
  if (!summaries_.reserve(t.number + 1))
    return;
  Summary &s = summaries_[t.number];
  s.number = t.number, s.tid = from.tid;
  __builtin_memcpy(s.name, from.name, sizeof s.name);
  s.events = t.index.events(), s.removed = t.index.removed(), s.details = t.detail.events();
  s.timeStart = t.index.timeStart(), s.timeEnd = t.index.timeEnd();
  s.leftOut = from.left_out[from.current];
  ring::lossesAt(from, from.cursor[from.current], s.lost);
  if (t.number + 1 > summaryCount_)
    summaryCount_ = t.number + 1;
  if (s.name[0] == 0) { // still running, or gone without a word
    readThreadName(from.tid, from.comm);
    __builtin_memcpy(s.name, from.comm, sizeof s.name);
  }
}

} // namespace ada
