// Reads the events of packed blocks piece by piece: finds a block's bytes and checks them.
#include "formats/native/index/block_reader.h"

#include "trace/base/try.h"

#include <optional>
#include <utility>

namespace ada::packed {

Expected<void> BlockReader::begin(const IndexBlocks &file, const Block &block) {
  file_ = &file, block_ = &block;
  left_ = 0;
  auto begun = start();
  if (!file.isDropped(block))
    return begun;
  left_ = 0;
  return {};
}

Expected<void> BlockReader::start() {
  ADA_TRY(file_->check(*block_));
  std::span<const Byte> body = ADA_TRY(file_->body(*block_, plain_));
  const std::optional<RawBlockHeader> raw = file_->headerAt(block_->offset);
  if (!raw || !beginDecoding(decoder_, *raw, file_->at(block_->offset + kBlockHeaderBytes)))
    return file_->error("E_BAD_BLOCK", "the list of open calls is damaged", block_->offset + kBlockHeaderBytes);
  bodyOffset_ = plain_.empty() ? startBytes(*raw) : 0;
  if (!file_->isFinished() && plain_.empty()) { // its writer may remove the block while it is read
    plain_.assign(body.begin(), body.end());
    body = plain_;
  }
  at_ = body_ = body.data(), end_ = at_ + body.size();
  left_ = block_->count, lastNs_ = raw->beforeNs, isSorted_ = true;
  return {};
}

Expected<void> BlockReader::badEvent(const Byte *at) {
  const uint64_t number = block_->last() - std::exchange(left_, 0);
  return file_->error("E_BAD_BLOCK", "event " + std::to_string(number) + " is not one that a writer can have written",
                      block_->offset + (bodyOffset_ ? bodyOffset_ + static_cast<uint64_t>(at - body_) : 0));
}

Expected<void> BlockReader::checkTimes() {
  if (firstNs_ == block_->firstNs && lastNs_ == block_->lastNs && (isSorted_ || (block_->flags & kBlockUnsorted)))
    return {};
  return file_->error("E_BAD_BLOCK", "the times of a block contradict its header", block_->offset);
}

} // namespace ada::packed
