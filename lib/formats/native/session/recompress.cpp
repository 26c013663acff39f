// Compresses the blocks of finished packed files.
#include "formats/native/session/recompress.h"

#include "formats/native/detail/detail_blocks.h"
#include "formats/native/index/packed_index_writer.h"
#include "trace/base/try.h"

namespace ada::packed {

// Writes the blocks of a `Blocks` with an `Output`. finish(out, header) adds what follows the blocks, and its place to
// the header, and returns the size of the file.
template <class Blocks, class Output, class Finish>
static Expected<bool> recompress(std::span<const std::byte> bytes, const std::string &to, Finish &&finish) {
  const auto parsed = Blocks::parse(bytes, to);
  if (!canCompress() || !parsed || !parsed->isFinished() || !parsed->warnings().empty())
    return false;
  std::vector<typename Blocks::Block> blocks(parsed->blocks().begin(), parsed->blocks().end());
  // A block without events shows which calls were open.
  if (const auto *start = parsed->start(); Blocks::kMayBeginLater && start && start->count == 0)
    blocks.insert(blocks.begin(), *start);
  for (const auto &block : blocks)
    // A block that claims to be open has no size that was checked.
    if ((block.flags & packed::kBlockOpen) || !parsed->check(block))
      return false;
  Output out(ADA_TRY(OutputFile::create(to, {.overwrite = true})), true);
  for (const auto &block : blocks) {
    const Byte *const at = parsed->at(block.offset);
    auto raw = load<typename Blocks::BlockHeader>(at);
    const size_t start = startBytes(raw);
    ADA_TRY(out.add(raw, {at + sizeof raw, start - sizeof raw}, {at + start, size_t{raw.bodyBytes}}));
  }
  auto header = parsed->header();
  header.blocksOffset = kFileHeaderBytes;
  const uint64_t size = ADA_TRY(finish(out, header));
  seal(header, atf::crc32c);
  ADA_TRY(out.write(&header, sizeof header, 0));
  ADA_TRY(out.close());
  return size < bytes.size();
}

Expected<bool> recompressIndex(std::span<const std::byte> bytes, const std::string &to) {
  return recompress<IndexBlocks, IndexOutput>(
      bytes, to, [](IndexOutput &out, RawFileHeader &header) -> Expected<uint64_t> {
        header.trailerOffset = ADA_TRY(out.addIndex({header.eventCount, header.timeStartNs, header.timeEndNs}));
        return header.trailerOffset + sizeof(RawTrailer);
      });
}

Expected<bool> recompressDetail(std::span<const std::byte> bytes, const std::string &to) {
  return recompress<DetailBlocks, BlockOutput>(
      bytes, to, [](const BlockOutput &out, RawDetailFileHeader &header) -> Expected<uint64_t> {
        header.end = out.end();
        return out.end();
      });
}

} // namespace ada::packed
