// Writes packed detail files.
#include "packed_detail_file.h"

namespace ada::runtime {

void PackedDetailFile::begin(const char *directory, uint32_t index, uint32_t tid, Memory *&memory) {
  HeadedFile::begin(directory, index, thread_files::kPackedDetail, {.arch = arch::kAtfArch, .threadId = tid});
  memory_ = &memory;
}

packed::RawDetailFileHeader PackedDetailFile::header(bool finished) const {
  const atf::DetailTotals totals = all();
  return packed::encodeDetailFileHeader(origin_, finished ? &totals : nullptr, end_, crc32c);
}

atf::DetailTotals PackedDetailFile::all() const {
  atf::DetailTotals totals = closed_;
  if (blockOffset_)
    totals.add(writer().kept());
  return totals;
}

//===--- blocks -----------------------------------------------------------===//

int PackedDetailFile::append(const unsigned char *bytes, const atf::DetailTotals &batch) {
  if (batch.bytes == 0)
    return 0;
  if (!*memory_ && !(*memory_ = static_cast<Memory *>(sys::mapMemory(sizeof(Memory)))))
    return -ENOMEM;
  int error = open();
  // Turn a final header into a placeholder again first: if the process died, it would hide what is appended.
  if (error == 0 && finished_)
    error = writeHeader(false);
  unsigned char *const buffer = (*memory_)->bytes;
  for (uint64_t at = 0; error == 0 && at < batch.bytes;) {
    const auto &raw = *reinterpret_cast<const atf::RawDetailEventV2 *>(bytes + at);
    const size_t payload = raw.totalLength - atf::kDetailEventHeaderBytes;
    if (!blockOffset_) {
      blockOffset_ = packed::aligned(end_);
      end_ = blockOffset_;
      used_ = headBytes_ = packed::kBlockHeaderBytes;
      writer().begin(buffer, closed_.events, crc32c);
    }
    const atf::DetailHead head = {
        .type = raw.type, .flags = raw.flags, .indexSeq = raw.indexSeq, .timestampNs = raw.timestampNs};
    unsigned char *const to = buffer + used_;
    used_ += static_cast<size_t>(writer().encode(to, head, bytes + at + sizeof raw, payload) - to);
    at += raw.totalLength;
    if (writer().isFull()) {
      error = flush();
      if (error == 0)
        error = closeBlock();
    }
  }
  return error == 0 ? flush() : error;
}

// Writes the encoded bytes.
int PackedDetailFile::flush() {
  if (used_ == 0)
    return 0;
  int error = file_.write((*memory_)->bytes, used_, end_);
  if (error < 0) {
    file_.truncate(end_);
    if (headBytes_) // the block didn't get into the file
      blockOffset_ = 0;
  } else {
    writer().added((*memory_)->bytes + headBytes_, used_ - headBytes_, crc32c);
    end_ += used_;
  }
  used_ = headBytes_ = 0;
  return error;
}

int PackedDetailFile::closeBlock() {
  const packed::RawDetailBlockHeader header = writer().close(crc32c);
  int error = file_.write(&header, sizeof header, blockOffset_);
  blockOffset_ = 0;
  closed_.add(writer().kept());
  return error;
}

//===--- the file's end ---------------------------------------------------===//

int PackedDetailFile::cutTo(uint64_t indexEvents) {
  const atf::DetailTotals before = all();
  if (!file_.exists() || (indexEvents > 0 && (before.events == 0 || before.highestSeq < indexEvents)))
    return 0;
  int error = indexEvents > 0 ? open() : 0;
  if (error == 0 && indexEvents > 0 && blockOffset_)
    error = closeBlock();
  if (error < 0)
    return error;
  const uint64_t end = end_;
  closed_ = {}, end_ = packed::kFileHeaderBytes, blockOffset_ = 0;
  for (uint64_t at = end_; indexEvents > 0 && at < end;) {
    packed::RawDetailBlockHeader header;
    error = file_.read(&header, sizeof header, at);
    if (error < 0)
      return error;
    if (header.highestSeq >= indexEvents) {
      error = cutBlock(at, header, indexEvents);
      break;
    }
    closed_.add(packed::totalsOf(header));
    end_ = at + packed::blockBytes(header);
    at = packed::aligned(end_);
  }
  if (error < 0)
    return error;
  if (closed_.events > 0)
    return file_.truncate(end_);
  file_.remove();
  finished_ = false;
  return 0;
}

// Keeps the first events of the block, those whose index events are below `indexEvents`.
int PackedDetailFile::cutBlock(uint64_t at, const packed::RawDetailBlockHeader &header, uint64_t indexEvents) {
  auto *body = static_cast<unsigned char *>(sys::mapMemory(header.bodyBytes));
  if (!body)
    return -ENOMEM;
  int error = file_.read(body, header.bodyBytes, at + sizeof header);
  if (error == 0) {
    const size_t kept = writer().resume(header.firstSeq, body, header.bodyBytes, crc32c,
                                        [&](const atf::DetailHead &head) { return head.indexSeq < indexEvents; });
    const packed::RawDetailBlockHeader cut = writer().close(crc32c);
    if (kept > 0) {
      error = file_.write(&cut, sizeof cut, at);
      closed_.add(writer().kept());
      end_ = at + sizeof cut + kept;
    }
  }
  sys::unmap(body, header.bodyBytes);
  return error;
}

int PackedDetailFile::finish() {
  if (!file_.exists())
    return 0;
  int error = open();
  if (error == 0 && blockOffset_)
    error = closeBlock();
  return error < 0 ? error : writeHeader(true);
}

} // namespace ada::runtime
