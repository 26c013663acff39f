// Writes ATF index files.
#include "index_file.h"

namespace ada::runtime {

void IndexFile::begin(const char *directory, uint32_t index, uint32_t tid, uint32_t version) {
  HeadedFile::begin(directory, index, thread_files::kAtfIndex,
                    {.version = static_cast<uint8_t>(version), .arch = arch::kAtfArch, .threadId = tid});
}

int IndexFile::append(const unsigned char *events, size_t n, uint64_t count) {
  if (count == 0)
    return 0;
  if (const int error = add(events, n); error < 0)
    return error;
  // Both versions begin with the time.
  auto time = [&](uint64_t i) {
    return reinterpret_cast<const atf::RawIndexEventV2 *>(events + i * atf::kIndexEventBytes)->timestampNs.get();
  };
  if (totals_.events == 0)
    totals_.firstNs = time(0);
  totals_.lastNs = time(count - 1);
  totals_.events += count;
  return 0;
}

int IndexFile::linkDetail(uint64_t seq, uint64_t detailSeq) {
  int error = open();
  if (error < 0)
    return error;
  linked_ = true;
  unsigned char link[8];
  size_t n = atf::encodeLink(link, origin_.version, detailSeq);
  return file_.write(link, n, atf::linkOffset(origin_.version, seq));
}

// Recomputes the checksum of a file in which links were set afterwards: reads the events again.
int IndexFile::sumAgain() {
  static unsigned char buffer[65536]; // the drain is one thread
  crc_ = 0;
  for (uint64_t at = atf::kHeaderBytes; at < end();) {
    size_t n = end() - at < sizeof buffer ? end() - at : sizeof buffer;
    if (int error = file_.read(buffer, n, at); error < 0)
      return error;
    crc_ = sumOf(origin_.version, crc_, buffer, n);
    at += n;
  }
  linked_ = false;
  return 0;
}

uint64_t IndexFile::shorten(uint64_t count) {
  if (open() < 0)
    return 0;
  if (count > totals_.events)
    count = totals_.events;
  if (file_.truncate(end() - count * atf::kIndexEventBytes) < 0)
    return 0;
  totals_.events -= count;
  uint64_t last[1] = {0}; // both versions begin with the time
  if (totals_.events > 0)
    file_.read(last, sizeof last, end() - atf::kIndexEventBytes);
  else
    totals_.firstNs = 0;
  totals_.lastNs = last[0];
  linked_ = true; // the checksum must be recomputed
  return count;
}

int IndexFile::finish(bool hasDetail) {
  int error = open();
  if (error == 0 && linked_)
    error = sumAgain();
  if (error < 0)
    return error;
  hasDetail_ = hasDetail;
  return finishWith(atf::encodeIndexFooter(totals_, crc_));
}

} // namespace ada::runtime
