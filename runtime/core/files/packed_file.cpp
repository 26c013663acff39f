// Writes packed index files.
#include "packed_file.h"

namespace ada::runtime {

void PackedFile::begin(const char *directory, uint32_t index, uint32_t tid, packed::BlockWriter &blocks) {
  const bool isUsed = blocks_ == &blocks; // by the slot's previous thread; otherwise it is zeros
  HeadedFile::begin(directory, index, thread_files::kPackedIndex, {.arch = arch::kAtfArch, .threadId = tid});
  blocks_ = &blocks;
  if (isUsed)
    __builtin_memset(static_cast<void *>(blocks_), 0, sizeof *blocks_);
}

packed::RawFileHeader PackedFile::header(bool finished) const {
  const packed::FileTotals totals = kept();
  return packed::encodeFileHeader(origin_, finished ? &totals : nullptr, trailerOffset_, hasDetail_, crc32c, first_,
                                  removed_);
}

//===--- blocks -----------------------------------------------------------===//

unsigned char *PackedFile::beginBatch(unsigned char *to) {
  startBytes_ = blockOffset_ ? 0 : blocks_->begin(to, crc32c);
  return to + startBytes_;
}

int PackedFile::append(const unsigned char *batch, size_t n, uint64_t count) {
  if (count == 0)
    return 0;
  int error = open();
  if (error == 0)
    error = reopen();
  const uint64_t at = startBytes_ ? packed::aligned(end_) : end_;
  if (error == 0)
    error = file_.write(batch, n, at);
  if (error < 0) {
    file_.truncate(end_);
    return error;
  }
  if (startBytes_)
    blockOffset_ = at;
  blocks_->added(batch + startBytes_, n - startBytes_, crc32c);
  startBytes_ = 0;
  end_ = at + n;
  if (totals_.events == removed_)
    totals_.firstNs = blocks_->firstNs;
  totals_.events += count;
  totals_.lastNs = blocks_->state.lastNs;
  return blocks_->isFull() ? closeBlock() : 0;
}

// Turns a final header into a placeholder again: if the process died, it would hide what is appended.
int PackedFile::reopen() {
  if (!finished_)
    return 0;
  const int error = writeHeader(false);
  file_.truncate(end_); // drop the block index
  return error;
}

// Begins a block before there is an event for it.
int PackedFile::beginBlock() {
  unsigned char start[packed::kMaxBlockStartBytes];
  const size_t bytes = blocks_->begin(start, crc32c);
  const uint64_t at = packed::aligned(end_);
  int error = reopen();
  if (error == 0)
    error = file_.write(start, bytes, at);
  if (error == 0)
    blockOffset_ = at, end_ = at + bytes;
  return error;
}

int PackedFile::closeBlock() {
  packed::RawBlockHeader header = blocks_->close(crc32c);
  int error = file_.write(&header, sizeof header, blockOffset_);
  blockOffset_ = 0;
  if (header.eventCount > 0)
    closedBytes_ = blocks_->blockBytes();
  return error;
}

bool PackedFile::takeClosed(uint64_t &bytes, uint64_t &lastNs) {
  bytes = closedBytes_, lastNs = totals_.lastNs;
  closedBytes_ = 0;
  return bytes > 0;
}

// Continues while `visit(offset, header)` returns 0. Returns visit's value, or the reason why a header can't be read.
template <class Visit> int PackedFile::eachBlock(Visit &&visit) {
  packed::RawBlockHeader block;
  for (uint64_t at = first_; at < end_; at = packed::aligned(at + packed::blockBytes(block))) {
    int error = file_.read(&block, sizeof block, at);
    if (error == 0)
      error = visit(at, block);
    if (error != 0)
      return error;
  }
  return 0;
}

uint64_t PackedFile::shorten(uint64_t count) {
  if (open() < 0 || (blockOffset_ && closeBlock() < 0))
    return 0;
  // Visit the blocks from the front, as long as enough events follow them.
  const uint64_t keep = totals_.events > count ? totals_.events - count : 0;
  packed::FileTotals kept = {removed_, 0, 0};
  uint64_t end = first_;
  (void)eachBlock([&](uint64_t at, const packed::RawBlockHeader &block) {
    if (kept.events + block.eventCount > keep)
      return -ERANGE; // enough
    if (kept.events == removed_)
      kept.firstNs = block.firstNs;
    kept.events += block.eventCount, kept.lastNs = block.lastNs;
    end = at + packed::blockBytes(block);
    return 0;
  });
  if (file_.truncate(end) < 0)
    return 0;
  const uint64_t gone = totals_.events - kept.events;
  totals_ = kept, end_ = end;
  return gone;
}

//===--- the next file ----------------------------------------------------===//

int PackedFile::makeNext(const char *directory, unsigned char *buffer) {
  ThreadFile next;
  next.begin(directory, file_.index(), thread_files::kPackedIndex);
  nextStartBytes_ = blocks_->begin(buffer, crc32c);
  const int error = next.open([&] {
    const packed::RawFileHeader header = packed::encodeFileHeader(origin_, nullptr, 0, false, crc32c);
    int failed = next.write(&header, sizeof header, 0);
    return failed < 0 ? failed : next.write(buffer, nextStartBytes_, packed::aligned(packed::kFileHeaderBytes));
  });
  next.close();
  return error;
}

void PackedFile::goOn(const char *directory) {
  const uint32_t index = file_.index();
  file_.begin(directory, index, thread_files::kPackedIndex);
  file_.setMade();
  removed_ = totals_.events, totals_.firstNs = 0;
  first_ = blockOffset_ = packed::aligned(packed::kFileHeaderBytes);
  end_ = blockOffset_ + nextStartBytes_;
  startBytes_ = 0, closedBytes_ = 0, indexEnd_ = 0;
  finished_ = hasDetail_ = false;
}

//===--- the oldest blocks ------------------------------------------------===//

int PackedFile::load(const char *directory, uint32_t index) {
  HeadedFile::begin(directory, index, thread_files::kPackedIndex, {});
  packed::RawFileHeader header;
  packed::RawTrailer trailer;
  packed::RawBlockHeader block;
  int error = file_.openMade();
  if (error == 0)
    error = file_.read(&header, sizeof header, 0);
  if (error == 0)
    error = file_.read(&trailer, sizeof trailer, header.trailerOffset);
  if (error == 0)
    error = file_.read(&block, sizeof block, header.blocksOffset);
  if (error < 0)
    return error;
  origin_ = {.arch = header.arch, .os = header.os, .clockType = header.clockType, .threadId = header.threadId};
  first_ = header.blocksOffset, end_ = trailer.indexOffset, removed_ = block.firstSeq;
  totals_ = {removed_ + header.eventCount, header.timeStartNs, header.timeEndNs};
  indexEnd_ = header.trailerOffset + packed::kTrailerBytes;
  finished_ = true, hasDetail_ = (header.flags & packed::kFileHasDetail) != 0;
  return 0;
}

// A file without blocks does not show which calls are open. After a kill nothing else does, and their ends may be in
// the ring. So the last block is only removed when the next one has begun; one that was closed without events goes with
// it.
int PackedFile::removeFirst() {
  packed::RawBlockHeader block, next;
  int error = open();
  const uint64_t begin = first_;
  uint64_t end = begin;
  do {
    if (error == 0)
      error = file_.read(&block, sizeof block, end);
    if (error < 0)
      return error;
    end = packed::aligned(end + packed::blockBytes(block));
  } while (block.eventCount == 0 && end < end_);
  const bool wasFinished = finished_;
  if (end >= end_ && blocks_ && (error = beginBlock()) < 0)
    return error;
  const bool isLast = end >= end_, isOpen = !isLast && end == blockOffset_;
  if (!isLast && !isOpen && (error = file_.read(&next, sizeof next, end)) < 0)
    return error;
  first_ = end, removed_ += block.eventCount;
  totals_.firstNs = isLast ? 0 : isOpen ? blocks_->firstNs : next.firstNs;
  // Write the header first: it must never lead to a hole or to an index that is being changed.
  error = writeHeader(false);
  if (error == 0)
    error = file_.makeHole(begin, end - begin);
  return error == 0 && wasFinished ? finish(hasDetail_) : error;
}

//===--- the file's end ---------------------------------------------------===//

// Writes an entry for each block. They come from the blocks' headers, so the drain keeps none of them in memory. A file
// of few blocks takes one system call.
int PackedFile::writeIndex(const packed::FileTotals &totals) {
  constexpr size_t kMaxEntries = 64;
  unsigned char buffer[packed::kIndexHeadBytes + kMaxEntries * packed::kIndexEntryBytes + packed::kTrailerBytes];
  const uint64_t indexOffset = packed::aligned(end_);
  uint64_t blocks = 0, to = indexOffset;
  size_t used = 0;
  uint32_t checksum = 0;
  bool unsorted = false;
  auto add = [&](const auto &piece) {
    __builtin_memcpy(buffer + used, &piece, sizeof piece);
    used += sizeof piece;
  };
  auto flush = [&] {
    const int failed = file_.write(buffer, used, to);
    to += used, used = 0;
    return failed;
  };
  int error = eachBlock([&](uint64_t, const packed::RawBlockHeader &block) {
    ++blocks;
    unsorted |= (block.flags & packed::kBlockUnsorted) != 0;
    return 0;
  });
  add(packed::encodeIndexHead(blocks));
  if (error == 0)
    error = eachBlock([&](uint64_t at, const packed::RawBlockHeader &block) {
      int failed = 0;
      if (used + packed::kIndexEntryBytes + packed::kTrailerBytes > sizeof buffer) {
        checksum = crc32c(checksum, buffer, used);
        failed = flush();
      }
      add(packed::encodeIndexEntry(at, block));
      return failed;
    });
  if (error < 0)
    return error;
  checksum = crc32c(checksum, buffer, used);
  trailerOffset_ = to + used;
  add(packed::encodeTrailer(indexOffset, blocks, checksum, totals, unsorted, crc32c));
  return flush();
}

int PackedFile::finish(bool hasDetail) {
  int error = open();
  if (error == 0 && blockOffset_)
    error = closeBlock();
  hasDetail_ = hasDetail;
  const uint64_t olderEnd = indexEnd_;
  indexEnd_ = UINT64_MAX;
  if (error == 0)
    error = writeIndex(kept());
  if (error < 0)
    return error;
  indexEnd_ = trailerOffset_ + packed::kTrailerBytes;
  if (indexEnd_ < olderEnd)
    file_.truncate(indexEnd_);
  return writeHeader(true);
}

} // namespace ada::runtime
