// Finds and decodes the blocks of packed index files.
#include "formats/native/index/index_blocks.h"

#include "formats/native/index/block_reader.h"
#include "trace/base/print.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace ada::packed {

//===--- which blocks there are -------------------------------------------===//

Block IndexKind::closedBlock(const RawBlockHeader &raw) {
  Block block;
  block.count = std::min<uint64_t>(raw.eventCount, raw.flags & kBlockZstd ? kMaxPlainBytes : raw.bodyBytes.get());
  block.firstNs = raw.firstNs, block.lastNs = raw.lastNs;
  return block;
}

std::optional<Block> IndexKind::openBlock(const RawBlockHeader &raw, const Byte *start, const Byte *end,
                                          uint64_t most) {
  auto state = std::make_unique<State>();
  Decoder decoder(*state);
  if (!beginDecoding(decoder, raw, start + kBlockHeaderBytes))
    return std::nullopt;
  Block block;
  block.bytes = static_cast<uint64_t>(end - start);
  Decoder::Run run(decoder, start + startBytes(raw), end);
  uint64_t before = raw.beforeNs;
  for (Event event; block.count < most && run.next(event) == Decoded::Event; before = event.ns) {
    if (block.count++ == 0)
      block.firstNs = event.ns;
    block.lastNs = event.ns;
    if (event.ns < before)
      block.flags |= kBlockUnsorted;
  }
  return block;
}

Expected<IndexBlocks> IndexBlocks::parse(std::span<const std::byte> bytes, const std::string &name,
                                         const Holes &holes) {
  IndexBlocks file;
  ADA_TRY(file.begin(bytes, name));
  file.isFinished_ = file.takeIndex();
  if (file.isFinished_)
    return file;
  file.forgetBlocks();
  if (file.head_.flags & kFileFinished)
    file.warn("W_FOOTER_CORRUPT", "the block index is damaged or cut off; the blocks were looked for one by one");
  else
    file.warn(
        "W_NO_FOOTER",
        "the writer did not finish the file (the program was killed, ended without exit(), or still runs); all whole "
        "events are used");
  file.scan(bytes.size(), holes);
  return file;
}

// Takes the blocks from the block index of a finished file. False if the index can't be relied on.
bool IndexBlocks::takeIndex() {
  const uint64_t size = this->size(), end = head_.trailerOffset;
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
    Block block;
    block.offset = entry.offset, block.bytes = entry.bytes, block.flags = static_cast<uint8_t>(entry.flags);
    block.count = entry.eventCount, block.firstSeq = entry.firstSeq;
    block.firstNs = entry.firstNs, block.lastNs = entry.lastNs;
    // An uncompressed event takes at least one byte.
    if (block.offset < behind || block.offset > start || block.bytes > start - block.offset ||
        block.bytes < kBlockHeaderBytes || (block.flags & kBlockOpen) || block.count > ~uint64_t{0} - events() ||
        block.count > (block.flags & kBlockZstd ? kMaxPlainBytes : block.bytes - kBlockHeaderBytes))
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

//===--- their events -----------------------------------------------------===//

bool IndexBlocks::isDropped(const Block &block) const {
  static constexpr Byte kHole[kBlockHeaderBytes] = {};
  return !isFinished_ && std::memcmp(at(block.offset), kHole, sizeof kHole) == 0;
}

Expected<void> IndexBlocks::decode(const Block &block, std::vector<atf::IndexEvent> &events,
                                   std::vector<size_t> &linked) const {
  linked.clear();
  BlockReader reader;
  auto done = reader.begin(*this, block);
  events.resize(reader.left()); // zeroes nothing if it already has that many
  size_t i = 0;
  if (done)
    done = reader.read(reader.left(), [&, threadId = head_.threadId.get()](const Event &event) {
      if (event.hasLink)
        linked.push_back(i);
      events[i++] = {event.ns, event.functionId, event.link, EventKind{event.kind}, threadId, event.storedDepth};
    });
  events.resize(i);
  return done;
}

uint64_t IndexBlocks::openCalls(const Block &block, const std::function<void(uint64_t, uint64_t)> &visit) const {
  const std::optional<RawBlockHeader> raw = headerAt(block.offset);
  auto state = std::make_unique<State>();
  Decoder decoder(*state);
  if (!raw || !beginDecoding(decoder, *raw, at(block.offset + kBlockHeaderBytes)))
    return 0;
  for (uint64_t level = state->floor; level < state->depth; ++level)
    visit(state->at(level).function.functionId(), state->at(level).beginNs);
  return state->floor;
}

uint64_t IndexBlocks::beforeNs(const Block &block) const {
  const std::optional<RawBlockHeader> raw = headerAt(block.offset);
  return raw ? raw->beforeNs.get() : 0;
}

std::optional<uint64_t> IndexBlocks::print() const {
  Print print;
  for (const Block &block : blocks()) {
    const std::optional<RawBlockHeader> raw = headerAt(block.offset);
    if (!raw || raw->firstSeq != block.firstSeq || raw->eventCount != block.count)
      return std::nullopt;
    print.add(uint64_t{raw->checksum} << 32 | raw->bodyChecksum);
  }
  return print.value();
}

bool IndexBlocks::knowsAllCalls(const Block &block) const {
  const std::optional<RawBlockHeader> raw = headerAt(block.offset);
  return raw && raw->depth == raw->knownCalls;
}

} // namespace ada::packed
