// The part of IndexReader that reads packed files: events are decoded by blocks, which are kept for a while.
#include "ada/trace/atf_index.h"

#include "formats/native/index/block_reader.h"
#include "formats/native/index/index_shared.h"
#include "trace/base/try.h"

#include <algorithm>
#include <atomic>

namespace ada::atf {

Expected<void> IndexReader::parsePacked(const OpenOptions &options) {
  shared_->packed = ADA_TRY(packed::IndexBlocks::parse(shared_->bytes, name_, shared_->file.holes()));
  const packed::IndexBlocks &parsed = *shared_->packed;
  const packed::RawFileHeader &raw = parsed.header();
  isPacked_ = true;
  count_ = parsed.events();
  total_ = shared_->bytes.size();
  lowMemory_ = options.lowMemory;
  isFinished_ = parsed.isFinished();
  source_ = isFinished_ ? CountSource::Footer : CountSource::Walk;
  checksumNow_ = ChecksumState::Deferred;
  flaws_ = parsed.warnings();
  head_ = {.version = 2,
           .arch = raw.arch,
           .os = raw.os,
           .clockType = raw.clockType,
           .flags = raw.flags & packed::kFileHasDetail ? kFlagHasDetail : 0,
           .threadId = raw.threadId,
           .eventSize = kIndexEventBytes,
           .eventCount = raw.eventCount,
           .eventsOffset = raw.blocksOffset,
           .footerOffset = raw.trailerOffset,
           .timeStartNs = raw.timeStartNs,
           .timeEndNs = raw.timeEndNs};
  releaseHeaders();
  return options.checksum == ChecksumPolicy::Verify ? verifyPacked() : Expected<void>();
}

Expected<void> IndexReader::verifyPacked() {
  if (checksumNow_ != ChecksumState::Deferred)
    return {};
  ADA_TRY(shared_->packed->checkAll(lowMemory_ ? &shared_->file : nullptr));
  checksumNow_ = isFinished_ ? ChecksumState::Ok : ChecksumState::Absent;
  return {};
}

std::shared_ptr<const IndexReader::EventBlock> IndexReader::block(uint64_t seq) const {
  if (auto known = shared_->find(seq))
    return known;
  auto block = shared_->block(seq);
  DecodedBlocks::keep(shared_);
  return block;
}

// Decodes without the lock, so that other threads can decode other blocks. They may decode this one too.
std::shared_ptr<const IndexReader::EventBlock> IndexReader::Shared::block(uint64_t seq) {
  const std::shared_ptr<EventBlock> block = unusedBlock();
  const packed::Block &place = packed->blocks()[packed->blockOf(seq)];
  block->first = place.first, block->last = place.last();
  std::vector<size_t> linked;
  if (const auto done = packed->decode(place, block->events, linked); !done)
    noteDamage(done.error());
  const std::lock_guard lock(mutex_);
  if (links_) {
    std::vector<uint64_t> stored;
    for (const size_t i : linked)
      stored.push_back(block->events[i].detailSeq);
    links_->each(place.firstSeq, block->events.size(), [&](uint64_t i, uint64_t detailSeq) {
      block->events[i].detailSeq = std::min(block->events[i].detailSeq, detailSeq);
    });
    for (size_t i = 0; i < linked.size(); ++i)
      block->events[linked[i]].detailSeq = stored[i];
  }
  add(block);
  return block;
}

std::shared_ptr<IndexReader::EventBlock> IndexReader::Shared::unusedBlock() {
  const std::lock_guard lock(mutex_);
  for (auto &buffer : buffers_) {
    if (!buffer)
      buffer = std::make_shared<EventBlock>();
    if (buffer.use_count() == 1) { // no other thread can get it any more
      std::atomic_thread_fence(std::memory_order_acquire);
      return buffer;
    }
  }
  return std::make_shared<EventBlock>();
}

IndexEvent IndexReader::packedAt(uint64_t seq) const noexcept {
  const std::shared_ptr<const EventBlock> part = block(seq);
  return seq - part->first < part->events.size() ? part->events[seq - part->first] : IndexEvent{};
}

uint64_t IndexReader::packedNumberOf(uint64_t seq) const noexcept {
  if (count_ == 0) {
    const packed::Block *start = shared_->packed->start();
    return (start ? start->firstSeq : uint64_t{shared_->packed->header().droppedCount}) + seq;
  }
  if (seq >= count_)
    return seq;
  const packed::Block &place = shared_->packed->blocks()[shared_->packed->blockOf(seq)];
  return place.firstSeq + (seq - place.first);
}

uint64_t IndexReader::packedLowerBound(uint64_t ns) const noexcept {
  const std::span<const packed::Block> blocks = shared_->packed->blocks();
  const auto place = std::ranges::lower_bound(blocks, ns, {}, &packed::Block::lastNs);
  if (place == blocks.end())
    return count_;
  if (place->firstNs >= ns)
    return place->first;
  const std::shared_ptr<const EventBlock> part = block(place->first);
  const auto found = std::ranges::lower_bound(part->events, ns, {}, &IndexEvent::timestampNs);
  return part->first + static_cast<uint64_t>(found - part->events.begin());
}

uint64_t IndexReader::cutFrom(uint64_t seq) const {
  if (!isPacked_ || seq >= count_ || !shared_->packed->isOrdered())
    return count_;
  const std::span<const packed::Block> blocks = shared_->packed->blocks();
  for (size_t i = shared_->packed->blockOf(seq); i < blocks.size(); ++i)
    if (blocks[i].first >= seq && shared_->packed->knowsAllCalls(blocks[i]))
      return blocks[i].first;
  return count_;
}

IndexReader::OpenCalls IndexReader::openBefore(uint64_t seq) const {
  OpenCalls open;
  if (!isPacked_)
    return open;
  const packed::IndexBlocks &file = *shared_->packed;
  const packed::Block *place = seq < count_ ? &file.blocks()[file.blockOf(seq)] : file.start();
  if (!place)
    return open;
  open.beforeNs = file.beforeNs(*place);
  open.unknown = file.openCalls(
      *place, [&](uint64_t functionId, uint64_t beginNs) { open.calls.push_back({functionId, beginNs}); });
  return open;
}

IndexReader::OpenCalls IndexReader::openAtStart() const {
  OpenCalls open = openBefore(0);
  releaseHeaders();
  return open;
}

std::vector<uint64_t> IndexReader::firstFunctions(size_t most) const {
  std::vector<uint64_t> functions;
  const OpenCalls open = openBefore(0);
  if (open.unknown > 0)
    return functions;
  for (const OpenCall &call : open.calls)
    functions.push_back(call.functionId);
  bool goesOn = true;
  const auto take = [&](uint64_t functionId, EventKind kind) {
    goesOn &= kind == EventKind::Call && functions.size() < most;
    if (goesOn)
      functions.push_back(functionId);
  };
  if (isPacked_ && count_ > 0) { // decodes no whole block
    packed::BlockReader reader;
    if (reader.begin(*shared_->packed, shared_->packed->blocks().front()))
      (void)reader.read(std::min<uint64_t>(reader.left(), most),
                        [&](const packed::Event &event) { take(event.functionId, EventKind{event.kind}); });
  } else {
    for (uint64_t seq = 0; seq < std::min<uint64_t>(count_, most); ++seq) {
      const IndexEvent event = (*this)[seq];
      take(event.functionId, event.kind);
    }
  }
  functions.resize(std::min(functions.size(), most));
  releaseHeaders();
  return functions;
}

std::optional<uint64_t> IndexReader::print() const {
  if (!isPacked_ || !isFinished_)
    return std::nullopt;
  const auto print = shared_->packed->print();
  releaseHeaders();
  return print;
}

// For what is asked of each of a session's files before any of them is read: around each header, the system has mapped
// a part of its file.
void IndexReader::releaseHeaders() const noexcept {
  if (lowMemory_)
    shared_->file.release(shared_->bytes);
}

void IndexReader::linkDetails(const DetailReader &details) const {
  if (isPacked_)
    shared_->link(details);
}

void IndexReader::Shared::link(const DetailReader &details) {
  const std::lock_guard lock(mutex_);
  if (links_)
    return;
  links_ = std::make_shared<const DetailLinks>(details);
  decoded_ = {};
}

std::shared_ptr<const DetailLinks> IndexReader::Shared::links() {
  const std::lock_guard lock(mutex_);
  return links_;
}

std::shared_ptr<const DetailLinks> IndexReader::links() const { return shared_->links(); }

std::optional<Error> IndexReader::damage() const { return shared_->damage(); }

void IndexReader::noteDamage(const Error &error) const { shared_->noteDamage(error); }

const packed::IndexBlocks *IndexReader::packedBlocks() const noexcept {
  return isPacked_ ? &*shared_->packed : nullptr;
}

void IndexReader::Shared::letGo() noexcept {
  LastBlocks::letGo();
  const std::lock_guard lock(mutex_);
  buffers_ = {};
}

void IndexReader::Shared::releaseBlocks(SeqRange range) noexcept {
  if (range.empty())
    return;
  const std::lock_guard lock(mutex_);
  for (auto &known : decoded_)
    if (known && known->last <= range.last)
      known.reset();
  if (range.last == packed->events())
    for (auto &buffer : buffers_)
      buffer.reset();
  for (size_t i = packed->blockOf(range.first); i < packed->blocks().size(); ++i) {
    const packed::Block &block = packed->blocks()[i];
    if (block.last() > range.last)
      break;
    file.release(bytes.subspan(block.offset, block.bytes));
  }
}

} // namespace ada::atf
