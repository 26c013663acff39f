// Writes detail files with raw system calls.
#include "detail_file.h"

namespace ada::runtime {

void DetailFile::begin(const char *directory, uint32_t index, uint32_t tid, uint32_t version) {
  HeadedFile::begin(directory, index, thread_files::kAtfDetail,
                    {.version = static_cast<uint8_t>(version), .arch = arch::kAtfArch, .threadId = tid});
}

int DetailFile::append(const unsigned char *bytes, const atf::DetailTotals &batch) {
  if (batch.bytes == 0)
    return 0;
  const int error = add(bytes, batch.bytes);
  if (error == 0)
    totals_.add(batch);
  return error;
}

int DetailFile::readEvent(uint64_t at, unsigned char *event, Head &head) {
  const auto &v1 = *reinterpret_cast<const atf::RawDetailEventV1 *>(event);
  const auto &v2 = *reinterpret_cast<const atf::RawDetailEventV2 *>(event);
  static_assert(sizeof v1 == sizeof v2);
  if (int error = file_.read(event, sizeof v1, at); error < 0)
    return error;
  head = {v1.totalLength.get(), origin_.version == 1 ? v1.indexSeq.get() : v2.indexSeq.get(),
          origin_.version == 1 ? v1.timestampNs.get() : v2.timestampNs.get(), !atf::isAddition(v1.type.get())};
  if (head.bytes < sizeof v1 || head.bytes > kMaxBytes)
    return -EIO;
  return file_.read(event + sizeof v1, head.bytes - sizeof v1, at + sizeof v1);
}

void DetailFile::keep(const unsigned char *event, const Head &head) {
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
  const int error = open();
  return error < 0 ? error : finishWith(atf::encodeDetailFooter(totals_, crc_));
}

} // namespace ada::runtime
