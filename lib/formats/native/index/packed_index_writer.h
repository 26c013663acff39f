// Writes packed index files, one block at a time.
#pragma once

#include "formats/native/bytes/output_file.h"
#include "formats/native/bytes/writer_options.h"
#include "formats/native/index/index_blocks.h"
#include "shared/encode/packed_file.h"

#include <memory>
#include <string>
#include <vector>

namespace ada::packed {

/// Implements atf::IndexWriter, which has the same functions, for packed files. A block is written as a whole when it
/// is full. Blocks that were written before an error can be read.
class Writer {
public:
  static Expected<std::unique_ptr<Writer>> create(const std::string &path, const atf::WriterOptions &options);
  static Expected<std::unique_ptr<Writer>> resume(const std::string &path, uint64_t keep);
  ~Writer();

  Expected<void> append(const atf::IndexEvent &event);
  uint64_t size() const { return totals_.events; }
  Expected<void> finish(bool hasDetail);
  bool isOpen() const { return file_.isOpen(); }

private:
  explicit Writer(OutputFile file) : file_(std::move(file)) {}
  Expected<void> endBlock();
  void resumeBlock(const Block &block, const std::byte *bytes, uint64_t beforeSeq);
  void compressBody(RawBlockHeader &raw);
  Expected<void> writeHeader(bool isFinal, uint64_t trailerOffset, bool hasDetail);

  OutputFile file_;
  atf::FileOrigin origin_;
  bool storesLinks_ = true, compresses_ = false;
  std::unique_ptr<BlockWriter> block_ = std::make_unique<BlockWriter>();
  std::vector<Byte> bytes_;            // of the open block, including its start
  size_t used_ = 0;                    // of these
  uint64_t offset_ = kFileHeaderBytes; // where the open block, or the next one, goes
  uint64_t blocksOffset_ = kFileHeaderBytes, droppedCount_ = 0;
  std::vector<RawIndexEntry> entries_;
  FileTotals totals_;
  bool unsorted_ = false;
};

} // namespace ada::packed
