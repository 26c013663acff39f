// index_file.cpp - writes index files with raw system calls.
#include "index_file.h"
#include "crc.h"
#include "file_writing.h"

namespace ada {

void IndexFile::begin(const char *directory, uint32_t index, uint32_t tid, uint32_t format) {
  *this = IndexFile();
  directory_ = directory, index_ = index, tid_ = tid, format_ = format;
}

Path IndexFile::path() const { return Path(directory_) << "/thread_" << index_ << "/index.atf"; }

int IndexFile::open() {
  if (fd_ >= 0)
    return 0;
  if (made_)
    return (fd_ = sys::open(path().c_str(), O_RDWR)) < 0 ? fd_ : 0;
  int error = sys::makeDirectory((Path(directory_) << "/thread_" << index_).c_str());
  if (error < 0 && error != -EEXIST)
    return error;
  fd_ = sys::open(path().c_str(), O_RDWR | O_CREAT | O_TRUNC);
  if (fd_ < 0)
    return fd_;
  made_ = true;
  return writeHeader(false);
}

void IndexFile::closeDescriptor() {
  if (fd_ >= 0)
    sys::close(fd_);
  fd_ = -1;
}

int IndexFile::writeHeader(bool finished) {
  union {
    atf::RawIndexHeaderV1 v1;
    atf::RawIndexHeaderV2 v2;
    unsigned char bytes[64];
  } h;
  clearBytes(&h, sizeof h);
  uint64_t footerOffset = 64 + (finished ? events_ * 32 : 0);
  auto fill = [&](auto &v) {
    copyBytes(v.magic, "ATI2", 4);
    v.endian = atf::kLittleEndian, v.version = (uint8_t)format_;
    v.arch = (uint8_t)arch::kAtfArch, v.os = atf::kOsLinux;
    v.flags = finished && hasDetail_ ? atf::kFlagHasDetail : 0;
    v.threadId = tid_, v.clockType = atf::kClockBoottime;
    v.eventSize = 32, v.eventsOffset = 64, v.footerOffset = footerOffset;
    v.timeStartNs = finished ? timeStart_ : 0, v.timeEndNs = finished ? timeEnd_ : 0;
  };
  uint64_t count = finished ? events_ : 0;
  if (format_ == 1) {
    fill(h.v1);
    h.v1.eventCount = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count; // the footer has the true count
  } else {
    fill(h.v2);
    h.v2.eventCount = count;
  }
  int error = writeAll(fd_, &h, sizeof h, 0);
  if (error == 0)
    finished_ = finished;
  return error;
}

int IndexFile::append(const unsigned char *events, uint64_t count) {
  if (count == 0)
    return 0;
  int error = open();
  // A header that was final is made a placeholder again first: it would hide what is appended if we died.
  if (error == 0 && finished_) {
    error = writeHeader(false);
    sys::truncate(fd_, 64 + events_ * 32); // and the footer goes
  }
  if (error == 0)
    error = writeAll(fd_, events, count * 32, 64 + events_ * 32);
  if (error < 0) {
    if (fd_ >= 0)
      sys::truncate(fd_, 64 + events_ * 32); // no half event at the end
    return error;
  }
  auto time = [&](uint64_t i) { return (uint64_t)((const atf::RawIndexEventV2 *)(events + i * 32))->timestampNs; };
  if (events_ == 0)
    timeStart_ = time(0);
  timeEnd_ = time(count - 1);
  crc_ = format_ == 1 ? crc32(crc_, events, count * 32) : crc32c(crc_, events, count * 32);
  events_ += count;
  return 0;
}

int IndexFile::linkDetail(uint64_t seq, uint64_t detailSeq) {
  int error = open();
  if (error < 0)
    return error;
  linked_ = true;
  if (format_ == 1) {
    uint32_t link = (uint32_t)detailSeq;
    return writeAll(fd_, &link, sizeof link, 64 + seq * 32 + offsetof(atf::RawIndexEventV1, detailSeq));
  }
  return writeAll(fd_, &detailSeq, sizeof detailSeq, 64 + seq * 32 + offsetof(atf::RawIndexEventV2, detailSeq));
}

// The checksum of a file in which links were set afterwards: reads the events again.
int IndexFile::sumAgain() {
  static unsigned char buffer[65536]; // the drain is one thread
  uint64_t end = 64 + events_ * 32;
  crc_ = 0;
  for (uint64_t at = 64; at < end;) {
    size_t n = end - at < sizeof buffer ? end - at : sizeof buffer;
    long r = sys::call(SYS_pread64, fd_, buffer, n, at);
    if (r == -EINTR)
      continue;
    if (r <= 0)
      return r < 0 ? (int)r : -EIO;
    crc_ = format_ == 1 ? crc32(crc_, buffer, (size_t)r) : crc32c(crc_, buffer, (size_t)r);
    at += (uint64_t)r;
  }
  linked_ = false;
  return 0;
}

int IndexFile::finish(bool hasDetail) {
  int error = open();
  if (error == 0 && linked_)
    error = sumAgain();
  if (error < 0)
    return error;
  hasDetail_ = hasDetail;
  atf::RawIndexFooter f;
  clearBytes(&f, sizeof f);
  copyBytes(f.magic, "2ITA", 4);
  f.checksum = crc_, f.eventCount = events_;
  f.timeStartNs = timeStart_, f.timeEndNs = timeEnd_, f.bytesWritten = events_ * 32;
  error = writeAll(fd_, &f, sizeof f, 64 + events_ * 32);
  return error < 0 ? error : writeHeader(true);
}

} // namespace ada
