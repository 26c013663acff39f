// Writes packed detail files through a buffer that holds one block.
#include "formats/native/detail/packed_detail_writer.h"

#include "formats/native/bytes/checksum.h"
#include "formats/native/bytes/compression.h"
#include "formats/native/detail/detail_blocks.h"
#include "trace/base/file_bytes.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstring>

namespace ada::packed {

DetailWriter::~DetailWriter() {
  if (file_.isOpen())
    (void)endBlock();
}

Expected<std::unique_ptr<DetailWriter>> DetailWriter::create(const std::string &path,
                                                             const atf::WriterOptions &options) {
  auto file = ADA_TRY(OutputFile::create(path, options));
  std::unique_ptr<DetailWriter> writer(new DetailWriter(std::move(file)));
  writer->origin_ = {2, options.arch, options.os, options.clockType, options.threadId};
  writer->compresses_ = options.compress;
  ADA_TRY(writer->writeHeader(false));
  return writer;
}

// Loads the block with the last event to be kept into memory, as an open block.
Expected<std::unique_ptr<DetailWriter>> DetailWriter::resume(const std::string &path, uint64_t keep) {
  auto opened = ADA_TRY(OutputFile::open(path));
  auto bytes = ADA_TRY(FileBytes::open(path));
  auto parsed = ADA_TRY(DetailFile::parse(bytes.bytes(), path, bytes.holes()));
  const RawDetailFileHeader &head = parsed.header();
  if (head.blocksOffset != kFileHeaderBytes)
    return Error{.code = "E_BAD_OFFSET",
                 .message = "only a file whose blocks follow its header at once can be continued",
                 .file = path,
                 .field = "blocks_offset"};
  std::unique_ptr<DetailWriter> writer(new DetailWriter(std::move(opened)));
  writer->origin_ = {2, head.arch, head.os, 0, head.threadId};
  for (const DetailBlock &block : parsed.blocks()) {
    if (block.first >= keep)
      break;
    writer->offset_ = block.offset;
    const bool isFull = block.bytes - kBlockHeaderBytes >= kDetailBlockBytes;
    if (!(block.flags & kBlockOpen) && (block.last() < keep || (block.last() == keep && isFull))) {
      writer->totals_.add(block.totals);
      writer->end_ = block.offset + block.bytes;
      writer->offset_ = aligned(writer->end_);
      continue;
    }
    const uint64_t wanted = keep - block.first;
    std::vector<Byte> plain;
    const std::span<const Byte> body = parsed.bodyOf(block, plain);
    uint64_t taken = 0;
    const size_t used = writer->block_->resume(block.firstSeq, body.data(), body.size(), atf::crc32c,
                                               [&](const atf::DetailHead &) { return taken++ < wanted; });
    const auto *start = reinterpret_cast<const Byte *>(bytes.bytes().data()) + block.offset;
    writer->bytes_.assign(start, start + kBlockHeaderBytes);
    writer->bytes_.insert(writer->bytes_.end(), body.begin(), body.begin() + static_cast<ptrdiff_t>(used));
    writer->used_ = kBlockHeaderBytes + used;
    break;
  }
  // Write the placeholder first: a final header would hide what is appended.
  ADA_TRY(writer->writeHeader(false));
  ADA_TRY(writer->file_.cut(writer->offset_ + writer->used_));
  return writer;
}

Expected<void> DetailWriter::writeHeader(bool isFinal) {
  const RawDetailFileHeader raw = encodeDetailFileHeader(origin_, isFinal ? &totals_ : nullptr, end_, atf::crc32c);
  return file_.write(&raw, sizeof raw, 0);
}

Expected<void> DetailWriter::append(const atf::DetailHead &head, std::span<const std::byte> payload) {
  ADA_TRY(file_.mustBeGood());
  if (!block_->isOpen()) {
    bytes_.resize(kBlockHeaderBytes);
    block_->begin(bytes_.data(), totals_.events, atf::crc32c);
    used_ = kBlockHeaderBytes;
  }
  if (const size_t most = used_ + mostDetailBytes(payload.size()); bytes_.size() < most)
    bytes_.resize(std::max(most, kBlockHeaderBytes + kDetailBlockBytes + mostDetailBytes(1024)));
  Byte *const from = bytes_.data() + used_;
  used_ += static_cast<size_t>(
      block_->encode(from, head, reinterpret_cast<const Byte *>(payload.data()), payload.size()) - from);
  return block_->isFull() ? endBlock() : Expected<void>();
}

Expected<void> DetailWriter::endBlock() {
  if (!block_->isOpen())
    return {};
  const size_t there = kBlockHeaderBytes + block_->addedBytes(); // these a resumed file already had
  block_->added(bytes_.data() + there, used_ - there, atf::crc32c);
  RawDetailBlockHeader raw = block_->close(atf::crc32c);
  if (compresses_)
    compressBody(raw);
  std::memcpy(bytes_.data(), &raw, sizeof raw);
  ADA_TRY(file_.write(bytes_.data(), used_, offset_));
  totals_.add(block_->totals());
  end_ = offset_ + used_;
  offset_ = aligned(end_);
  used_ = 0;
  return {};
}

void DetailWriter::compressBody(RawDetailBlockHeader &raw) {
  if (used_ - kBlockHeaderBytes > kMostPlainBytes)
    return;
  const std::vector<Byte> frame = compressed(std::span(bytes_).subspan(kBlockHeaderBytes, used_ - kBlockHeaderBytes));
  if (frame.empty())
    return;
  std::ranges::copy(frame, bytes_.begin() + kBlockHeaderBytes);
  used_ = kBlockHeaderBytes + frame.size();
  raw.flags |= kBlockZstd;
  raw.bodyBytes = frame.size();
  raw.bodyChecksum = atf::crc32c(0, frame.data(), frame.size());
  seal(raw, atf::crc32c);
}

Expected<void> DetailWriter::finish() {
  ADA_TRY(file_.mustBeOpen());
  ADA_TRY(endBlock());
  ADA_TRY(file_.cut(end_));
  ADA_TRY(writeHeader(true));
  return file_.close();
}

} // namespace ada::packed
