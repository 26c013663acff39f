// The part of DetailReader that reads packed files: events are decoded by blocks, which are kept for a while.
#include "ada/trace/atf_detail.h"

#include "formats/native/bytes/checks.h"
#include "formats/native/detail/detail_shared.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::atf {

bool DetailReader::isPacked() const noexcept { return shared_ && shared_->packed; }

Expected<void> DetailReader::parsePacked(const OpenOptions &options) {
  shared_->packed = ADA_TRY(packed::DetailBlocks::parse(shared_->bytes, name_, shared_->file.holes()));
  const packed::DetailBlocks &parsed = *shared_->packed;
  const packed::RawDetailFileHeader &raw = parsed.header();
  count_ = parsed.events();
  lowMemory_ = options.lowMemory;
  flaws_ = parsed.warnings();
  checksumNow_ = ChecksumState::Deferred;
  head_ = {.version = 2,
           .arch = raw.arch,
           .os = raw.os,
           .flags = raw.flags,
           .threadId = raw.threadId,
           .eventsOffset = raw.blocksOffset,
           .eventCount = raw.eventCount,
           .bytesLength = raw.plainBytes,
           .indexSeqStart = raw.lowestSeq,
           .indexSeqEnd = raw.highestSeq};
  if (parsed.isFinished())
    foot_ = {.offset = raw.end,
             .checksum = raw.checksum,
             .eventCount = raw.eventCount,
             .bytesLength = raw.plainBytes,
             .timeStartNs = raw.timeStartNs,
             .timeEndNs = raw.timeEndNs};
  return options.checksum == ChecksumPolicy::Verify ? verifyPacked() : Expected<void>();
}

Expected<void> DetailReader::verifyPacked() {
  if (checksumNow_ != ChecksumState::Deferred)
    return {};
  ADA_TRY(shared_->packed->checkAll(lowMemory_ ? &shared_->file : nullptr));
  checksumNow_ = isComplete() ? ChecksumState::Ok : ChecksumState::Absent;
  return {};
}

std::shared_ptr<const DetailEventBlock> DetailReader::Shared::blockOf(uint64_t seq) {
  if (auto known = find(seq))
    return known;
  // Without the lock, so that other threads can decode other blocks. They may decode this one too.
  const packed::DetailBlock &place = packed->blocks()[packed->blockOf(seq)];
  auto block = std::make_shared<DetailEventBlock>();
  block->first = place.first, block->last = place.last(), block->offset = place.offset;
  if (const auto done = packed->decode(place, block->events); !done)
    noteDamage(done.error());
  const std::lock_guard lock(mutex_);
  add(block);
  return block;
}

// `known`: the block of an event that was read before, or null.
DetailEvent DetailReader::packedAt(uint64_t seq, const std::shared_ptr<const void> &known) const noexcept {
  auto block = std::static_pointer_cast<const DetailEventBlock>(known);
  if (!block || seq < block->first || seq >= block->last)
    block = shared_->blockOf(seq), DecodedBlocks::keep(shared_);
  DetailEvent event;
  event.seq = seq, event.offset = block->offset, event.threadId = head_.threadId;
  event.indexSeq = kNoDetail;
  const uint64_t i = seq - block->first;
  if (i < block->events.offsets.size()) {
    const Bytes plain = block->events.plain;
    const uint64_t at = block->events.offsets[i];
    const auto raw = load<RawDetailEventV2>(plain, at);
    event.totalLength = raw.totalLength, event.type = raw.type, event.flags = raw.flags;
    event.indexSeq = raw.indexSeq, event.timestampNs = raw.timestampNs;
    event.payload = plain.subspan(at + kDetailEventHeaderBytes, raw.totalLength - kDetailEventHeaderBytes);
  }
  event.block = std::move(block);
  return event;
}

std::optional<Error> DetailReader::damage() const { return shared_->damage(); }

//===--- the order of index events ----------------------------------------===//

bool DetailReader::isOrdered() const {
  if (isPacked())
    return shared_->packed->isOrdered();
  bool isOrdered = true;
  uint64_t before = 0;
  forEach([&](const DetailEvent &event) {
    isOrdered = event.indexSeq >= before;
    before = event.indexSeq;
    return isOrdered;
  });
  return isOrdered;
}

uint64_t DetailReader::lowerBound(uint64_t indexSeq) const {
  uint64_t low = 0, length = count_;
  if (isPacked()) { // finds its block without reading others
    const auto blocks = shared_->packed->blocks();
    const auto place = std::ranges::lower_bound(
        blocks, indexSeq, {}, [](const packed::DetailBlock &block) { return block.totals.highestSeq; });
    if (place == blocks.end())
      return count_;
    low = place->first, length = place->count;
    if (place->totals.lowestSeq >= indexSeq)
      return low;
  }
  while (length > 0) {
    const uint64_t half = length / 2;
    if ((*this)[low + half].indexSeq < indexSeq)
      low += half + 1, length -= half + 1;
    else
      length = half;
  }
  return low;
}

} // namespace ada::atf
