// Writes packed index files through a buffer that holds one block.
#include "packed_index_writer.h"

#include "trace/base/try.h"

#include <algorithm>
#include <cstring>

namespace ada::packed {

// The size of the buffer: a full block, and room for one more event.
static constexpr size_t kRoom = kMaxBlockStartBytes + kBlockBodyBytes + kMaxEventBytes;

//===--- blocks, and the index of them ------------------------------------===//

Expected<uint64_t> IndexOutput::add(RawBlockHeader &raw, std::span<const Byte> calls, std::span<const Byte> body) {
  const uint64_t offset = ADA_TRY(BlockOutput::add(raw, calls, body));
  note(offset, raw);
  return offset;
}

void IndexOutput::note(uint64_t offset, const RawBlockHeader &raw) {
  entries_.push_back(encodeIndexEntry(offset, raw));
  isUnsorted_ |= (raw.flags & kBlockUnsorted) != 0;
}

Expected<uint64_t> IndexOutput::addIndex(const FileTotals &totals) {
  const RawIndexHead head = encodeIndexHead(entries_.size());
  const size_t indexBytes = sizeof head + entries_.size() * sizeof(RawIndexEntry);
  std::vector<Byte> index(indexBytes + sizeof(RawTrailer));
  std::memcpy(index.data(), &head, sizeof head);
  if (!entries_.empty())
    std::memcpy(index.data() + sizeof head, entries_.data(), indexBytes - sizeof head);
  const RawTrailer trailer = encodeTrailer(next(), entries_.size(), atf::crc32c(0, index.data(), indexBytes), totals,
                                           isUnsorted_, atf::crc32c);
  std::memcpy(index.data() + indexBytes, &trailer, sizeof trailer);
  ADA_TRY(write(index.data(), index.size(), next()));
  return next() + indexBytes;
}

//===--- a file of events -------------------------------------------------===//

IndexWriter::~IndexWriter() {
  if (out_.isOpen())
    (void)endBlock();
}

Expected<std::unique_ptr<IndexWriter>> IndexWriter::create(const std::string &path, const atf::WriterOptions &options) {
  auto file = ADA_TRY(OutputFile::create(path, options));
  std::unique_ptr<IndexWriter> writer(new IndexWriter({std::move(file), options.compress}));
  writer->origin_ = originOf(options);
  writer->storesLinks_ = !options.linksFollow;
  ADA_TRY(writer->writePlaceholder());
  return writer;
}

// Loads the block with the last event to be kept into memory, as an open block.
Expected<std::unique_ptr<IndexWriter>> IndexWriter::resume(const std::string &path, uint64_t keep) {
  auto file = ADA_TRY(OutputFile::open(path));
  auto bytes = ADA_TRY(FileBytes::open(path));
  auto parsed = ADA_TRY(IndexBlocks::parse(bytes.bytes(), path, bytes.holes()));
  std::unique_ptr<IndexWriter> writer(new IndexWriter({std::move(file), false}));
  const RawFileHeader &head = parsed.header();
  writer->origin_ = {2, head.arch, head.os, head.clockType, head.threadId};
  writer->blocksOffset_ = head.blocksOffset, writer->droppedCount_ = head.droppedCount;
  writer->out_.continueAfter(head.blocksOffset);
  writer->block_->startAt(head.droppedCount);
  keep = std::min(keep, parsed.events());
  for (const Block &block : parsed.blocks()) {
    if (block.first >= keep)
      break;
    if (block.last() < keep && !(block.flags & kBlockOpen)) {
      writer->out_.note(block.offset, load<RawBlockHeader>(parsed.at(block.offset)));
      writer->out_.continueAfter(block.offset + block.bytes);
      continue;
    }
    ADA_TRY(writer->resumeBlock(parsed, block, block.firstSeq + (keep - block.first)));
    writer->totals_.events = keep;
    writer->totals_.lastNs = writer->block_->state.lastNs;
    break;
  }
  // Even without events, the first block has the open calls and the number of events before the file.
  if (const Block *start = parsed.start(); keep == 0 && start && start->firstSeq > 0)
    ADA_TRY(writer->resumeBlock(parsed, *start, start->firstSeq));
  if (!parsed.blocks().empty() && writer->totals_.events > 0)
    writer->totals_.firstNs = parsed.blocks()[0].firstNs;
  // Write the placeholder first: a final header would hide what is appended.
  ADA_TRY(writer->writePlaceholder());
  ADA_TRY(writer->out_.cut(writer->out_.next() + writer->block_.used()));
  return writer;
}

// Loads a block of a file into memory, with the events before number `beforeSeq`.
Expected<void> IndexWriter::resumeBlock(const IndexBlocks &file, const Block &block, uint64_t beforeSeq) {
  std::vector<Byte> plain;
  const std::span<const Byte> body = ADA_TRY(file.body(block, plain));
  const Byte *const start = file.at(block.offset);
  const size_t used = block_->resume(start, body.data(), body.size(), beforeSeq, atf::crc32c);
  block_.load({start, startBytes(load<RawBlockHeader>(start))}, body.first(used));
  out_.continueAfter(block.offset);
  return {};
}

Expected<void> IndexWriter::writeHeader(const FileTotals *totals, uint64_t trailerOffset, bool hasDetail) {
  const RawFileHeader raw =
      encodeFileHeader(origin_, totals, trailerOffset, hasDetail, atf::crc32c, blocksOffset_, droppedCount_);
  return out_.write(&raw, sizeof raw, 0);
}

Expected<void> IndexWriter::append(const atf::IndexEvent &event) {
  ADA_TRY(out_.mustBeGood());
  if (!block_->isOpen()) {
    Byte *const start = block_.room(kRoom, kRoom);
    block_.use(start + block_->begin(start, atf::crc32c));
  }
  Byte *to = block_.room(kMaxEventBytes, kRoom);
  if (storesLinks_ && event.detailSeq != atf::kNoDetail)
    to = putPrefix(to, Sub::Link, event.detailSeq + 1);
  block_.use(block_->encode(to, static_cast<uint32_t>(event.kind), event.functionId, event.timestampNs));
  if (totals_.events++ == 0)
    totals_.firstNs = event.timestampNs;
  totals_.lastNs = event.timestampNs;
  if (!block_.hasRoom(kMaxEventBytes) || block_.used() >= block_->startBytes() + kBlockBodyBytes)
    return endBlock();
  return {};
}

Expected<void> IndexWriter::endBlock() {
  if (block_->isOpen())
    ADA_TRY(block_.end(out_));
  return {};
}

Expected<void> IndexWriter::finish(bool hasDetail) {
  ADA_TRY(out_.mustBeOpen());
  ADA_TRY(endBlock());
  const uint64_t trailerOffset = ADA_TRY(out_.addIndex(totals_));
  ADA_TRY(writeHeader(&totals_, trailerOffset, hasDetail));
  return out_.close();
}

} // namespace ada::packed
