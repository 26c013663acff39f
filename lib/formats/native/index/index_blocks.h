// Parses a packed index file into its blocks and their events.
//
// docs/formats/packed.md describes the bytes. Files are never trusted: whatever they say, nothing is read beyond their
// end, and memory is bounded by their size.
#pragma once

#include "ada/trace/atf_format.h"
#include "ada/trace/error.h"
#include "shared/encode/packed_format.h"
#include "trace/base/holes.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ada::packed {

inline constexpr char kMagic[] = "ATPK";

/// A block, and the range of the file's events that it has.
struct Block {
  uint64_t offset = 0, bytes = 0; ///< in the file
  uint64_t first = 0, count = 0;  ///< counted from 0 over the file's readable events
  uint64_t firstSeq = 0;          ///< the number of its first event; larger if earlier blocks are gone
  uint64_t firstNs = 0, lastNs = 0;
  uint8_t flags = 0;

  uint64_t last() const { return first + count; }
};

/// Cheap to copy except for the list of blocks. The bytes must outlive it.
class File {
public:
  /// Errors, in the order of the checks: E_TOO_SMALL, E_BAD_MAGIC, E_BAD_ENDIAN, E_BAD_VERSION, E_BAD_CHECKSUM,
  /// E_BAD_OFFSET. Reads the block index, or all headers if there is none, and decodes a block that is open. If the
  /// file has holes, they are not searched for headers.
  static Expected<File> parse(std::span<const std::byte> bytes, const std::string &name, const Holes &holes = {});

  const RawFileHeader &header() const { return head_; }
  bool isFinished() const { return isFinished_; }
  const std::vector<Warning> &warnings() const { return flaws_; }

  /// The blocks that have events.
  std::span<const Block> blocks() const { return blocks_; }
  /// The first block, with or without events. It has the calls that were open at the start of the file, and the number
  /// of the event there. Null if there is none.
  const Block *start() const { return start_ ? &*start_ : nullptr; }
  uint64_t events() const { return blocks_.empty() ? 0 : blocks_.back().last(); }
  /// The block that has event number `seq`, which must be less than events().
  size_t blockOf(uint64_t seq) const;
  /// True if no event is older than the one before it.
  bool isSorted() const { return isSorted_; }

  /// Compares the block's checksum; E_BAD_CHECKSUM.
  Expected<void> check(const Block &block) const;
  /// Puts the block's events into `events`: all, or those before the first bad one. E_BAD_BLOCK, E_BAD_CHECKSUM.
  /// `linked`: the positions in `events` of those for which a link, or the fact that there is none, is stored.
  Expected<void> decode(const Block &block, std::vector<atf::IndexEvent> &events, std::vector<size_t> &linked) const;

  /// Visits the known calls that are open at the start of the block, outermost first. Returns how many more there are
  /// around them.
  uint64_t openCalls(const Block &block, const std::function<void(uint64_t functionId, uint64_t beginNs)> &visit) const;

  /// The time of the event before the block's first one; 0 if there is none.
  uint64_t beforeNs(const Block &block) const;

  /// A number computed from the checksums of all blocks, headers and bodies. Nothing if a header is damaged.
  std::optional<uint64_t> print() const;

  /// Whether openCalls() knows all open calls. False if the block's header is damaged.
  bool knowsAllCalls(const Block &block) const;

private:
  friend class BlockReader;
  Expected<void> decodeWhole(const Block &block, std::vector<atf::IndexEvent> &events,
                             std::vector<size_t> &linked) const;
  bool takeIndex();
  void scan(const Holes &holes);
  void addOpenBlock(const RawBlockHeader &raw, uint64_t offset, uint64_t next, uint64_t mostEvents);
  std::optional<RawBlockHeader> headerAt(uint64_t offset) const;
  uint64_t findHeader(uint64_t from, const Holes &holes) const;
  void add(Block block);
  void warn(const char *code, std::string message) { flaws_.push_back({code, std::move(message)}); }
  Error error(const char *code, std::string message, uint64_t offset) const;

  const Byte *at(uint64_t offset) const { return reinterpret_cast<const Byte *>(bytes_.data()) + offset; }

  std::span<const std::byte> bytes_;
  std::string name_;
  RawFileHeader head_ = {};
  std::vector<Block> blocks_;
  std::optional<Block> start_;
  std::vector<Warning> flaws_;
  bool isFinished_ = false, isSorted_ = true;
};

} // namespace ada::packed
