// detail_file.cpp - writes detail files with raw system calls.
#include "detail_file.h"
#include "crc.h"
#include "file_writing.h"
#include "text.h"

namespace ada {

void DetailFile::begin(const char *directory, uint32_t index, uint32_t tid, uint32_t format) {
  *this = DetailFile();
  directory_ = directory, index_ = index, tid_ = tid, format_ = format;
}

int DetailFile::open() {
  if (fd_ >= 0)
    return 0;
  Path path(directory_);
  path << "/thread_" << index_;
  if (!made_) {
    int error = sys::makeDirectory(path.c_str()); // the index file may come later
    if (error < 0 && error != -EEXIST)
      return error;
  }
  path << "/detail.atf";
  fd_ = sys::open(path.c_str(), made_ ? O_RDWR : O_RDWR | O_CREAT | O_TRUNC);
  if (fd_ < 0)
    return fd_;
  if (made_)
    return 0;
  made_ = true;
  return writeHeader(false);
}

void DetailFile::closeDescriptor() {
  if (fd_ >= 0)
    sys::close(fd_);
  fd_ = -1;
}

int DetailFile::writeHeader(bool finished) {
  atf::RawDetailHeader h;
  clearBytes(&h, sizeof h);
  copyBytes(h.magic, "ATD2", 4);
  h.endian = atf::kLittleEndian, h.version = (uint8_t)format_;
  h.arch = (uint8_t)arch::kAtfArch, h.os = atf::kOsLinux;
  h.threadId = tid_, h.eventsOffset = 64;
  if (finished) {
    h.eventCount = events_, h.bytesLength = bytes_;
    h.indexSeqStart = seqStart_, h.indexSeqEnd = seqEnd_;
  }
  int error = writeAll(fd_, &h, sizeof h, 0);
  if (error == 0)
    finished_ = finished;
  return error;
}

size_t DetailFile::encode(unsigned char *to, const ring::Event &e, const ada_detail &d, uint64_t indexSeq,
                          unsigned &count) const {
  unsigned char *p = to;
  auto header = [&](size_t payload, uint16_t type) {
    if (format_ == 1) {
      atf::RawDetailEventV1 &h = *(atf::RawDetailEventV1 *)p;
      h.totalLength = (uint32_t)(sizeof h + payload), h.type = type, h.flags = 0;
      h.indexSeq = (uint32_t)indexSeq, h.threadId = tid_, h.timestampNs = e.timestampNs;
    } else {
      atf::RawDetailEventV2 &h = *(atf::RawDetailEventV2 *)p;
      h.totalLength = (uint32_t)(sizeof h + payload), h.type = type, h.flags = 0;
      h.indexSeq = indexSeq, h.timestampNs = e.timestampNs;
    }
    p += 24;
  };
  header(sizeof(atf::RawFunctionPayload) + d.stack_bytes,
         e.kind == ring::kReturn ? atf::kDetailFunctionReturn : atf::kDetailFunctionCall);
  atf::RawFunctionPayload &f = *(atf::RawFunctionPayload *)p;
  f.functionId = e.functionId;
  for (int i = 0; i < 8; ++i)
    f.registers[i] = d.registers[i];
  f.lr = d.lr, f.fp = d.fp, f.sp = d.sp;
  f.stackBytes = d.stack_bytes, f.reserved = 0;
  p += sizeof f;
  const char *vectors = (const char *)(&d + 1), *stack = vectors + 16 * d.vectors;
  copyBytes(p, stack, d.stack_bytes);
  p += d.stack_bytes;
  count = 1;
  if (d.vectors > 0) {
    header(sizeof(atf::RawVectorPayload) + 16u * d.vectors, atf::kDetailVectors);
    atf::RawVectorPayload &v = *(atf::RawVectorPayload *)p;
    clearBytes(&v, sizeof v);
    v.functionId = e.functionId, v.count = d.vectors, v.bytesEach = 16;
    p += sizeof v;
    copyBytes(p, vectors, 16u * d.vectors);
    p += 16u * d.vectors;
    count = 2;
  }
  return (size_t)(p - to);
}

int DetailFile::append(const unsigned char *bytes, size_t n, uint64_t count, uint64_t firstSeq, uint64_t lastSeq,
                       uint64_t firstNs, uint64_t lastNs) {
  if (n == 0)
    return 0;
  int error = open();
  if (error == 0 && finished_) {
    error = writeHeader(false);
    sys::truncate(fd_, 64 + bytes_); // the footer goes
  }
  if (error == 0)
    error = writeAll(fd_, bytes, n, 64 + bytes_);
  if (error < 0) {
    if (fd_ >= 0)
      sys::truncate(fd_, 64 + bytes_);
    return error;
  }
  if (events_ == 0)
    timeStart_ = firstNs, seqStart_ = firstSeq;
  timeEnd_ = lastNs, seqEnd_ = lastSeq;
  crc_ = format_ == 1 ? crc32(crc_, bytes, n) : crc32c(crc_, bytes, n);
  events_ += count, bytes_ += n;
  return 0;
}

int DetailFile::finish() {
  if (!made_)
    return 0;
  int error = open();
  if (error < 0)
    return error;
  atf::RawDetailFooter f;
  clearBytes(&f, sizeof f);
  copyBytes(f.magic, "2DTA", 4);
  f.checksum = crc_, f.eventCount = events_, f.bytesLength = bytes_;
  f.timeStartNs = timeStart_, f.timeEndNs = timeEnd_;
  error = writeAll(fd_, &f, sizeof f, 64 + bytes_);
  return error < 0 ? error : writeHeader(true);
}

} // namespace ada
