// Reads the events of packed blocks piece by piece: finds a block's bytes and checks them.
#include "formats/native/index/block_reader.h"

#include "formats/native/bytes/compression.h"
#include "shared/encode/packed_file.h"
#include "trace/base/try.h"

#include <utility>

namespace ada::packed {

Expected<void> BlockReader::begin(const File &file, const Block &block) {
  left_ = 0;
  file_ = &file, block_ = &block;
  ADA_TRY(file.check(block));
  const RawBlockHeader raw = *file.headerAt(block.offset);
  const Byte *const calls = file.at(block.offset + kBlockHeaderBytes);
  std::span<const Byte> body(calls + raw.callsBytes, block.bytes - kBlockHeaderBytes - raw.callsBytes);
  plain_.clear();
  if (raw.flags & kBlockZstd) {
    plain_ = uncompressed(body, raw.plainBytes);
    body = plain_;
  }
  if (body.size() < block.count) // an event takes at least one byte
    return file.error("E_BAD_BLOCK",
                      canCompress() ? "the body of a block can't be unpacked"
                                    : "the body of a block is compressed with zstd, without which this was built",
                      block.offset);
  if (!beginDecoding(decoder_, raw, calls))
    return file.error("E_BAD_BLOCK", "the list of open calls is damaged", block.offset + kBlockHeaderBytes);
  at_ = body.data(), end_ = body.data() + body.size();
  left_ = block.count, lastNs_ = raw.beforeNs, isSorted_ = true;
  return {};
}

Expected<void> BlockReader::badEvent(const Byte *at) {
  const uint64_t number = block_->last() - std::exchange(left_, 0);
  const bool isInFile = plain_.empty();
  return file_->error("E_BAD_BLOCK", "event " + std::to_string(number) + " is not one that a writer can have written",
                      block_->offset + (isInFile ? static_cast<uint64_t>(at - file_->at(block_->offset)) : 0));
}

Expected<void> BlockReader::checkTimes() {
  if (firstNs_ == block_->firstNs && lastNs_ == block_->lastNs && (isSorted_ || (block_->flags & kBlockUnsorted)))
    return {};
  return file_->error("E_BAD_BLOCK", "the times of a block contradict its header", block_->offset);
}

} // namespace ada::packed
