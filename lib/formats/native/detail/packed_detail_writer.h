// Writes packed detail files, one block at a time.
#pragma once

#include "formats/native/bytes/output_file.h"
#include "formats/native/bytes/writer_options.h"
#include "shared/encode/packed_detail_file.h"

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
  bool isOpen() const { return file_.isOpen(); }

private:
  explicit DetailWriter(OutputFile file) : file_(std::move(file)) {}
  Expected<void> endBlock();
  void compressBody(RawDetailBlockHeader &raw);
  Expected<void> writeHeader(bool isFinal);

  OutputFile file_;
  atf::FileOrigin origin_;
  bool compresses_ = false;
  std::unique_ptr<DetailBlockWriter> block_ = std::make_unique<DetailBlockWriter>();
  std::vector<Byte> bytes_; // of the open block, including its header
  size_t used_ = 0;         // of these
  uint64_t offset_ = kFileHeaderBytes,
           end_ = offset_;   // where the open block, or the next one, goes; end of the last one
  atf::DetailTotals totals_; // of the written blocks
};

} // namespace ada::packed
