// The index events of one thread, in the format that the process records: ATF or packed.
//
// It has the operations of IndexFile and PackedFile, of which one is in use.
#pragma once

#include "index_file.h"
#include "lane.h"
#include "packed_file.h"

namespace ada::runtime {

class IndexLane : public Lane<IndexFile, PackedFile> {
public:
  // `blocks`: for packed files; null for ATF.
  void begin(const char *directory, uint32_t index, uint32_t tid, uint32_t format, packed::BlockWriter *blocks) {
    isPacked_ = blocks != nullptr;
    if (isPacked_)
      packed_.begin(directory, index, tid, *blocks);
    else
      atf_.begin(directory, index, tid, format);
  }

  // Null for ATF.
  PackedFile *packed() { return isPacked_ ? &packed_ : nullptr; }
  const PackedFile *packed() const { return isPacked_ ? &packed_ : nullptr; }
  // The number of events that are no longer in the file.
  uint64_t removed() const { return isPacked_ ? packed_.removed() : 0; }
  const char *name() const { return isPacked_ ? thread_files::kPackedIndex : thread_files::kAtfIndex; }
  int append(const unsigned char *events, size_t n, uint64_t count) {
    return with([&](auto &file) { return file.append(events, n, count); });
  }
  int linkDetail(uint64_t seq, uint64_t detailSeq) {
    return with([&](auto &file) { return file.linkDetail(seq, detailSeq); });
  }
  int finish(bool hasDetail) {
    return with([&](auto &file) { return file.finish(hasDetail); });
  }
  uint64_t shorten(uint64_t count) {
    return with([&](auto &file) { return file.shorten(count); });
  }
  bool isOpen() const {
    return with([](const auto &file) { return file.isOpen(); });
  }
  uint64_t timeStart() const {
    return with([](const auto &file) { return file.timeStart(); });
  }
  uint64_t timeEnd() const {
    return with([](const auto &file) { return file.timeEnd(); });
  }
};

} // namespace ada::runtime
