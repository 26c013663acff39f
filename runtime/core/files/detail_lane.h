// The detail events of one thread, in the format that the process records: ATF or packed.
//
// It has the operations of DetailFile and PackedDetailFile, of which one is in use.
#pragma once

#include "detail_file.h"
#include "lane.h"
#include "packed_detail_file.h"

namespace ada::runtime {

class DetailLane : public Lane<DetailFile, PackedDetailFile> {
public:
  // `memory`: for packed files (see PackedDetailFile); null for ATF. `version`: that of the events.
  void begin(const char *directory, uint32_t index, uint32_t tid, uint32_t version, PackedDetailFile::Memory **memory) {
    isPacked_ = memory != nullptr;
    atf_.begin(directory, index, tid, version);
    if (isPacked_)
      packed_.begin(directory, index, tid, *memory);
  }

  // As DetailFile's: events that wait to be written have the same form in both.
  size_t encode(unsigned char *to, const ring::Event &e, const ada_detail &d, uint64_t indexSeq,
                unsigned &count) const {
    return atf_.encode(to, e, d, indexSeq, count);
  }
  bool canLink(uint64_t indexSeq, uint64_t detailSeq) const { return atf_.canLink(indexSeq, detailSeq); }

  const char *name() const { return isPacked_ ? thread_files::kPackedDetail : thread_files::kAtfDetail; }
  int append(const unsigned char *bytes, const atf::DetailTotals &batch) {
    return with([&](auto &file) { return file.append(bytes, batch); });
  }
  template <class Unlink> int cutTo(uint64_t indexEvents, Unlink &&unlink) {
    return isPacked_ ? packed_.cutTo(indexEvents) : atf_.cutTo(indexEvents, unlink);
  }
  int finish() {
    return with([](auto &file) { return file.finish(); });
  }
  // The size of the file so far, without its footer.
  uint64_t bytes() const {
    return with([](const auto &file) { return file.bytes(); });
  }
};

} // namespace ada::runtime
