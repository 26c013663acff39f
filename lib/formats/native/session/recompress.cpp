// Compresses the blocks of finished packed files.
#include "formats/native/session/recompress.h"

#include "formats/native/bytes/checksum.h"
#include "formats/native/bytes/compression.h"
#include "formats/native/bytes/file_checks.h"
#include "formats/native/bytes/output_file.h"
#include "formats/native/detail/detail_blocks.h"
#include "formats/native/index/index_blocks.h"
#include "shared/encode/packed_file.h"
#include "trace/base/try.h"

#include <cstring>
#include <vector>

namespace ada::packed {

namespace {

// The blocks of the new file, one after the other.
class BlockOutput {
public:
  static Expected<BlockOutput> create(const std::string &path) {
    return BlockOutput(ADA_TRY(OutputFile::create(path, {.overwrite = true})));
  }

  /// Writes the block with this header and what follows it: `kept` bytes that stay as they are, and the body. The
  /// header becomes that of the block in the new file. Returns the block's offset.
  template <class Raw> Expected<uint64_t> add(Raw &raw, const Byte *start, size_t kept, size_t bodyBytes) {
    const Byte *const body = start + kept;
    std::vector<Byte> frame;
    if (!(raw.flags & kBlockZstd) && bodyBytes <= kMostPlainBytes)
      frame = compressed({body, bodyBytes});
    block_.assign(sizeof raw, 0);
    block_.insert(block_.end(), start, body);
    if (frame.empty())
      block_.insert(block_.end(), body, body + bodyBytes);
    else
      block_.insert(block_.end(), frame.begin(), frame.end());
    if (!frame.empty()) {
      raw.flags |= kBlockZstd;
      setBodyBytes(raw, frame.size());
      raw.bodyChecksum = atf::crc32c(0, block_.data() + sizeof raw, block_.size() - sizeof raw);
      seal(raw, atf::crc32c);
    }
    std::memcpy(block_.data(), &raw, sizeof raw);
    const uint64_t offset = aligned(end_);
    ADA_TRY(file_.write(block_.data(), block_.size(), offset));
    end_ = offset + block_.size();
    return offset;
  }

  Expected<void> write(const void *data, size_t bytes, uint64_t offset) { return file_.write(data, bytes, offset); }
  Expected<void> close() { return file_.close(); }
  uint64_t end() const { return end_; } ///< of the last block

private:
  explicit BlockOutput(OutputFile file) : file_(std::move(file)) {}
  static void setBodyBytes(RawBlockHeader &raw, size_t bytes) { raw.bodyBytes = static_cast<uint32_t>(bytes); }
  static void setBodyBytes(RawDetailBlockHeader &raw, size_t bytes) { raw.bodyBytes = bytes; }

  OutputFile file_;
  std::vector<Byte> block_;
  uint64_t end_ = kFileHeaderBytes;
};

} // namespace

Expected<bool> recompressIndex(std::span<const std::byte> bytes, const std::string &to) {
  const auto parsed = File::parse(bytes, to);
  if (!canCompress() || !parsed || !parsed->isFinished() || !parsed->warnings().empty())
    return false;
  std::vector<Block> blocks(parsed->blocks().begin(), parsed->blocks().end());
  // A block without events shows which calls were open.
  if (const Block *start = parsed->start(); start && start->count == 0)
    blocks.insert(blocks.begin(), *start);
  for (const Block &block : blocks)
    if (!parsed->check(block))
      return false;
  const auto *base = reinterpret_cast<const Byte *>(bytes.data());
  auto out = ADA_TRY(BlockOutput::create(to));
  std::vector<RawIndexEntry> entries;
  bool isUnsorted = false;
  for (const Block &block : blocks) {
    const Byte *start = base + block.offset;
    auto raw = load<RawBlockHeader>(start);
    const uint64_t offset = ADA_TRY(out.add(raw, start + sizeof raw, raw.callsBytes, raw.bodyBytes));
    entries.push_back(encodeIndexEntry(offset, raw));
    isUnsorted |= (raw.flags & kBlockUnsorted) != 0;
  }
  RawFileHeader header = parsed->header();
  const RawIndexHead head = encodeIndexHead(entries.size());
  std::vector<Byte> index(sizeof head + entries.size() * sizeof(RawIndexEntry));
  std::memcpy(index.data(), &head, sizeof head);
  if (!entries.empty())
    std::memcpy(index.data() + sizeof head, entries.data(), index.size() - sizeof head);
  const uint64_t indexOffset = aligned(out.end());
  const RawTrailer trailer =
      encodeTrailer(indexOffset, entries.size(), atf::crc32c(0, index.data(), index.size()),
                    {header.eventCount, header.timeStartNs, header.timeEndNs}, isUnsorted, atf::crc32c);
  header.blocksOffset = kFileHeaderBytes;
  header.trailerOffset = indexOffset + index.size();
  seal(header, atf::crc32c);
  ADA_TRY(out.write(index.data(), index.size(), indexOffset));
  ADA_TRY(out.write(&trailer, sizeof trailer, header.trailerOffset));
  ADA_TRY(out.write(&header, sizeof header, 0));
  ADA_TRY(out.close());
  return header.trailerOffset + sizeof trailer < bytes.size();
}

Expected<bool> recompressDetail(std::span<const std::byte> bytes, const std::string &to) {
  const auto parsed = DetailFile::parse(bytes, to);
  if (!canCompress() || !parsed || !parsed->isFinished() || !parsed->warnings().empty())
    return false;
  for (const DetailBlock &block : parsed->blocks())
    if (!parsed->check(block))
      return false;
  const auto *base = reinterpret_cast<const Byte *>(bytes.data());
  auto out = ADA_TRY(BlockOutput::create(to));
  for (const DetailBlock &block : parsed->blocks()) {
    const Byte *start = base + block.offset;
    auto raw = load<RawDetailBlockHeader>(start);
    ADA_TRY(out.add(raw, start + sizeof raw, 0, raw.bodyBytes));
  }
  RawDetailFileHeader header = parsed->header();
  header.blocksOffset = kFileHeaderBytes;
  header.end = out.end();
  seal(header, atf::crc32c);
  ADA_TRY(out.write(&header, sizeof header, 0));
  ADA_TRY(out.close());
  return header.end < bytes.size();
}

} // namespace ada::packed
