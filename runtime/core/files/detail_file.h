// One thread's detail.atf: created with its first event, appended to, then finished with a footer and the true header.
//
// Owned by the drain thread.
#pragma once

#include "headed_file.h"
#include "shared/encode/ring_detail.h"

namespace ada::runtime {

class DetailFile : public AtfFile<DetailFile, atf::DetailTotals> {
public:
  // The maximum size of an event, including its vector event.
  static constexpr size_t kMaxBytes = atf::kMaxRingDetailBytes;

  void begin(const char *directory, uint32_t index, uint32_t tid, uint32_t version);

  // Encodes the detail of the event with number `indexSeq` in the index file. Returns its size and sets `count` to the
  // number of events it makes (1 or 2).
  size_t encode(unsigned char *to, const ring::Event &e, const ada_detail &d, uint64_t indexSeq,
                unsigned &count) const {
    return atf::encodeRingDetail(to, origin_.version, e, d, indexSeq, origin_.threadId, count);
  }

  // Whether a link to the next event can be stored: version 1 has 32 bits in each direction.
  bool canLink(uint64_t indexSeq, uint64_t detailSeq) const {
    return atf::canLink(origin_.version, indexSeq) && atf::canLink(origin_.version, detailSeq + 1);
  }

  // Appends encoded events, whose sums are in `batch`. Returns 0 or a negative errno.
  int append(const unsigned char *bytes, const atf::DetailTotals &batch);
  // Removes events, beginning with the first one whose index event is `indexEvents` or later. `unlink(indexSeq)` is
  // called for those among them whose index event is earlier. Returns 0 or a negative errno.
  template <class Unlink> int cutTo(uint64_t indexEvents, Unlink &&unlink) {
    if (!file_.exists() || (indexEvents > 0 && (totals_.events == 0 || totals_.highestSeq < indexEvents)))
      return 0;
    if (int error = indexEvents > 0 ? open() : 0; error < 0)
      return error;
    atf::DetailTotals all = totals_;
    totals_ = {}, crc_ = 0;
    bool isCut = indexEvents == 0;
    for (uint64_t at = atf::kHeaderBytes; indexEvents > 0 && at < atf::kHeaderBytes + all.bytes;) {
      alignas(8) unsigned char event[kMaxBytes];
      Head head;
      int error = readEvent(at, event, head);
      if (error < 0)
        return error;
      isCut |= head.indexSeq >= indexEvents;
      if (!isCut)
        keep(event, head);
      else if (head.indexSeq < indexEvents && head.isOfFunction)
        unlink(head.indexSeq);
      at += head.bytes;
    }
    return shrink();
  }
  // Writes footer and header, if there is a file.
  int finish();

  // See HeadedFile and AtfFile.
  atf::Frame header(bool finished) const { return atf::encodeDetailHeader(origin_, finished ? &totals_ : nullptr); }
  uint64_t eventBytes() const { return totals_.bytes; }

private:
  struct Head {
    uint64_t bytes, indexSeq, ns;
    bool isOfFunction;
  };
  int readEvent(uint64_t at, unsigned char *event, Head &head);
  void keep(const unsigned char *event, const Head &head);
  int shrink();
};

} // namespace ada::runtime
