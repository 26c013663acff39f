// The part of IndexReader that reads packed files: events are decoded by blocks, which are kept for a while.
#include "ada/trace/atf_index.h"

#include "formats/native/bytes/file_checks.h"
#include "formats/native/index/block_reader.h"
#include "formats/native/index/index_shared.h"
#include "trace/base/try.h"

#include <algorithm>
#include <atomic>

namespace ada::atf {

Expected<void> IndexReader::parsePacked(const OpenOptions &options) {
  shared_->packed = ADA_TRY(packed::File::parse(shared_->bytes, name_, shared_->file.holes()));
  const packed::File &parsed = *shared_->packed;
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
  if (lowMemory_) // what the system has mapped around the headers, in each of the session's files
    shared_->file.release(shared_->bytes);
  return options.checksum == ChecksumPolicy::Verify ? verifyPacked() : Expected<void>();
}

Expected<void> IndexReader::verifyPacked() {
  if (checksumNow_ != ChecksumState::Deferred)
    return {};
  ADA_TRY(packed::checkBlocks(*shared_->packed, shared_->bytes, lowMemory_ ? &shared_->file : nullptr));
  checksumNow_ = isFinished_ ? ChecksumState::Ok : ChecksumState::Absent;
  return {};
}

std::shared_ptr<const IndexReader::EventBlock> IndexReader::block(uint64_t seq) const {
  Shared &shared = *shared_;
  std::shared_ptr<EventBlock> block;
  {
    const std::lock_guard lock(shared.mutex);
    for (const auto &known : shared.decoded)
      if (known && seq >= known->first && seq < known->last)
        return known;
    block = shared.unusedBlock();
  }
  // Without the lock, so that other threads can decode other blocks. They may decode this one too.
  const packed::Block &place = shared.packed->blocks()[shared.packed->blockOf(seq)];
  block->first = place.first, block->last = place.last();
  std::vector<size_t> linked;
  const auto decoded = shared.packed->decode(place, block->events, linked);
  {
    const std::lock_guard lock(shared.mutex);
    if (!decoded && !shared.damage)
      shared.damage = decoded.error();
    if (shared.links) {
      std::vector<uint64_t> stored;
      for (const size_t i : linked)
        stored.push_back(block->events[i].detailSeq);
      shared.links->set(block->events, place.firstSeq);
      for (size_t i = 0; i < linked.size(); ++i)
        block->events[linked[i]].detailSeq = stored[i];
    }
    shared.decoded[shared.nextDecoded++ % shared.decoded.size()] = block;
  }
  DecodedBlocks::keep(shared_);
  return block;
}

std::shared_ptr<IndexReader::EventBlock> IndexReader::Shared::unusedBlock() {
  for (auto &buffer : buffers) {
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
  if (!isPacked_ || seq >= count_ || !shared_->packed->isSorted())
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
  const packed::File &file = *shared_->packed;
  const packed::Block *place = seq < count_ ? &file.blocks()[file.blockOf(seq)] : file.start();
  if (!place)
    return open;
  open.beforeNs = file.beforeNs(*place);
  open.unknown = file.openCalls(
      *place, [&](uint64_t functionId, uint64_t beginNs) { open.calls.push_back({functionId, beginNs}); });
  return open;
}

std::vector<uint64_t> IndexReader::firstFunctions(size_t most) const {
  std::vector<uint64_t> functions;
  const OpenCalls open = openAtStart();
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
  if (const packed::File *file = finishedPacked(); file && !file->blocks().empty()) { // decodes no whole block
    packed::BlockReader reader;
    if (reader.begin(*file, file->blocks().front()))
      (void)reader.read(std::min<uint64_t>(reader.left(), most),
                        [&](const packed::Event &event) { take(event.functionId, EventKind{event.kind}); });
  } else if (!file) {
    for (uint64_t seq = 0; seq < std::min<uint64_t>(count_, most); ++seq) {
      const IndexEvent event = (*this)[seq];
      take(event.functionId, event.kind);
    }
  }
  functions.resize(std::min(functions.size(), most));
  return functions;
}

std::optional<uint64_t> IndexReader::print() const {
  return isPacked_ && isFinished_ ? shared_->packed->print() : std::nullopt;
}

void IndexReader::linkDetails(const DetailReader &details) const {
  if (!isPacked_)
    return;
  const std::lock_guard lock(shared_->mutex);
  if (shared_->links)
    return;
  shared_->links.emplace(details);
  shared_->decoded = {};
}

std::optional<Error> IndexReader::damage() const {
  if (!isPacked_)
    return std::nullopt;
  const std::lock_guard lock(shared_->mutex);
  return shared_->damage;
}

const packed::File *IndexReader::finishedPacked() const noexcept {
  return isPacked_ && isFinished_ ? &*shared_->packed : nullptr;
}

void IndexReader::noteDamage(const Error &error) const {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->damage)
    shared_->damage = error;
}

void IndexReader::Shared::letGo() noexcept {
  const std::lock_guard lock(mutex);
  decoded = {};
  buffers = {};
}

void IndexReader::Shared::releaseBlocks(SeqRange range) noexcept {
  if (range.empty())
    return;
  const std::lock_guard lock(mutex);
  for (auto &known : decoded)
    if (known && known->last <= range.last)
      known.reset();
  if (range.last == packed->events())
    for (auto &buffer : buffers)
      buffer.reset();
  for (size_t i = packed->blockOf(range.first); i < packed->blocks().size(); ++i) {
    const packed::Block &block = packed->blocks()[i];
    if (block.last() > range.last)
      break;
    file.release(bytes.subspan(block.offset, block.bytes));
  }
}

} // namespace ada::atf
