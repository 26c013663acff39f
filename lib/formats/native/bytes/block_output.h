// Writes packed files, one block after the other.
#pragma once

#include "formats/native/bytes/checksum.h"
#include "formats/native/bytes/compression.h"
#include "formats/native/bytes/output_file.h"
#include "shared/encode/packed_blocks.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace ada::packed {

class BlockOutput : public OutputFile {
public:
  /// `compresses`: the bodies become zstd frames if that is possible.
  BlockOutput(OutputFile file, bool compresses) : OutputFile(std::move(file)), compresses_(compresses) {}

  /// Writes a closed block: `start` is what it has between header and body. `raw` becomes its header in this file.
  /// Returns its offset.
  template <class Raw> Expected<uint64_t> add(Raw &raw, std::span<const Byte> start, std::span<const Byte> body) {
    std::vector<Byte> frame;
    if (compresses_ && !(raw.flags & kBlockZstd) && body.size() <= kMaxPlainBytes)
      frame = compressed(body);
    block_.resize(sizeof raw);
    block_.insert(block_.end(), start.begin(), start.end());
    if (frame.empty()) {
      block_.insert(block_.end(), body.begin(), body.end());
    } else {
      block_.insert(block_.end(), frame.begin(), frame.end());
      raw.flags |= kBlockZstd;
      raw.bodyBytes = static_cast<decltype(raw.bodyBytes.get())>(frame.size());
      raw.bodyChecksum = atf::crc32c(0, block_.data() + sizeof raw, block_.size() - sizeof raw);
      seal(raw, atf::crc32c);
    }
    std::memcpy(block_.data(), &raw, sizeof raw);
    const uint64_t offset = next();
    ADA_TRY(write(block_.data(), block_.size(), offset));
    end_ = offset + block_.size();
    return offset;
  }

  uint64_t end() const { return end_; }           ///< of the last block
  uint64_t next() const { return aligned(end_); } ///< where the next one goes
  void continueAfter(uint64_t end) { end_ = end; }

private:
  bool compresses_;
  std::vector<Byte> block_;
  uint64_t end_ = kFileHeaderBytes;
};

/// The block that is being filled, in memory. `Writer` makes its header: BlockWriter or DetailBlockWriter.
template <class Writer> class OpenBlock {
public:
  Writer *operator->() { return writer_.get(); }
  const Writer *operator->() const { return writer_.get(); }
  size_t used() const { return used_; }

  /// Room for at least `most` bytes after those that are used. Then note what was used of it.
  Byte *room(size_t most, size_t roomOfAll) {
    if (bytes_.size() < used_ + most)
      bytes_.resize(std::max(used_ + most, roomOfAll));
    return bytes_.data() + used_;
  }
  bool hasRoom(size_t most) const { return used_ + most <= bytes_.size(); }
  void use(const Byte *end) { used_ = static_cast<size_t>(end - bytes_.data()); }

  /// Loads a block of a file that is continued: header and open calls, and the part of its body that is kept.
  void load(std::span<const Byte> start, std::span<const Byte> body) {
    bytes_.assign(start.begin(), start.end());
    bytes_.insert(bytes_.end(), body.begin(), body.end());
    used_ = bytes_.size();
  }

  /// Closes the block and writes it. Returns its header in the file.
  template <class Output> auto end(Output &out) -> Expected<decltype(std::declval<Writer>().close(atf::crc32c))> {
    const size_t there = writer_->blockBytes(); // these a continued file already had
    writer_->added(bytes_.data() + there, used_ - there, atf::crc32c);
    auto raw = writer_->close(atf::crc32c);
    const std::span<const Byte> block(bytes_.data(), std::exchange(used_, 0));
    const size_t head = sizeof raw, start = startBytes(raw);
    ADA_TRY(out.add(raw, block.subspan(head, start - head), block.subspan(start)));
    return raw;
  }

private:
  std::unique_ptr<Writer> writer_ = std::make_unique<Writer>();
  std::vector<Byte> bytes_;
  size_t used_ = 0;
};

} // namespace ada::packed
