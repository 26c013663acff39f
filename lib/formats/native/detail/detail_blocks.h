// Parses a packed detail file into its blocks and their events.
//
// docs/formats/packed.md describes the bytes. Files are never trusted: whatever they say, nothing is read beyond their
// end, memory is bounded by their size, and that of a block by kMostDetailBlockEvents.
#pragma once

#include "ada/trace/error.h"
#include "shared/encode/packed_detail_file.h"
#include "trace/base/holes.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ada::packed {

inline constexpr char kDetailMagic[] = "ATDK";

/// A block, and the range of the file's events that it has.
struct DetailBlock {
  uint64_t offset = 0, bytes = 0; ///< in the file
  uint64_t first = 0, count = 0;  ///< counted from 0 over the file's readable events
  uint64_t firstSeq = 0;          ///< the number that its first event was given
  atf::DetailTotals totals;
  uint8_t flags = 0;

  uint64_t last() const { return first + count; }
};

/// The events of a block in ATF 2's layout, one after the other.
struct DetailEvents {
  std::vector<std::byte> plain;
  std::vector<uint64_t> offsets; ///< of each event
};

/// Cheap to copy except for the list of blocks. The bytes must outlive it.
class DetailFile {
public:
  /// Errors, in the order of the checks: E_TOO_SMALL, E_BAD_MAGIC, E_BAD_ENDIAN, E_BAD_VERSION, E_BAD_CHECKSUM,
  /// E_BAD_OFFSET. Walks from header to header, and decodes a block that is open. If the file has holes, they are not
  /// searched for headers.
  static Expected<DetailFile> parse(std::span<const std::byte> bytes, const std::string &name, const Holes &holes = {});

  const RawDetailFileHeader &header() const { return head_; }
  bool isFinished() const { return isFinished_; }
  const std::vector<Warning> &warnings() const { return flaws_; }

  std::span<const DetailBlock> blocks() const { return blocks_; }
  uint64_t events() const { return blocks_.empty() ? 0 : blocks_.back().last(); }
  /// The block that has event number `seq`, which must be less than events().
  size_t blockOf(uint64_t seq) const;
  /// True if the events are in the order of their index events.
  bool isOrdered() const { return isOrdered_; }

  /// Compares the block's checksum; E_BAD_CHECKSUM.
  Expected<void> check(const DetailBlock &block) const;
  /// Puts the block's events into `events`: all, or those before the first bad one. E_BAD_BLOCK, E_BAD_CHECKSUM.
  Expected<void> decode(const DetailBlock &block, DetailEvents &events) const;
  /// The block's body, decompressed if necessary (into `plain`); empty if it can't be decompressed.
  std::span<const Byte> bodyOf(const DetailBlock &block, std::vector<Byte> &plain) const;

private:
  void scan(uint64_t end, const Holes &holes);
  void addOpenBlock(const RawDetailBlockHeader &raw, uint64_t offset, uint64_t next, uint64_t mostEvents);
  std::optional<RawDetailBlockHeader> headerAt(uint64_t offset) const;
  uint64_t findHeader(uint64_t from, uint64_t end, const Holes &holes) const;
  void add(DetailBlock block);
  bool isAsHeaderSays() const;
  void warn(const char *code, std::string message) { flaws_.push_back({code, std::move(message)}); }
  Error error(const char *code, std::string message, uint64_t offset) const;

  const Byte *at(uint64_t offset) const { return reinterpret_cast<const Byte *>(bytes_.data()) + offset; }

  std::span<const std::byte> bytes_;
  std::string name_;
  RawDetailFileHeader head_ = {};
  std::vector<DetailBlock> blocks_;
  std::vector<Warning> flaws_;
  bool isFinished_ = false, isOrdered_ = true;
};

} // namespace ada::packed
