// One thread's index.atf: placeholder header, appended events, footer, true header.
//
// Owned by the drain thread. The file is always valid up to its last whole event.
#pragma once

#include "headed_file.h"
#include "shared/ring/expander.h"

namespace ada::runtime {

class IndexFile : public AtfFile<IndexFile, atf::IndexTotals> {
public:
  void begin(const char *directory, uint32_t index, uint32_t tid, uint32_t version);

  // The maximum size of an event.
  static constexpr size_t kMaxEventBytes = atf::kIndexEventBytes;
  // A batch of this size is written. Its source, its bytes and its copy in the kernel then fit in the processor's cache
  // together, so computing the sum and zeroing the ring need not load them again.
  static constexpr size_t kMaxBatchBytes = 1 << 17;

  // Writes what precedes the first event of a batch: nothing.
  unsigned char *beginBatch(unsigned char *to) { return to; }
  // Writes one event in the file's format and returns the place for the next one.
  unsigned char *encode(unsigned char *to, const ring::Event &e, uint64_t detailSeq = atf::kNoDetail) const {
    atf::encodeIndexEvent(to, origin_.version,
                          {.timestampNs = e.timestampNs,
                           .functionId = e.functionId,
                           .detailSeq = detailSeq,
                           .kind = static_cast<EventKind>(e.kind),
                           .threadId = origin_.threadId,
                           .storedDepth = e.depth});
    return to + atf::kIndexEventBytes;
  }

  // Writes a sequence of events.
  class Run {
  public:
    Run(const IndexFile &file, unsigned char *to) : file_(file), to_(to) {}
    __attribute__((always_inline)) void encode(const ring::Event &e) { to_ = file_.encode(to_, e); }
    unsigned char *end() { return to_; }

  private:
    const IndexFile &file_;
    unsigned char *to_;
  };
  // Appends a batch of `count` encoded events, `n` bytes. Returns 0 or a negative errno; on an error the file keeps the
  // whole events that it has.
  int append(const unsigned char *events, size_t n, uint64_t count);
  // Sets the link of an event that is already in the file: one small write, because events have a fixed size.
  int linkDetail(uint64_t seq, uint64_t detailSeq);
  // Writes footer and header. The file may still be appended to. `hasDetail`: there is a detail file.
  int finish(bool hasDetail);
  // Removes the newest events, at most `count`, and returns how many. The file must be finished afterwards.
  uint64_t shorten(uint64_t count);

  uint64_t timeStart() const { return totals_.firstNs; }
  uint64_t timeEnd() const { return totals_.lastNs; }

  // See HeadedFile and AtfFile.
  atf::Frame header(bool finished) const {
    return atf::encodeIndexHeader(origin_, finished ? &totals_ : nullptr, hasDetail_);
  }
  uint64_t eventBytes() const { return totals_.bytes(); }

private:
  int sumAgain();

  bool linked_ = false, hasDetail_ = false;
};

} // namespace ada::runtime
