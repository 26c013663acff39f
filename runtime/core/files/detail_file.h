// One thread's detail.atf: created with its first event, appended to, then finished with a footer and the true header.
//
// Owned by the drain thread.
#pragma once

#include "shared/encode/ring_detail.h"
#include "thread_file.h"

namespace ada::runtime {

class DetailFile {
public:
  // The maximum size of an event, including its vector event.
  static constexpr size_t kMostBytes = atf::kMostRingDetailBytes;

  // `directory` (of the process) must outlive this object. Creates nothing yet.
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

  // Appends encoded events, whose sums are in `batch`. Returns 0 or a negative errno; on an error the file keeps the
  // whole events that it has.
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
      alignas(8) unsigned char event[kMostBytes];
      Head head;
      int error = readEvent(at, event, head);
      if (error < 0)
        return error;
      isCut |= head.indexSeq >= indexEvents;
      if (!isCut)
        add(event, head);
      else if (head.indexSeq < indexEvents && head.isOfFunction)
        unlink(head.indexSeq);
      at += head.bytes;
    }
    return shrink();
  }
  // Writes footer and header, if there is a file.
  int finish();
  void closeDescriptor() { file_.close(); }

  bool exists() const { return file_.exists(); }
  uint64_t events() const { return totals_.events; }
  uint64_t bytes() const { return end(); }

private:
  struct Head {
    uint64_t bytes, indexSeq, ns;
    bool isOfFunction;
  };
  int open();
  int readEvent(uint64_t at, unsigned char *event, Head &head);
  void add(const unsigned char *event, const Head &head);
  int shrink();
  int writeHeader(bool finished);
  uint64_t end() const { return atf::kHeaderBytes + totals_.bytes; }

  ThreadFile file_;
  uint32_t crc_ = 0;
  atf::FileOrigin origin_;
  atf::DetailTotals totals_;
  bool finished_ = false;
};

} // namespace ada::runtime
