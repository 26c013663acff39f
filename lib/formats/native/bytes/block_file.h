// A packed file as a list of its blocks: what index and detail files have in common.
//
// docs/formats/packed.md describes the bytes. Files are never trusted: whatever they say, nothing is read beyond their
// end, and memory is bounded by their size.
#pragma once

#include "formats/native/bytes/checksum.h"
#include "formats/native/bytes/compression.h"
#include "shared/encode/packed_blocks.h"
#include "trace/base/file_bytes.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ada::packed {

/// `from` must have sizeof(Raw) bytes; they need not be aligned.
template <class Raw> Raw load(const Byte *from) {
  Raw raw;
  std::memcpy(&raw, from, sizeof raw);
  return raw;
}

/// Where a block is, and which of the file's events it has.
struct BlockPlace {
  uint64_t offset = 0, bytes = 0; ///< in the file
  uint64_t first = 0, count = 0;  ///< counted from 0 over the file's readable events
  uint64_t firstSeq = 0;          ///< the number of its first event; larger if earlier blocks are gone
  uint8_t flags = 0;

  uint64_t last() const { return first + count; }
};

/// Cheap to copy except for the list of blocks. The bytes must outlive it.
///
/// `Kind` says what differs between index and detail files:
///   FileHeader, BlockHeader, Block    the last derives from BlockPlace
///   kMagic, kName, kEvents            words for messages
///   kChanged                          the message for a block that is not as it was when the file was opened
///   kMayBeginLater                    whether the blocks before the first one may have been removed
///   closedBlock(raw)                  what the header of a closed block says, without its place
///   openBlock(raw, start, end, most)  measures the events of an open block; nothing if there can't be any
///   isInOrder(before, block)          whether two neighbours are in order
template <class Kind> class BlockFile {
public:
  using Block = typename Kind::Block;
  using FileHeader = typename Kind::FileHeader;
  using BlockHeader = typename Kind::BlockHeader;
  static constexpr bool kMayBeginLater = Kind::kMayBeginLater;

  const FileHeader &header() const { return head_; }
  bool isFinished() const { return isFinished_; }
  const std::vector<Warning> &warnings() const { return flaws_; }

  /// The blocks that have events.
  std::span<const Block> blocks() const { return blocks_; }
  uint64_t events() const { return blocks_.empty() ? 0 : blocks_.back().last(); }
  /// The block that has event number `seq`, which must be less than events().
  size_t blockOf(uint64_t seq) const {
    const auto next = std::ranges::upper_bound(blocks_, seq, {}, &Block::first);
    return static_cast<size_t>(next - blocks_.begin()) - 1;
  }
  /// The first block, with or without events. It shows what is known at the start of the file. Null if there is none.
  const Block *start() const { return start_ ? &*start_ : nullptr; }
  /// True if no event is before the one before it: by time, or for detail events, by index event.
  bool isOrdered() const { return isOrdered_; }

  /// The bytes of a block that isn't compressed after decompressing it, if necessary, into `plain`. E_BAD_BLOCK.
  Expected<std::span<const Byte>> body(const Block &block, std::vector<Byte> &plain) const;
  /// Compares the block's checksum; E_BAD_CHECKSUM.
  Expected<void> check(const Block &block) const;
  /// Compares those of all blocks. If `file` is not null, the pages of the checked blocks are released.
  Expected<void> checkAll(const FileBytes *file) const {
    for (const Block &block : blocks_) {
      ADA_TRY(check(block));
      if (file)
        file->release(bytes_.subspan(block.offset, block.bytes));
    }
    return {};
  }

  /// Nothing if there is no good header.
  std::optional<BlockHeader> headerAt(uint64_t offset) const;
  const Byte *at(uint64_t offset) const { return reinterpret_cast<const Byte *>(bytes_.data()) + offset; }
  uint64_t size() const { return bytes_.size(); }
  Error error(const char *code, std::string message, uint64_t offset) const {
    return {.code = code, .message = std::move(message), .file = name_, .offset = offset};
  }

protected:
  /// Reads and checks the header of the file. E_TOO_SMALL, E_BAD_MAGIC, E_BAD_ENDIAN, E_BAD_VERSION, E_BAD_CHECKSUM,
  /// E_BAD_OFFSET.
  Expected<void> begin(std::span<const std::byte> bytes, const std::string &name);
  /// Walks from header to header up to `end`, and decodes a block that is open. Holes are not searched for headers.
  void scan(uint64_t end, const Holes &holes);
  void add(Block block);
  void forgetBlocks() {
    blocks_.clear(), start_.reset();
    isOrdered_ = true;
  }
  void warn(const char *code, std::string message) { flaws_.push_back({code, std::move(message)}); }

  FileHeader head_ = {};
  bool isFinished_ = false;

private:
  uint64_t findHeader(uint64_t from, uint64_t end, const Holes &holes) const;
  bool hasGrown() const;
  uint64_t addOpen(const BlockHeader &raw, uint64_t offset, uint64_t end, uint64_t mostEvents);

  std::span<const std::byte> bytes_;
  std::string name_;
  std::vector<Block> blocks_;
  std::optional<Block> start_;
  std::vector<Warning> flaws_;
  bool isOrdered_ = true;
};

template <class Kind> Expected<void> BlockFile<Kind>::begin(std::span<const std::byte> bytes, const std::string &name) {
  bytes_ = bytes, name_ = name;
  if (bytes.size() < kFileHeaderBytes)
    return error("E_TOO_SMALL", "the file is shorter than a header of 128 bytes", 0);
  head_ = load<FileHeader>(at(0));
  if (std::memcmp(head_.magic, Kind::kMagic, 4) != 0)
    return error("E_BAD_MAGIC", "not a packed " + std::string(Kind::kName) + " file", 0);
  if (head_.endian != atf::kLittleEndian)
    return error("E_BAD_ENDIAN", "only little-endian files can be read", offsetof(FileHeader, endian));
  if (head_.version != kVersion)
    return error("E_BAD_VERSION", "packed version " + std::to_string(head_.version) + ", this reader knows version 1",
                 offsetof(FileHeader, version));
  if (!isSealed(head_, atf::crc32c))
    return error("E_BAD_CHECKSUM", "the file's header is damaged", offsetof(FileHeader, checksum));
  if (head_.blocksOffset < kFileHeaderBytes || head_.blocksOffset % kBlockAlignment != 0 ||
      head_.blocksOffset > aligned(bytes.size()))
    return error("E_BAD_OFFSET", "the first block can't be there", offsetof(FileHeader, blocksOffset));
  return {};
}

//===--- which blocks there are -------------------------------------------===//

template <class Kind> void BlockFile<Kind>::add(Block block) {
  block.first = events();
  if (!start_)
    start_ = block;
  if (block.count == 0)
    return;
  isOrdered_ &= !(block.flags & kBlockUnsorted) && (blocks_.empty() || Kind::isInOrder(blocks_.back(), block));
  blocks_.push_back(block);
}

template <class Kind>
std::optional<typename BlockFile<Kind>::BlockHeader> BlockFile<Kind>::headerAt(uint64_t offset) const {
  if (offset > size() || size() - offset < kBlockHeaderBytes)
    return std::nullopt;
  const auto raw = load<BlockHeader>(at(offset));
  return isBlockHeader(raw, atf::crc32c) && startBytes(raw) <= size() - offset ? std::optional(raw) : std::nullopt;
}

// The offset of the next block header; `end` if there is none.
template <class Kind> uint64_t BlockFile<Kind>::findHeader(uint64_t from, uint64_t end, const Holes &holes) const {
  for (uint64_t offset = from; (offset = aligned(holes.skip(offset))) < end; offset += kBlockAlignment)
    if (headerAt(offset))
      return offset;
  return end;
}

// Whether the program still records, and has written more since the file was opened.
template <class Kind> bool BlockFile<Kind>::hasGrown() const {
  std::error_code error;
  const uintmax_t now = std::filesystem::file_size(name_, error);
  return !error && now > bytes_.size();
}

template <class Kind> void BlockFile<Kind>::scan(uint64_t end, const Holes &holes) {
  uint64_t nextSeq = 0, lost = 0;
  bool mayBeLater = Kind::kMayBeginLater;
  for (uint64_t offset = findHeader(head_.blocksOffset, end, holes); offset < end;) {
    const BlockHeader raw = *headerAt(offset);
    const uint64_t start = offset + startBytes(raw), firstSeq = raw.firstSeq, claimed = raw.eventCount;
    if (firstSeq > nextSeq && !mayBeLater)
      lost += firstSeq - nextSeq;
    mayBeLater = false;
    uint64_t next = end;
    if (raw.flags & kBlockOpen) {
      next = findHeader(start, end, holes);
      const auto follower = next < end ? headerAt(next) : std::nullopt;
      nextSeq = firstSeq + addOpen(raw, offset, next, follower ? follower->firstSeq - firstSeq : ~uint64_t{0});
    } else if (start > end || raw.bodyBytes > end - start) {
      // Cut off: its events up to there can be read, but their checksum is gone. Or written since the file was opened.
      const uint64_t beyond = claimed - addOpen(raw, offset, end, claimed);
      lost += hasGrown() ? 0 : beyond;
    } else {
      Block block = Kind::closedBlock(raw);
      block.offset = offset, block.bytes = blockBytes(raw), block.firstSeq = firstSeq, block.flags = raw.flags;
      add(block);
      lost += claimed - block.count, nextSeq = firstSeq + claimed;
      next = aligned(start + raw.bodyBytes);
      if (next < end && !headerAt(next))
        next = findHeader(next, end, holes);
    }
    offset = next;
  }
  // Only the header of a finished file still knows the events of blocks that were cut off with their headers.
  if ((head_.flags & kFileFinished) && head_.eventCount > events())
    lost = std::max(lost, head_.eventCount - events());
  if (lost > 0)
    warn("W_BLOCKS_DAMAGED",
         formatCount(lost) + " events are lost: the headers of their blocks are damaged, or the file was cut off");
}

// Adds a block that lasts until `end`, with all whole events before that. Returns their number.
template <class Kind>
uint64_t BlockFile<Kind>::addOpen(const BlockHeader &raw, uint64_t offset, uint64_t end, uint64_t mostEvents) {
  if ((raw.flags & kBlockZstd) || end - offset < startBytes(raw)) // a cut frame can't be decompressed
    return 0;
  std::optional<Block> block = Kind::openBlock(raw, at(offset), at(end), mostEvents);
  if (!block)
    return 0;
  block->offset = offset, block->firstSeq = raw.firstSeq, block->flags |= kBlockOpen;
  add(*block);
  return block->count;
}

//===--- their bytes ------------------------------------------------------===//

template <class Kind> Expected<void> BlockFile<Kind>::check(const Block &block) const {
  const std::optional<BlockHeader> raw = headerAt(block.offset);
  if (!raw || raw->firstSeq != block.firstSeq)
    return error("E_BAD_BLOCK", "the header of a block is damaged", block.offset);
  if (block.flags & kBlockOpen)
    return {}; // it has no checksum yet
  if (raw->eventCount != block.count || raw->flags != block.flags || blockBytes(*raw) != block.bytes)
    return error("E_BAD_BLOCK", Kind::kChanged, block.offset);
  if (atf::crc32c(0, at(block.offset + kBlockHeaderBytes), block.bytes - kBlockHeaderBytes) != raw->bodyChecksum)
    return error("E_BAD_CHECKSUM",
                 "a block of " + std::to_string(block.count) + " " + Kind::kEvents +
                     " is damaged: its checksum is wrong",
                 block.offset + offsetof(BlockHeader, bodyChecksum));
  return {};
}

template <class Kind>
Expected<std::span<const Byte>> BlockFile<Kind>::body(const Block &block, std::vector<Byte> &plain) const {
  plain.clear();
  const std::optional<BlockHeader> raw = headerAt(block.offset);
  if (!raw || startBytes(*raw) > block.bytes)
    return error("E_BAD_BLOCK", "the header of a block is damaged", block.offset);
  std::span<const Byte> body(at(block.offset + startBytes(*raw)), block.bytes - startBytes(*raw));
  if (block.flags & kBlockZstd) {
    plain = uncompressed(body, unpackedBytes(*raw));
    body = plain;
  }
  if (body.size() < block.count) // an event takes at least one byte
    return error("E_BAD_BLOCK",
                 canCompress() ? "the body of a block can't be unpacked"
                               : "the body of a block is compressed with zstd, without which this was built",
                 block.offset);
  return body;
}

} // namespace ada::packed
