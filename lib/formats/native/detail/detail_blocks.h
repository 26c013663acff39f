// A packed detail file: its blocks, and their events. The memory of a block is bounded by kMaxDetailBlockEvents.
#pragma once

#include "ada/trace/error.h"
#include "formats/native/bytes/block_file.h"
#include "shared/encode/packed_detail_blocks.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ada::packed {

struct DetailBlock : BlockPlace {
  atf::DetailTotals totals;
};

/// See BlockFile.
struct DetailKind {
  using FileHeader = RawDetailFileHeader;
  using BlockHeader = RawDetailBlockHeader;
  using Block = DetailBlock;
  static constexpr char kMagic[] = "ATDK", kName[] = "detail", kEvents[] = "detail events",
                        kChanged[] = "the header of a block was changed";
  static constexpr bool kMayBeginLater = false;
  static DetailBlock closedBlock(const RawDetailBlockHeader &raw);
  static std::optional<DetailBlock> openBlock(const RawDetailBlockHeader &raw, const Byte *start, const Byte *end,
                                              uint64_t most);
  static bool isInOrder(const DetailBlock &before, const DetailBlock &block) {
    return before.totals.highestSeq <= block.totals.lowestSeq;
  }
};

/// The events of a block in ATF 2's layout, one after the other.
struct DetailEvents {
  std::vector<std::byte> plain;
  std::vector<uint64_t> offsets; ///< of each event
};

class DetailBlocks : public BlockFile<DetailKind> {
public:
  /// Walks from header to header, and decodes a block that is open. Holes of the file are not searched. Fails as
  /// BlockFile::begin() does.
  static Expected<DetailBlocks> parse(std::span<const std::byte> bytes, const std::string &name,
                                      const Holes &holes = {});

  /// Puts the block's events into `events`: all, or those before the first bad one. E_BAD_BLOCK, E_BAD_CHECKSUM.
  Expected<void> decode(const DetailBlock &block, DetailEvents &events) const;
};

} // namespace ada::packed
