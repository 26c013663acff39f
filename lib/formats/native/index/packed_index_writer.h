// Writes packed index files, one block at a time.
#pragma once

#include "formats/native/bytes/block_output.h"
#include "formats/native/index/index_blocks.h"

#include <memory>
#include <string>
#include <vector>

namespace ada::packed {

/// Blocks of an index file, and the block index after them.
class IndexOutput : public BlockOutput {
public:
  using BlockOutput::BlockOutput;

  Expected<uint64_t> add(RawBlockHeader &raw, std::span<const Byte> calls, std::span<const Byte> body);
  /// Notes a block that the file already has.
  void note(uint64_t offset, const RawBlockHeader &raw);
  /// Returns the offset of the trailer.
  Expected<uint64_t> addIndex(const FileTotals &totals);

private:
  std::vector<RawIndexEntry> entries_;
  bool isUnsorted_ = false;
};

/// Implements atf::IndexWriter, which has the same functions, for packed files. A block is written as a whole when it
/// is full. Blocks that were written before an error can be read.
class IndexWriter {
public:
  static Expected<std::unique_ptr<IndexWriter>> create(const std::string &path, const atf::WriterOptions &options);
  static Expected<std::unique_ptr<IndexWriter>> resume(const std::string &path, uint64_t keep);
  ~IndexWriter();

  Expected<void> append(const atf::IndexEvent &event);
  uint64_t size() const { return totals_.events; }
  Expected<void> finish(bool hasDetail);

private:
  explicit IndexWriter(IndexOutput out) : out_(std::move(out)) {}
  Expected<void> endBlock();
  Expected<void> resumeBlock(const IndexBlocks &file, const Block &block, uint64_t beforeSeq);
  Expected<void> writePlaceholder() { return writeHeader(nullptr, 0, false); }
  Expected<void> writeHeader(const FileTotals *totals, uint64_t trailerOffset, bool hasDetail);

  IndexOutput out_;
  atf::FileOrigin origin_;
  bool storesLinks_ = false;
  OpenBlock<BlockWriter> block_;
  uint64_t blocksOffset_ = kFileHeaderBytes, droppedCount_ = 0;
  FileTotals totals_;
};

} // namespace ada::packed
