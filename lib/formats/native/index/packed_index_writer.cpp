// Writes packed index files through a buffer that holds one block.
#include "formats/native/index/packed_index_writer.h"

#include "formats/native/bytes/checksum.h"
#include "formats/native/bytes/compression.h"
#include "formats/native/index/index_blocks.h"
#include "trace/base/file_bytes.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstring>

namespace ada::packed {

// The size of the buffer: a full block, and room for one more event.
static constexpr size_t kRoom = kMostBlockStartBytes + kBlockBodyBytes + kMostEventBytes;

Writer::~Writer() {
  if (file_.isOpen())
    (void)endBlock();
}

Expected<std::unique_ptr<Writer>> Writer::create(const std::string &path, const atf::WriterOptions &options) {
  auto file = ADA_TRY(OutputFile::create(path, options));
  std::unique_ptr<Writer> writer(new Writer(std::move(file)));
  writer->origin_ = {2, options.arch, options.os, options.clockType, options.threadId};
  writer->storesLinks_ = !options.linksFollow;
  writer->compresses_ = options.compress;
  ADA_TRY(writer->writeHeader(false, 0, false));
  return writer;
}

// Loads the block with the last event to be kept into memory, as an open block.
Expected<std::unique_ptr<Writer>> Writer::resume(const std::string &path, uint64_t keep) {
  auto opened = ADA_TRY(OutputFile::open(path));
  auto bytes = ADA_TRY(FileBytes::open(path));
  auto parsed = ADA_TRY(File::parse(bytes.bytes(), path, bytes.holes()));
  std::unique_ptr<Writer> writer(new Writer(std::move(opened)));
  const RawFileHeader &head = parsed.header();
  writer->origin_ = {2, head.arch, head.os, head.clockType, head.threadId};
  writer->storesLinks_ = false;
  writer->offset_ = writer->blocksOffset_ = head.blocksOffset, writer->droppedCount_ = head.droppedCount;
  writer->block_->startAt(head.droppedCount);
  keep = std::min(keep, parsed.events());
  for (const Block &block : parsed.blocks()) {
    if (block.first >= keep)
      break;
    RawBlockHeader raw;
    std::memcpy(&raw, bytes.bytes().data() + block.offset, sizeof raw);
    if (block.last() < keep && !(block.flags & kBlockOpen)) {
      writer->entries_.push_back(encodeIndexEntry(block.offset, raw));
      writer->unsorted_ |= (raw.flags & kBlockUnsorted) != 0;
      writer->offset_ = aligned(block.offset + block.bytes);
      continue;
    }
    writer->resumeBlock(block, bytes.bytes().data(), block.firstSeq + (keep - block.first));
    writer->totals_.events = keep;
    writer->totals_.lastNs = writer->block_->state.lastNs;
    break;
  }
  // Even without events, the first block has the open calls and the number of events before the file.
  if (const Block *start = parsed.start(); keep == 0 && start && start->firstSeq > 0)
    writer->resumeBlock(*start, bytes.bytes().data(), start->firstSeq);
  if (!parsed.blocks().empty() && writer->totals_.events > 0)
    writer->totals_.firstNs = parsed.blocks()[0].firstNs;
  // Write the placeholder first: a final header would hide what is appended.
  ADA_TRY(writer->writeHeader(false, 0, false));
  ADA_TRY(writer->file_.cut(writer->offset_ + writer->used_));
  return writer;
}

// Loads a block of a file's `bytes` into memory, with the events before number `beforeSeq`.
void Writer::resumeBlock(const Block &block, const std::byte *bytes, uint64_t beforeSeq) {
  const auto *start = reinterpret_cast<const Byte *>(bytes) + block.offset;
  RawBlockHeader raw;
  std::memcpy(&raw, start, sizeof raw);
  const size_t startBytes = kBlockHeaderBytes + raw.callsBytes;
  std::vector<Byte> plain;
  std::span<const Byte> body(start + startBytes, block.bytes - startBytes);
  if (raw.flags & kBlockZstd) {
    plain = uncompressed(body, raw.plainBytes);
    body = plain;
  }
  const size_t used = block_->resume(start, body.data(), body.size(), beforeSeq, atf::crc32c);
  offset_ = block.offset;
  used_ = startBytes + used;
  bytes_.assign(start, start + startBytes);
  bytes_.insert(bytes_.end(), body.begin(), body.begin() + static_cast<ptrdiff_t>(used));
  bytes_.resize(std::max(used_ + kMostEventBytes, kRoom));
}

Expected<void> Writer::writeHeader(bool isFinal, uint64_t trailerOffset, bool hasDetail) {
  const RawFileHeader raw = encodeFileHeader(origin_, isFinal ? &totals_ : nullptr, trailerOffset, hasDetail,
                                             atf::crc32c, blocksOffset_, droppedCount_);
  return file_.write(&raw, sizeof raw, 0);
}

Expected<void> Writer::append(const atf::IndexEvent &event) {
  ADA_TRY(file_.mustBeGood());
  if (!block_->isOpen()) {
    bytes_.resize(kRoom);
    used_ = block_->begin(bytes_.data(), atf::crc32c);
  }
  Byte *const from = bytes_.data() + used_, *to = from;
  if (storesLinks_ && event.detailSeq != atf::kNoDetail)
    to = putPrefix(to, Sub::Link, event.detailSeq + 1);
  to = block_->encode(to, static_cast<uint32_t>(event.kind), event.functionId, event.timestampNs);
  used_ += static_cast<size_t>(to - from);
  if (totals_.events++ == 0)
    totals_.firstNs = event.timestampNs;
  totals_.lastNs = event.timestampNs;
  if (used_ + kMostEventBytes > bytes_.size() || used_ >= block_->startBytes() + kBlockBodyBytes)
    return endBlock();
  return {};
}

Expected<void> Writer::endBlock() {
  if (!block_->isOpen())
    return {};
  const size_t there = block_->blockBytes(); // these a resumed file already had
  block_->added(bytes_.data() + there, used_ - there, atf::crc32c);
  RawBlockHeader raw = block_->close(atf::crc32c);
  if (compresses_)
    compressBody(raw);
  std::memcpy(bytes_.data(), &raw, sizeof raw);
  ADA_TRY(file_.write(bytes_.data(), used_, offset_));
  entries_.push_back(encodeIndexEntry(offset_, raw));
  unsorted_ |= (raw.flags & kBlockUnsorted) != 0;
  offset_ = aligned(offset_ + used_);
  used_ = 0;
  return {};
}

void Writer::compressBody(RawBlockHeader &raw) {
  const size_t start = block_->startBytes();
  const std::vector<Byte> frame = compressed(std::span(bytes_).subspan(start, used_ - start));
  if (frame.empty())
    return;
  std::ranges::copy(frame, bytes_.begin() + static_cast<ptrdiff_t>(start));
  used_ = start + frame.size();
  raw.flags |= kBlockZstd;
  raw.bodyBytes = static_cast<uint32_t>(frame.size());
  raw.bodyChecksum = atf::crc32c(0, bytes_.data() + kBlockHeaderBytes, used_ - kBlockHeaderBytes);
  seal(raw, atf::crc32c);
}

Expected<void> Writer::finish(bool hasDetail) {
  ADA_TRY(file_.mustBeOpen());
  ADA_TRY(endBlock());
  const RawIndexHead head = encodeIndexHead(entries_.size());
  std::vector<Byte> index(sizeof head + entries_.size() * sizeof(RawIndexEntry) + sizeof(RawTrailer));
  std::memcpy(index.data(), &head, sizeof head);
  if (!entries_.empty())
    std::memcpy(index.data() + sizeof head, entries_.data(), entries_.size() * sizeof(RawIndexEntry));
  const size_t indexBytes = index.size() - sizeof(RawTrailer);
  const RawTrailer trailer = encodeTrailer(offset_, entries_.size(), atf::crc32c(0, index.data(), indexBytes), totals_,
                                           unsorted_, atf::crc32c);
  std::memcpy(index.data() + indexBytes, &trailer, sizeof trailer);
  ADA_TRY(file_.write(index.data(), index.size(), offset_));
  ADA_TRY(writeHeader(true, offset_ + indexBytes, hasDetail));
  return file_.close();
}

} // namespace ada::packed
