// From the ring to the index and detail files: reading, encoding, the journal.
#include "thread_writer.h"

#include "core/images/images.h"
#include "process_writer.h"
#include "shared/ring/left_out.h"
#include "shared/ring/losses.h"
#include "shared/ring/tables.h"

#include <type_traits>

namespace ada::runtime {
namespace {

// The number of chunks that a pass takes from one thread: a busy thread must not starve the others, whose chunks fill
// meanwhile.
constexpr int kMaxChunks = 64;

ring::GapList *makeGapList() { return static_cast<ring::GapList *>(sys::mapMemory(sizeof(ring::GapList))); }

ring::Frame *growStack(ring::Frame *old, size_t oldCount, size_t newCount) {
  size_t bytes = newCount * sizeof(ring::Frame);
  if (!old)
    return static_cast<ring::Frame *>(sys::mapMemory(bytes));
  long p = sys::call(SYS_mremap, old, oldCount * sizeof(ring::Frame), bytes, MREMAP_MAYMOVE);
  return p < 0 && p > -4096 ? nullptr : reinterpret_cast<ring::Frame *>(p);
}

void addTo(uint64_t &counter, uint64_t n) { __atomic_add_fetch(&counter, n, __ATOMIC_RELAXED); }

} // namespace

void ThreadWriter::begin(ProcessWriter &process, uint64_t slot) {
  process_ = &process, ring_ = &process.ring();
  slotNumber_ = slot, slot_ = ring_->threads() + slot;
  number_ = slot_->index;
  isActive_ = true, isEnded_ = isBehind_ = false;
  inferred_ = unwritten_ = 0;
  before_ = {};
  beginReading();
  const uint32_t format = ring_->header().format, tid = slot_->tid;
  index_.begin(process.place(), number_, tid, format, process.blocksOf(slot));
  detail_.begin(process.place(), number_, tid, ring::detailVersion(format), process.detailsOf(slot));
  retained_.reset(process.pool());
  sched_ = &process.sched().file(slot);
  sched_->begin(process.sched(), *slot_);
  process.manifestChanged();
}

// The memory of the slot's previous thread is used again.
void ThreadWriter::beginReading() {
  const ring::CallStack stack = reader_.expansion.stack;
  ring::GapList *gaps = reader_.expansion.gaps.list;
  reader_ = ring::RecordReader();
  ring::ThreadExpansion &expansion = reader_.expansion;
  expansion.stack = stack;
  expansion.stack.depth = 0;
  expansion.gaps.list = gaps, expansion.gaps.makeList = makeGapList;
  expansion.gaps.startNs = process_->clock().lastPassNs();
  if (gaps)
    gaps->count = 0;
  expansion.leastNs = ring_->header().least_ns, expansion.mostDepth = ring_->header().most_depth;
  heldSeq_ = readToNs_ = 0;
}

void ThreadWriter::release() {
  if (const ring::CallStack &stack = reader_.expansion.stack; stack.frames)
    sys::unmap(stack.memory(), stack.memoryCount() * sizeof(ring::Frame));
  if (reader_.expansion.gaps.list)
    sys::unmap(reader_.expansion.gaps.list, sizeof(ring::GapList));
}

//===--- reading ----------------------------------------------------------===//

uint64_t ThreadWriter::drain(Workspace &work, const Pass &pass) {
  // Read this before the records: then the records of a thread that has ended are complete.
  isEnded_ = __atomic_load_n(&slot_->state, __ATOMIC_ACQUIRE) == ADA_THREAD_ENDED;
  const bool isAll = pass.extent == Extent::Last || isEnded_, isWhole = isAll || pass.extent == Extent::Whole;
  const bool leavesOut = this->leavesOut(), hasWindows = process_->windows().active();
  const uint64_t limitStamp = process_->clock().limitStamp(), gapsBefore = reader_.expansion.gaps.ended;
  SchedFile::HeldTimes heldTimes;
  ring::Held held;
  uint64_t records = 0;
  bool more = true;
  for (int chunks = 0; more && (chunks < kMaxChunks || isWhole);) {
    if (reader_.mustGiveBack() || !hasRoom(work, ADA_CHUNK_RECORDS + ring::kMaxWaiting))
      commit(work, reader_.walk.place);
    if (!reader_.look(*ring_, *slot_, limitStamp, isAll)) {
      more = false;
      break;
    }
    if (takeHeld(work.view, held))
      sched_->noteHeld(heldTimes, held, reader_.walk.seq, reader_.expansion.lastNs == 0);
    if (!hasWindows)
      records += takePlain(work);
    reader_.take(work.batch);
    expandBatch(work);
    records += work.batch.count;
    more = reader_.advance(*ring_, work.batch);
    chunks += !reader_.again;
    if (leavesOut)
      writeWaiting(work, reader_.expansion.lastNs);
  }
  if (leavesOut && !more)
    writeWaiting(work, isWhole ? UINT64_MAX : pass.limitNs);
  sched_->writeHeld(heldTimes);
  commit(work, reader_.walk.place);
  publish(work.view);
  readToNs_ = more ? 0 : pass.limitNs;
  if (reader_.expansion.gaps.ended != gapsBefore)
    process_->manifestChanged();
  isBehind_ = more;
  return records;
}

// Encodes the plain records, which have no detail and trigger nothing, as they are read. Returns how many there were.
uint64_t ThreadWriter::takePlain(Workspace &work) {
  return leavesOut()                   ? takePlainWith<Filter::LeavesOut>(work)
         : process_->budget().active() ? takePlainWith<Filter::Counts>(work)
                                       : takePlainWith<Filter::None>(work);
}

template <ThreadWriter::Filter kFilter> uint64_t ThreadWriter::takePlainWith(Workspace &work) {
  ring::ThreadExpansion &expansion = reader_.expansion;
  Budget &budget = process_->budget();
  const bool isCounted = budget.active();
  if constexpr (kFilter == Filter::None)
    if (PackedFile *const file = index_.packed(); file && file->agrees(expansion.stack)) {
      PackedFile::Sink sink = file->sink(endOf(work, *file));
      const uint64_t count = reader_.takePlainTo(*ring_, work.view.clock, work.view.modules, sink);
      if (count > 0)
        work.eventCount += count, work.eventBytes = static_cast<size_t>(sink.at() - work.events);
      return count;
    }
  return index_.with([&](auto &file) {
    typename std::remove_reference_t<decltype(file)>::Run run(file, endOf(work, file));
    auto encode = [&](const ring::Event &e) __attribute__((always_inline)) { run.encode(e); };
    auto take = [&](auto &&emit) { return reader_.takePlain(*ring_, work.view.clock, work.view.modules, emit); };
    uint64_t count, kept = 0;
    if constexpr (kFilter == Filter::None)
      count = kept = take(encode);
    else if constexpr (kFilter == Filter::Counts)
      count = kept = take([&](const ring::Event &e) { budget.count(e, false), encode(e); });
    else {
      auto keep = [&](const ring::Event &e) { ++kept, run.encode(e); };
      count = take([&](const ring::Event &e) __attribute__((always_inline)) {
        if (isCounted)
          budget.count(e, false);
        ring::leaveOut(expansion, e, false, keep);
      });
    }
    if (kept > 0)
      work.eventCount += kept, work.eventBytes = static_cast<size_t>(run.end() - work.events);
    ADA_ASSERT(agrees());
    return count;
  });
}

// Whether the encoder has as many open calls as the expander. Not if there are calls that are not in the file: lost
// ones, those that are left out or wait for that, those beyond memory, and all after a failure.
bool ThreadWriter::agrees() const {
  const ring::ThreadExpansion &expansion = reader_.expansion;
  const PackedFile *file = index_.packed();
  return !file || expansion.hasNotes || leavesOut() || expansion.stack.depth == expansion.stack.capacity ||
         process_->failed() || file->openCalls() == expansion.stack.depth;
}

// Expands the records of the batch, which may be of any kind.
void ThreadWriter::expandBatch(Workspace &work) {
  ring::ThreadExpansion &expansion = reader_.expansion;
  Budget &budget = process_->budget();
  const bool isCounted = budget.active(), leavesOut = this->leavesOut();
  for (uint64_t i = 0; i < work.batch.count; ++i) {
    // A record may produce any number of events; this is enough for nearly all.
    if (__builtin_expect(!hasRoom(work, 1024), 0))
      commit(work, work.batch.places[i]);
    const ada_detail *const detail = work.batch.details[i];
    auto take = [&](const ring::Event &e) {
      const ada_detail *const own = e.ofRecord ? detail : nullptr;
      if (__builtin_expect(isCounted, 0))
        budget.count(e, own != nullptr);
      if (__builtin_expect(!leavesOut, 1))
        return add(work, e, own);
      ring::leaveOut(expansion, e, own || isWanted(e),
                     [&](const ring::Event &kept) { add(work, kept, kept.ofRecord ? own : nullptr); });
    };
    ring::expand(expansion, work.batch.records[i], work.view.clock, work.view.modules, growStack, take, detail);
    ADA_ASSERT(agrees());
  }
}

// Writes calls that began long enough before that time to the file.
void ThreadWriter::writeWaiting(Workspace &work, uint64_t nowNs) {
  ring::emitOldWaiting(reader_.expansion, nowNs, [&](const ring::Event &e) {
    add(work, e, nullptr);
    reader_.isMoved = true;
  });
}

// Called before a chunk's records are taken. True if the chunk says how long the thread was held up. Not yet if the
// hold lasts beyond the end of the clock map: the chunk's records are not older, so they are left to the next pass as
// well.
bool ThreadWriter::takeHeld(PassClock::View &view, ring::Held &held) {
  const ring::ThreadWalk &walk = reader_.walk;
  if (__builtin_expect(walk.seq < heldSeq_, 1))
    return false;
  const ada_chunk &chunk = *walk.chunk;
  if (chunk.held_to > reader_.rules.limitStamp && walk.place == 0)
    return false;
  heldSeq_ = walk.seq + 1;
  held =
      ring::heldFor(chunk, view.clock, reader_.expansion.lastNs, /*isLastEvent=*/walk.seq > 0, ring_->header().times);
  return held.placedNs() + held.missingNs > 0;
}

void ThreadWriter::writeHeldAtEnd(PassClock::View &view) {
  const uint64_t from = __atomic_exchange_n(&slot_->held_at_end, 0, __ATOMIC_RELAXED);
  const uint64_t to = process_->clock().beginStamp();
  if (from == 0 || from >= to)
    return;
  ada_chunk wait = {};
  wait.held_from = from, wait.held_to = wait.start_stamp = to, wait.held_reason = ADA_HELD_OTHER;
  const ring::Held held = ring::heldFor(wait, view.clock, lastNs(), /*isLastEvent=*/true, ADA_TIMES_EXACT);
  SchedFile::HeldTimes times;
  sched_->noteHeldAtEnd(times, held);
  sched_->writeHeld(times);
}

void ThreadWriter::publish(PassClock::View &view) {
  reader_.publish(*ring_, *slot_);
  PassClock &clock = process_->clock();
  if (!clock.hasToCheck())
    return;
  const ring::ThreadWalk &w = reader_.walk;
  const uint64_t next = w.chunk ? __atomic_load_n(&w.chunk->next, __ATOMIC_ACQUIRE) : 0;
  uint64_t stamp = w.chunk && w.place < ADA_CHUNK_RECORDS ? ring::placeAt(*w.chunk, w.place).stamp : 0;
  if (next)
    stamp = ring_->chunk(next - 1)->start_stamp;
  clock.check(stamp, view);
}

void ThreadWriter::giveEverythingBack() {
  reader_.releaseAll(*ring_);
  if (uint32_t notes = slot_->notes_chunk)
    ring_->giveBack(ring_->chunk(notes - 1));
  ring_->giveBack(slot_);
}

//===--- encoding ---------------------------------------------------------===//

// The place for the next event.
template <class File> unsigned char *ThreadWriter::endOf(const Workspace &work, File &file) {
  return work.eventBytes ? work.events + work.eventBytes : file.beginBatch(work.events);
}

// Whether the workspace may take `events` more events: it need not be written yet, and there is memory.
bool ThreadWriter::hasRoom(const Workspace &work, uint64_t events) const {
  return index_.with([&](const auto &file) {
    using File = std::remove_const_t<std::remove_reference_t<decltype(file)>>;
    return work.eventBytes < File::kMaxBatchBytes &&
           work.eventBytes + events * File::kMaxEventBytes <= Workspace::kEventBytes;
  });
}

// Whether the call goes to the file however short it is.
bool ThreadWriter::isWanted(const ring::Event &e) const {
  return process_->windows().active() && process_->images().triggersOf(e.functionId) != 0;
}

// Adds an event. `detail`: the detail in its record, or null.
void ThreadWriter::add(Workspace &work, const ring::Event &e, const ada_detail *detail) {
  // In the middle of a record: the journal stays as it is, and recovery takes the record again.
  if (work.eventBytes + packed::kMaxEventBytes > Workspace::kEventBytes)
    writeEvents(work);
  uint64_t link = atf::kNoDetail;
  if (__builtin_expect(process_->windows().active(), 0))
    lookForTriggers(work, e, detail);
  else if (__builtin_expect(detail != nullptr, 0))
    link = addDetail(work, e, *detail);
  index_.with([&](auto &file) {
    work.eventBytes = static_cast<size_t>(file.encode(endOf(work, file), e, link) - work.events);
  });
  ++work.eventCount;
  inferred_ += e.kind == ring::kInferred;
}

// Returns the link to the detail event of the next index event.
uint64_t ThreadWriter::addDetail(Workspace &work, const ring::Event &e, const ada_detail &d) {
  if (work.details.bytes + DetailFile::kMaxBytes > Workspace::kDetailBytes)
    flushDetail(work); // before the index events: recovery drops unlinked detail
  const uint64_t seq = events(work), link = detail_.events() + work.details.events;
  if (!detail_.canLink(seq, link))
    return atf::kNoDetail;
  unsigned count = 0;
  const size_t n = detail_.encode(work.detailBytes + work.details.bytes, e, d, seq, count);
  work.details.add({count, n, e.timestampNs, e.timestampNs, seq, seq});
  return link;
}

//===--- writing and the journal ------------------------------------------===//

// Writes the expanded events, then the journal. `place`: that of the next record, which has not been expanded.
void ThreadWriter::commit(Workspace &work, uint64_t place) {
  if (!reader_.isMoved)
    return;
  const uint32_t other = 1 - slot_->current;
  fillCursor(events(work), place, other);
  writeEvents(work);
  if (process_->failed())
    slot_->cursor[other].events = index_.events();
  turnJournal();
  closeOneTooMany();
  reader_.giveBack(*ring_, *slot_);
  if (!work.isHelpers && ring_->isShort())
    process_->prepare();
}

// Writes the journal's entry for a file of `events` events.
void ThreadWriter::fillCursor(uint64_t events, uint64_t place, unsigned half) {
  slot_->left_out[half] = reader_.expansion.leftOut;
  slot_->inferred[half] = static_cast<uint32_t>(inferred_ < UINT32_MAX ? inferred_ : UINT32_MAX);
  slot_->lost_in_gaps[half] = reader_.expansion.gaps.threadLost;
  reader_.fillCursor(events, place, reader_.expansion.hasNotes ? notes(half) : nullptr, ADA_CHUNK_NOTES_PER_CURSOR,
                     slot_->cursor[half]);
}

// Memory for what recovery can't learn from the file about the open calls; null if there is none.
ada_ring_note *ThreadWriter::notes(unsigned half) {
  if (slot_->notes_chunk == 0) {
    ada_chunk *chunk;
    if (!ring_->takeChunkForDrain(chunk))
      return nullptr;
    chunk->thread = number_;
    __atomic_store_n(&chunk->state, ADA_CHUNK_NOTES, __ATOMIC_RELEASE);
    slot_->notes_chunk = static_cast<uint32_t>(ring_->numberOf(chunk)) + 1;
  }
  return reinterpret_cast<ada_ring_note *>(ring_->chunk(slot_->notes_chunk - 1) + 1) +
         half * ADA_CHUNK_NOTES_PER_CURSOR;
}

// Makes the journal's other entry the current one. It always says which records the file holds; it may count fewer
// events than the file has.
void ThreadWriter::turnJournal() {
  const uint32_t other = 1 - slot_->current;
  ada_ring_cursor &now = slot_->cursor[other], &before = slot_->cursor[slot_->current];
  now.lost[ADA_LOST_WRITE_ERROR] = unwritten_;
  if (int64_t more = ring::sumOfLosses(now) - ring::sumOfLosses(before))
    addTo(ring_->header().events_lost, static_cast<uint64_t>(more));
  __atomic_store_n(&slot_->current, other, __ATOMIC_RELEASE);
}

void ThreadWriter::writeEvents(Workspace &work) {
  ada_ring_header &header = ring_->header();
  flushDetail(work); // first, so that a link in the index always leads somewhere
  const uint64_t before = index_.events();
  if (!process_->failed())
    process_->tryToWrite(number_, index_.name(),
                         [&] { return index_.append(work.events, work.eventBytes, work.eventCount); });
  if (index_.events() != before + work.eventCount)
    unwritten_ += work.eventCount;
  else {
    addTo(header.events_written, work.eventCount);
    addTo(header.bytes_written, work.eventBytes);
  }
  work.eventCount = 0, work.eventBytes = 0;
  noteClosedBlock();
}

// Detail first, links afterwards: a killed process may leave a detail event without a link, which recovery finds, but
// never a link that leads nowhere.
void ThreadWriter::flushDetail(Workspace &work) {
  process_->writeNewWindows();
  if (work.details.events > 0 && !process_->failed()) {
    const uint64_t before = detail_.bytes();
    process_->tryToWrite(number_, detail_.name(), [&] { return detail_.append(work.detailBytes, work.details); });
    if (!process_->failed())
      addTo(ring_->header().bytes_written, detail_.bytes() - before);
    for (uint64_t i = 0; i < work.linkCount && !process_->failed(); ++i)
      process_->tryToWrite(number_, index_.name(),
                           [&] { return index_.linkDetail(work.links[i].indexSeq, work.links[i].detailSeq); });
    if (!process_->ownsFiles())
      detail_.closeDescriptor();
  }
  work.details = {};
  work.linkCount = 0;
  retained_.settle(process_->pool());
}

// After a commit: closes descriptors that must not stay open.
void ThreadWriter::closeOneTooMany() {
  if (!process_->ownsFiles()) {
    index_.closeDescriptor();
    return;
  }
  if (!index_.isOpen() || isCounted_)
    return;
  isCounted_ = true;
  process_->countOpenFile(*this);
}

void ThreadWriter::closeDescriptors() {
  detail_.closeDescriptor();
  index_.closeDescriptor();
  if (isCounted_)
    process_->uncountOpenFile();
  isCounted_ = false;
}

// With max_size and max_time, for blocks that have been closed since.
void ThreadWriter::noteClosedBlock() {
  Bound &bound = process_->bound();
  if (!bound.active())
    return;
  Bound::Block block = {.bytes = 0, .lastNs = 0, .thread = number_, .slot = slotNumber_};
  if (index_.packed()->takeClosed(block.bytes, block.lastNs))
    while (!bound.add(block) && !bound.isEmpty())
      process_->removeOldest();
}

//===--- the files' ends --------------------------------------------------===//

// Detail is written first, so it may belong to events that could not be written, or were removed again.
int ThreadWriter::cutDetail() {
  return detail_.cutTo(index_.events(), [&](uint64_t seq) { index_.linkDetail(seq, atf::kNoDetail); });
}

int ThreadWriter::finishFiles() {
  int error = cutDetail();
  if (error == 0)
    error = detail_.finish();
  return error < 0 ? error : index_.finish(detail_.exists());
}

// On a full disk the newest events make room for the footer, so that the rest is complete.
void ThreadWriter::finish() {
  if (!process_->failed())
    process_->tryToWrite(number_, index_.name(), [&] { return finishFiles(); });
  if (process_->failed() && !index_.exists())
    cutDetail();
  else if (process_->failed() && ProcessWriter::isFull(finishFiles()) && makeRoom())
    finishFiles();
  noteClosedBlock();
  closeDescriptors();
}

bool ThreadWriter::makeRoom() {
  constexpr uint64_t kEvents = 1024; // some pages
  const uint64_t gone = index_.exists() ? index_.shorten(kEvents) : 0;
  addTo(ring_->header().events_written, 0 - gone);
  const uint32_t now = slot_->current, other = 1 - now;
  slot_->cursor[other] = slot_->cursor[now];
  slot_->cursor[other].events -= gone;
  slot_->left_out[other] = slot_->left_out[now];
  slot_->inferred[other] = slot_->inferred[now];
  slot_->lost_in_gaps[other] = slot_->lost_in_gaps[now];
  unwritten_ += gone;
  turnJournal();
  return gone > 0;
}

void ThreadWriter::end() {
  finish();
  if (index_.exists())
    sched_->leaveRing();
  finishSched();
  sched_->end();
  gatherFacts(/*isPartDone=*/false);
  if (process_->facts().has(number_)) {
    ring::GapList list;
    listGaps(list);
    process_->facts().keepGaps(number_, list);
  }
  giveEverythingBack();
  isActive_ = false;
  process_->manifestChanged();
}

} // namespace ada::runtime
