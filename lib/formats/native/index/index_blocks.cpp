// Finds and decodes the blocks of packed index files.
#include "formats/native/index/index_blocks.h"

#include "formats/native/bytes/compression.h"
#include "formats/native/bytes/file_checks.h"
#include "formats/native/index/block_reader.h"
#include "shared/encode/packed_file.h"
#include "trace/base/print.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace ada::packed {

Error File::error(const char *code, std::string message, uint64_t offset) const {
  return {.code = code, .message = std::move(message), .file = name_, .offset = offset};
}

Expected<File> File::parse(std::span<const std::byte> bytes, const std::string &name, const Holes &holes) {
  File file;
  file.bytes_ = bytes;
  file.name_ = name;
  file.head_ = ADA_TRY(readFileHeader<RawFileHeader>(bytes, kMagic, "index", name));
  file.isFinished_ = file.takeIndex();
  if (file.isFinished_)
    return file;
  file.blocks_.clear();
  file.start_.reset();
  file.isSorted_ = true;
  if (file.head_.flags & kFileFinished)
    file.warn("W_FOOTER_CORRUPT", "the block index is damaged or cut off; the blocks were looked for one by one");
  else
    file.warn(
        "W_NO_FOOTER",
        "the writer did not finish the file (the program was killed, ended without exit(), or still runs); all whole "
        "events are used");
  file.scan(holes);
  return file;
}

//===--- which blocks there are -------------------------------------------===//

void File::add(Block block) {
  block.first = events();
  if (!start_)
    start_ = block;
  if (block.count == 0)
    return;
  isSorted_ &= !(block.flags & kBlockUnsorted) && (blocks_.empty() || blocks_.back().lastNs <= block.firstNs);
  blocks_.push_back(block);
}

// Takes the blocks from the block index of a finished file. False if the index can't be relied on.
bool File::takeIndex() {
  const uint64_t size = bytes_.size(), end = head_.trailerOffset;
  if (!(head_.flags & kFileFinished) || size < kTrailerBytes || end > size - kTrailerBytes)
    return false;
  const auto trailer = load<RawTrailer>(at(end));
  const uint64_t start = trailer.indexOffset, blocks = trailer.blocks;
  if (std::memcmp(trailer.magic, "KPTA", 4) != 0 || !isSealed(trailer, atf::crc32c) || start > end ||
      end - start < kIndexHeadBytes || blocks > (end - start - kIndexHeadBytes) / kIndexEntryBytes)
    return false;
  const uint64_t indexBytes = kIndexHeadBytes + blocks * kIndexEntryBytes;
  const auto head = load<RawIndexHead>(at(start));
  if (std::memcmp(head.magic, "ATPX", 4) != 0 || head.entryBytes != kIndexEntryBytes || head.blocks != blocks ||
      atf::crc32c(0, at(start), indexBytes) != trailer.indexChecksum)
    return false;
  uint64_t behind = head_.blocksOffset;
  for (uint64_t i = 0; i < blocks; ++i) {
    const auto entry = load<RawIndexEntry>(at(start + kIndexHeadBytes + i * kIndexEntryBytes));
    const Block block{.offset = entry.offset,
                      .bytes = entry.bytes,
                      .count = entry.eventCount,
                      .firstSeq = entry.firstSeq,
                      .firstNs = entry.firstNs,
                      .lastNs = entry.lastNs,
                      .flags = static_cast<uint8_t>(entry.flags)};
    // An uncompressed event takes at least one byte.
    if (block.offset < behind || block.offset > start || block.bytes > start - block.offset ||
        block.bytes < kBlockHeaderBytes || (block.flags & kBlockOpen) || block.count > ~uint64_t{0} - events() ||
        block.count > (block.flags & kBlockZstd ? kMostPlainBytes : block.bytes - kBlockHeaderBytes))
      return false;
    behind = block.offset + block.bytes;
    add(block);
  }
  if (events() != trailer.eventCount)
    return false;
  if (end < size - kTrailerBytes)
    warn("W_TRAILING_BYTES", std::to_string(size - kTrailerBytes - end) + " bytes after the trailer were ignored");
  return true;
}

std::optional<RawBlockHeader> File::headerAt(uint64_t offset) const {
  if (offset > bytes_.size() || bytes_.size() - offset < kBlockHeaderBytes)
    return std::nullopt;
  const auto raw = load<RawBlockHeader>(at(offset));
  if (!isBlockHeader(raw, atf::crc32c) || raw.callsBytes > bytes_.size() - offset - kBlockHeaderBytes)
    return std::nullopt;
  return raw;
}

// The offset of the next block header; the file's size if there is none.
uint64_t File::findHeader(uint64_t from, const Holes &holes) const {
  for (uint64_t offset = from; (offset = aligned(holes.skip(offset))) < bytes_.size(); offset += kBlockAlignment)
    if (headerAt(offset))
      return offset;
  return bytes_.size();
}

void File::scan(const Holes &holes) {
  const uint64_t size = bytes_.size();
  uint64_t nextSeq = 0, lost = 0;
  bool isFirst = true;
  for (uint64_t offset = findHeader(head_.blocksOffset, holes); offset < size;) {
    const RawBlockHeader raw = *headerAt(offset);
    if (!isFirst && raw.firstSeq > nextSeq)
      lost += raw.firstSeq - nextSeq;
    isFirst = false;
    const uint64_t start = kBlockHeaderBytes + raw.callsBytes;
    uint64_t next = aligned(offset + start + raw.bodyBytes);
    if (raw.flags & kBlockOpen) {
      next = findHeader(offset + start, holes);
      const std::optional<RawBlockHeader> follower = headerAt(next);
      addOpenBlock(raw, offset, next, follower ? follower->firstSeq - raw.firstSeq : ~uint64_t{0});
      nextSeq = raw.firstSeq + (blocks_.empty() || blocks_.back().offset != offset ? 0 : blocks_.back().count);
    } else if (raw.bodyBytes > size - offset - start) {
      // Cut off: its events up to there can be read, but their checksum is gone.
      addOpenBlock(raw, offset, size, raw.eventCount);
      const uint64_t there = blocks_.empty() || blocks_.back().offset != offset ? 0 : blocks_.back().count;
      lost += raw.eventCount - there;
      break;
    } else {
      add({.offset = offset,
           .bytes = start + raw.bodyBytes,
           .count = std::min<uint64_t>(raw.eventCount, raw.flags & kBlockZstd ? kMostPlainBytes : raw.bodyBytes.get()),
           .firstSeq = raw.firstSeq,
           .firstNs = raw.firstNs,
           .lastNs = raw.lastNs,
           .flags = raw.flags});
      nextSeq = raw.firstSeq + raw.eventCount;
      if (!headerAt(next))
        next = findHeader(next, holes);
    }
    offset = next;
  }
  if (lost > 0)
    warn("W_BLOCKS_DAMAGED", lostEventsText(lost));
}

// Adds a block whose body lasts until `next`, with all whole events before that.
void File::addOpenBlock(const RawBlockHeader &raw, uint64_t offset, uint64_t next, uint64_t mostEvents) {
  Block block{.offset = offset, .bytes = next - offset, .firstSeq = raw.firstSeq, .flags = kBlockOpen};
  if (raw.flags & kBlockZstd) // a cut frame can't be decompressed
    return;
  auto state = std::make_unique<State>();
  Decoder decoder(*state);
  if (!beginDecoding(decoder, raw, at(offset + kBlockHeaderBytes)))
    return;
  Decoder::Run run(decoder, at(offset + kBlockHeaderBytes + raw.callsBytes), at(next));
  uint64_t before = raw.beforeNs;
  for (Event event; block.count < mostEvents && run.next(event) == Decoded::Event; before = event.ns) {
    if (block.count++ == 0)
      block.firstNs = event.ns;
    block.lastNs = event.ns;
    if (event.ns < before)
      block.flags |= kBlockUnsorted;
  }
  add(block);
}

size_t File::blockOf(uint64_t seq) const {
  const auto next = std::ranges::upper_bound(blocks_, seq, {}, &Block::first);
  return static_cast<size_t>(next - blocks_.begin()) - 1;
}

//===--- their events -----------------------------------------------------===//

Expected<void> File::check(const Block &block) const {
  const std::optional<RawBlockHeader> raw = headerAt(block.offset);
  if (!raw || raw->firstSeq != block.firstSeq)
    return error("E_BAD_BLOCK", "the header of a block is damaged", block.offset);
  if (block.flags & kBlockOpen)
    return {}; // it has no checksum yet
  if (raw->eventCount != block.count || raw->flags != block.flags || blockBytes(*raw) != block.bytes)
    return error("E_BAD_BLOCK", "a block contradicts the block index", block.offset);
  if (atf::crc32c(0, at(block.offset + kBlockHeaderBytes), block.bytes - kBlockHeaderBytes) != raw->bodyChecksum)
    return error("E_BAD_CHECKSUM",
                 "a block of " + std::to_string(block.count) + " events is damaged: its checksum is wrong",
                 block.offset + offsetof(RawBlockHeader, bodyChecksum));
  return {};
}

Expected<void> File::decode(const Block &block, std::vector<atf::IndexEvent> &events,
                            std::vector<size_t> &linked) const {
  linked.clear();
  auto done = decodeWhole(block, events, linked);
  // This is not damage: a program that keeps only its newest events may have dropped the block since the file was
  // opened.
  static constexpr Byte kHole[kBlockHeaderBytes] = {};
  if (!isFinished_ && std::memcmp(at(block.offset), kHole, sizeof kHole) == 0) {
    events.clear(), linked.clear();
    return {};
  }
  return done;
}

Expected<void> File::decodeWhole(const Block &block, std::vector<atf::IndexEvent> &events,
                                 std::vector<size_t> &linked) const {
  BlockReader reader;
  if (auto begun = reader.begin(*this, block); !begun) {
    events.clear();
    return begun;
  }
  events.resize(block.count); // zeroes nothing if it already has that many
  size_t i = 0;
  auto done = reader.read(block.count, [&, threadId = head_.threadId.get()](const Event &event) {
    if (event.hasLink)
      linked.push_back(i);
    events[i++] = {event.ns, event.functionId, event.link, EventKind{event.kind}, threadId, event.storedDepth};
  });
  events.resize(i);
  return done;
}

uint64_t File::openCalls(const Block &block, const std::function<void(uint64_t, uint64_t)> &visit) const {
  const std::optional<RawBlockHeader> raw = headerAt(block.offset);
  auto state = std::make_unique<State>();
  Decoder decoder(*state);
  if (!raw || !beginDecoding(decoder, *raw, at(block.offset + kBlockHeaderBytes)))
    return 0;
  for (uint64_t level = state->floor; level < state->depth; ++level)
    visit(state->at(level).function.functionId(), state->at(level).beginNs);
  return state->floor;
}

uint64_t File::beforeNs(const Block &block) const {
  const std::optional<RawBlockHeader> raw = headerAt(block.offset);
  return raw ? raw->beforeNs.get() : 0;
}

std::optional<uint64_t> File::print() const {
  Print print;
  for (const Block &block : blocks_) {
    const std::optional<RawBlockHeader> raw = headerAt(block.offset);
    if (!raw || raw->firstSeq != block.firstSeq || raw->eventCount != block.count)
      return std::nullopt;
    print.add(uint64_t{raw->checksum} << 32 | raw->bodyChecksum);
  }
  return print.value();
}

bool File::knowsAllCalls(const Block &block) const {
  const std::optional<RawBlockHeader> raw = headerAt(block.offset);
  return raw && raw->depth == raw->knownCalls;
}

} // namespace ada::packed
