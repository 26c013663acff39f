// Writes detail files with raw system calls.
#include "detail_file.h"
#include "core/base/crc.h"

namespace ada::runtime {

void DetailFile::begin(const char *directory, uint32_t index, uint32_t tid, uint32_t version) {
  *this = DetailFile();
  file_.begin(directory, index, "detail.atf");
  origin_ = {.version = static_cast<uint8_t>(version), .arch = arch::kAtfArch, .threadId = tid};
}

int DetailFile::open() {
  return file_.open([&] { return writeHeader(false); });
}

int DetailFile::writeHeader(bool finished) {
  atf::Frame header = atf::encodeDetailHeader(origin_, finished ? &totals_ : nullptr);
  int error = file_.write(header.bytes, sizeof header, 0);
  if (error == 0)
    finished_ = finished;
  return error;
}

int DetailFile::append(const unsigned char *bytes, const atf::DetailTotals &batch) {
  if (batch.bytes == 0)
    return 0;
  int error = open();
  if (error == 0 && finished_) {
    error = writeHeader(false);
    file_.truncate(end()); // drop the footer
  }
  if (error == 0)
    error = file_.write(bytes, batch.bytes, end());
  if (error < 0) {
    file_.truncate(end());
    return error;
  }
  totals_.add(batch);
  crc_ = sumOf(origin_.version, crc_, bytes, batch.bytes);
  return 0;
}

int DetailFile::readEvent(uint64_t at, unsigned char *event, Head &head) {
  const auto &v1 = *reinterpret_cast<const atf::RawDetailEventV1 *>(event);
  const auto &v2 = *reinterpret_cast<const atf::RawDetailEventV2 *>(event);
  static_assert(sizeof v1 == sizeof v2);
  if (int error = file_.read(event, sizeof v1, at); error < 0)
    return error;
  head = {v1.totalLength.get(), origin_.version == 1 ? v1.indexSeq.get() : v2.indexSeq.get(),
          origin_.version == 1 ? v1.timestampNs.get() : v2.timestampNs.get(), !atf::isAddition(v1.type.get())};
  if (head.bytes < sizeof v1 || head.bytes > kMostBytes)
    return -EIO;
  return file_.read(event + sizeof v1, head.bytes - sizeof v1, at + sizeof v1);
}

void DetailFile::add(const unsigned char *event, const Head &head) {
  totals_.add(head.indexSeq, head.ns, head.bytes);
  crc_ = sumOf(origin_.version, crc_, event, head.bytes);
}

// Ends the file where `totals_` says, or removes it if it has no events.
int DetailFile::shrink() {
  if (totals_.events > 0)
    return file_.truncate(end());
  file_.remove();
  finished_ = false;
  return 0;
}

int DetailFile::finish() {
  if (!file_.exists())
    return 0;
  int error = open();
  if (error < 0)
    return error;
  atf::Frame footer = atf::encodeDetailFooter(totals_, crc_);
  error = file_.write(footer.bytes, sizeof footer, end());
  return error < 0 ? error : writeHeader(true);
}

} // namespace ada::runtime
