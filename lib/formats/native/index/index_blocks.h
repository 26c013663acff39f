// A packed index file: its blocks, and their events.
#pragma once

#include "ada/trace/atf_format.h"
#include "ada/trace/error.h"
#include "formats/native/bytes/block_file.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ada::packed {

struct Block : BlockPlace {
  uint64_t firstNs = 0, lastNs = 0;
};

/// See BlockFile.
struct IndexKind {
  using FileHeader = RawFileHeader;
  using BlockHeader = RawBlockHeader;
  using Block = packed::Block;
  static constexpr char kMagic[] = "ATPK", kName[] = "index", kEvents[] = "events",
                        kChanged[] = "a block contradicts the block index";
  static constexpr bool kMayBeginLater = true;
  static Block closedBlock(const RawBlockHeader &raw);
  static std::optional<Block> openBlock(const RawBlockHeader &raw, const Byte *start, const Byte *end, uint64_t most);
  static bool isInOrder(const Block &before, const Block &block) { return before.lastNs <= block.firstNs; }
};

class IndexBlocks : public BlockFile<IndexKind> {
public:
  /// Takes the blocks from the block index, or walks from header to header without one, and decodes a block that is
  /// open. Holes of the file are not searched. Fails as BlockFile::begin() does.
  static Expected<IndexBlocks> parse(std::span<const std::byte> bytes, const std::string &name,
                                     const Holes &holes = {});

  /// Puts the block's events into `events`: all, or those before the first bad one. E_BAD_BLOCK, E_BAD_CHECKSUM.
  /// `linked`: the positions in `events` of those for which a link, or the fact that there is none, is stored.
  Expected<void> decode(const Block &block, std::vector<atf::IndexEvent> &events, std::vector<size_t> &linked) const;

  /// True if a program that keeps only its newest events has removed the block since the file was opened.
  bool isDropped(const Block &block) const;

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
  bool takeIndex();
};

} // namespace ada::packed
