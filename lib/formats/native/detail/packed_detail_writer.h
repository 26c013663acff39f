// Writes packed detail files, one block at a time.
#pragma once

#include "formats/native/bytes/block_output.h"
#include "shared/encode/packed_detail_blocks.h"

#include <memory>
#include <string>
#include <vector>

namespace ada::packed {

/// Implements atf::DetailWriter, which has the same functions, for packed files. A block is written as a whole when it
/// is full. Blocks that were written before an error can be read.
class DetailWriter {
public:
  static Expected<std::unique_ptr<DetailWriter>> create(const std::string &path, const atf::WriterOptions &options);
  static Expected<std::unique_ptr<DetailWriter>> resume(const std::string &path, uint64_t keep);
  ~DetailWriter();

  Expected<void> append(const atf::DetailHead &head, std::span<const std::byte> payload);
  uint64_t size() const { return totals_.events + (block_->isOpen() ? block_->totals().events : 0); }
  Expected<void> finish();

private:
  explicit DetailWriter(BlockOutput out) : out_(std::move(out)) {}
  Expected<void> endBlock();
  Expected<void> writeHeader(bool isFinal);

  BlockOutput out_;
  atf::FileOrigin origin_;
  OpenBlock<DetailBlockWriter> block_;
  atf::DetailTotals totals_; // of the written blocks
};

} // namespace ada::packed
