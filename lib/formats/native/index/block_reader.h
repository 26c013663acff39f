// Reads the events of packed blocks piece by piece.
#pragma once

#include "formats/native/index/index_blocks.h"
#include "shared/encode/packed_decoder.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ada::packed {

/// Reads one block after the other, each from its first event on. Decoded events need not be kept: those of a block
/// take some megabytes, more than a CPU's caches hold. Not thread-safe.
class BlockReader {
public:
  BlockReader() : state_(std::make_unique_for_overwrite<State>()), decoder_(*state_) {}

  /// Starts reading a block. `file` and `block` must outlive the reading. E_BAD_BLOCK, E_BAD_CHECKSUM; then nothing is
  /// left to read, nor if the block was removed (IndexBlocks::isDropped).
  Expected<void> begin(const IndexBlocks &file, const Block &block);
  /// The number of events left in the block.
  uint64_t left() const { return left_; }
  /// Calls use(const Event &) for each of the next `count` events, at most left(). E_BAD_BLOCK if an event is not one
  /// that a writer writes, or if the block ends here and its times differ from those in its header. The events before
  /// the error were handed out, and nothing is left to read.
  template <class Use> Expected<void> read(uint64_t count, Use &&use) {
    if (count == 0)
      return {};
    const bool isStart = left_ == block_->count;
    Decoder::Run run(decoder_, at_, end_);
    uint64_t lastNs = lastNs_;
    bool isSorted = true;
    for (uint64_t i = 0; i < count; ++i) {
      const Byte *const from = run.at();
      Event event;
      if (__builtin_expect(run.next(event) != Decoded::Event, 0)) {
        left_ -= i;
        return badEvent(from);
      }
      if (i == 0 && isStart)
        firstNs_ = event.ns;
      isSorted &= event.ns >= lastNs;
      lastNs = event.ns;
      use(static_cast<const Event &>(event));
    }
    at_ = run.end();
    lastNs_ = lastNs, isSorted_ &= isSorted;
    left_ -= count;
    return left_ == 0 ? checkTimes() : Expected<void>();
  }

private:
  Expected<void> start();
  Expected<void> badEvent(const Byte *at);
  Expected<void> checkTimes();

  const IndexBlocks *file_ = nullptr;
  const Block *block_ = nullptr;
  std::unique_ptr<State> state_;
  Decoder decoder_;
  std::vector<Byte> plain_; // the body of a compressed block, or of one that may be removed
  const Byte *body_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  uint64_t bodyOffset_ = 0; // in the block; 0 if it is compressed
  uint64_t left_ = 0, firstNs_ = 0, lastNs_ = 0;
  bool isSorted_ = true;
};

} // namespace ada::packed
