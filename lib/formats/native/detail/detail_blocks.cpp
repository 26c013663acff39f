// Finds and decodes the blocks of packed detail files.
#include "formats/native/detail/detail_blocks.h"

#include "formats/native/bytes/compression.h"
#include "formats/native/bytes/file_checks.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace ada::packed {

Error DetailFile::error(const char *code, std::string message, uint64_t offset) const {
  return {.code = code, .message = std::move(message), .file = name_, .offset = offset};
}

Expected<DetailFile> DetailFile::parse(std::span<const std::byte> bytes, const std::string &name, const Holes &holes) {
  DetailFile file;
  file.bytes_ = bytes;
  file.name_ = name;
  file.head_ = ADA_TRY(readFileHeader<RawDetailFileHeader>(bytes, kDetailMagic, "detail", name));
  file.isFinished_ = (file.head_.flags & kFileFinished) != 0;
  const bool isWhole = file.isFinished_ && file.head_.end <= bytes.size();
  file.scan(isWhole ? uint64_t{file.head_.end} : bytes.size(), holes);
  if (!file.isFinished_) {
    file.warn(
        "W_NO_FOOTER",
        "the writer did not finish (the program was killed, ended without exit(), or still runs); all whole events in "
        "the file are used");
  } else if (!isWhole) {
    file.isFinished_ = false;
    file.warn("W_FOOTER_CORRUPT", "the file was cut off; all whole events in it are used");
  } else {
    if (file.head_.end < bytes.size())
      file.warn("W_TRAILING_BYTES",
                std::to_string(bytes.size() - file.head_.end) + " bytes after the last block were ignored");
    if (!file.isAsHeaderSays())
      file.warn("W_HEADER_COUNT_STALE", "the header says " + std::to_string(file.head_.eventCount) +
                                            " events, but there are " + std::to_string(file.events()) +
                                            ", or its times or index events are wrong");
  }
  return file;
}

//===--- which blocks there are -------------------------------------------===//

void DetailFile::add(DetailBlock block) {
  block.first = events();
  isOrdered_ &= !(block.flags & kBlockUnsorted) &&
                (blocks_.empty() || blocks_.back().totals.highestSeq <= block.totals.lowestSeq);
  block.count = block.totals.events;
  if (block.count > 0)
    blocks_.push_back(block);
}

bool DetailFile::isAsHeaderSays() const {
  atf::DetailTotals totals;
  for (const DetailBlock &block : blocks_)
    totals.add(block.totals);
  return totals.events == head_.eventCount && totals.bytes == head_.plainBytes && totals.lowestSeq == head_.lowestSeq &&
         totals.highestSeq == head_.highestSeq && totals.firstNs == head_.timeStartNs &&
         totals.lastNs == head_.timeEndNs;
}

std::optional<RawDetailBlockHeader> DetailFile::headerAt(uint64_t offset) const {
  if (offset > bytes_.size() || bytes_.size() - offset < kBlockHeaderBytes)
    return std::nullopt;
  const auto raw = load<RawDetailBlockHeader>(at(offset));
  return isDetailBlockHeader(raw, atf::crc32c) ? std::optional(raw) : std::nullopt;
}

// The offset of the next block header; `end` if there is none.
uint64_t DetailFile::findHeader(uint64_t from, uint64_t end, const Holes &holes) const {
  for (uint64_t offset = from; (offset = aligned(holes.skip(offset))) < end; offset += kBlockAlignment)
    if (headerAt(offset))
      return offset;
  return end;
}

static atf::DetailTotals totalsOf(const RawDetailBlockHeader &raw) {
  atf::DetailTotals totals;
  // An uncompressed event takes at least one byte.
  const bool isTooMany = !(raw.flags & kBlockZstd) && raw.eventCount > raw.bodyBytes;
  totals.events = isTooMany ? raw.bodyBytes : raw.eventCount;
  totals.bytes = raw.plainBytes;
  totals.lowestSeq = raw.lowestSeq, totals.highestSeq = raw.highestSeq;
  totals.firstNs = raw.firstNs, totals.lastNs = raw.lastNs;
  return totals;
}

void DetailFile::scan(uint64_t end, const Holes &holes) {
  uint64_t nextSeq = 0, lost = 0;
  for (uint64_t offset = findHeader(head_.blocksOffset, end, holes); offset < end;) {
    const RawDetailBlockHeader raw = *headerAt(offset);
    if (raw.firstSeq > nextSeq)
      lost += raw.firstSeq - nextSeq;
    const uint64_t start = offset + kBlockHeaderBytes;
    uint64_t next = end;
    if (raw.flags & kBlockOpen) {
      next = findHeader(start, end, holes);
      const auto follower = next < end ? headerAt(next) : std::nullopt;
      addOpenBlock(raw, offset, next, follower ? follower->firstSeq - raw.firstSeq : ~uint64_t{0});
    } else if (start > end || raw.bodyBytes > end - start) {
      // Cut off: its events up to there can be read, but their checksum is gone.
      addOpenBlock(raw, offset, end, raw.eventCount);
    } else {
      add({.offset = offset,
           .bytes = blockBytes(raw),
           .firstSeq = raw.firstSeq,
           .totals = totalsOf(raw),
           .flags = raw.flags});
      next = aligned(start + raw.bodyBytes);
      if (next < end && !headerAt(next))
        next = findHeader(next, end, holes);
    }
    const uint64_t there = blocks_.empty() || blocks_.back().offset != offset ? 0 : blocks_.back().count;
    nextSeq = raw.firstSeq + there;
    if (!(raw.flags & kBlockOpen) && raw.eventCount > there)
      lost += raw.eventCount - there, nextSeq = raw.firstSeq + raw.eventCount;
    offset = next;
  }
  if (lost > 0)
    warn("W_BLOCKS_DAMAGED", lostEventsText(lost));
}

// Adds a block whose body lasts until `next`, with all whole events before that.
void DetailFile::addOpenBlock(const RawDetailBlockHeader &raw, uint64_t offset, uint64_t next, uint64_t mostEvents) {
  if (raw.flags & kBlockZstd || next - offset < kBlockHeaderBytes) // a cut frame can't be decompressed
    return;
  auto state = std::make_unique<DetailState>();
  DetailDecoder decoder(*state);
  DetailBlockTotals totals;
  UnpackedDetail event;
  mostEvents = std::min(mostEvents, kMostDetailBlockEvents);
  const Byte *body = at(offset + kBlockHeaderBytes);
  while (totals.events < mostEvents && decoder.next(body, at(next), event) == Decoded::Event)
    totals.add(event.head, event.bytes);
  add({.offset = offset,
       .bytes = static_cast<uint64_t>(body - at(offset)),
       .firstSeq = raw.firstSeq,
       .totals = totals,
       .flags = static_cast<uint8_t>(kBlockOpen | (totals.unsorted ? kBlockUnsorted : 0))});
}

size_t DetailFile::blockOf(uint64_t seq) const {
  const auto next = std::ranges::upper_bound(blocks_, seq, {}, &DetailBlock::first);
  return static_cast<size_t>(next - blocks_.begin()) - 1;
}

//===--- their events -----------------------------------------------------===//

Expected<void> DetailFile::check(const DetailBlock &block) const {
  const std::optional<RawDetailBlockHeader> raw = headerAt(block.offset);
  if (!raw || raw->firstSeq != block.firstSeq)
    return error("E_BAD_BLOCK", "the header of a block is damaged", block.offset);
  if (block.flags & kBlockOpen)
    return {}; // it has no checksum yet
  if (raw->eventCount != block.count || raw->flags != block.flags || blockBytes(*raw) != block.bytes)
    return error("E_BAD_BLOCK", "the header of a block was changed", block.offset);
  if (atf::crc32c(0, at(block.offset + kBlockHeaderBytes), block.bytes - kBlockHeaderBytes) != raw->bodyChecksum)
    return error("E_BAD_CHECKSUM",
                 "a block of " + std::to_string(block.count) + " detail events is damaged: its checksum is wrong",
                 block.offset + offsetof(RawDetailBlockHeader, bodyChecksum));
  return {};
}

std::span<const Byte> DetailFile::bodyOf(const DetailBlock &block, std::vector<Byte> &plain) const {
  const std::span<const Byte> body(at(block.offset + kBlockHeaderBytes), block.bytes - kBlockHeaderBytes);
  if (!(block.flags & kBlockZstd))
    return body;
  const std::optional<RawDetailBlockHeader> raw = headerAt(block.offset);
  if (raw)
    plain = uncompressed(body, raw->unpackedBytes);
  return plain;
}

Expected<void> DetailFile::decode(const DetailBlock &block, DetailEvents &events) const {
  events.plain.clear(), events.offsets.clear();
  ADA_TRY(check(block));
  std::vector<Byte> unpacked;
  const std::span<const Byte> body = bodyOf(block, unpacked);
  if (body.empty())
    return error("E_BAD_BLOCK",
                 canCompress() ? "the body of a block can't be unpacked"
                               : "the body of a block is compressed with zstd, without which this was built",
                 block.offset);
  auto state = std::make_unique<DetailState>();
  DetailDecoder decoder(*state);
  const Byte *next = body.data(), *const end = next + body.size();
  DetailBlockTotals totals;
  UnpackedDetail event;
  events.offsets.reserve(block.count);
  events.plain.reserve(std::min<uint64_t>(block.totals.bytes, 512 * block.count + body.size()));
  while (totals.events < block.count) {
    const Byte *const from = next;
    if (decoder.next(next, end, event) != Decoded::Event)
      return error("E_BAD_BLOCK",
                   "detail event " + std::to_string(block.first + totals.events) +
                       " is not one that a writer can have written",
                   block.offset + (unpacked.empty() ? static_cast<uint64_t>(from - at(block.offset)) : 0));
    const size_t offset = events.plain.size();
    events.offsets.push_back(offset);
    events.plain.resize(offset + atf::kDetailEventHeaderBytes + event.bytes);
    auto *to = reinterpret_cast<Byte *>(events.plain.data()) + offset;
    atf::encodeDetailHead(to, 2, event.head, static_cast<uint32_t>(event.bytes));
    if (event.bytes > 0)
      std::memcpy(to + atf::kDetailEventHeaderBytes, event.payload, event.bytes);
    totals.add(event.head, event.bytes);
  }
  const bool isUnsorted = (block.flags & kBlockUnsorted) != 0;
  if (totals.bytes != block.totals.bytes || totals.lowestSeq != block.totals.lowestSeq ||
      totals.highestSeq != block.totals.highestSeq || totals.firstNs != block.totals.firstNs ||
      totals.lastNs != block.totals.lastNs || totals.unsorted != isUnsorted)
    return error("E_BAD_BLOCK", "the events of a block contradict its header", block.offset);
  if (!(block.flags & kBlockOpen) && next != end)
    return error("E_BAD_BLOCK", "a block has more events than its header says", block.offset);
  return {};
}

} // namespace ada::packed
