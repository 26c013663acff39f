// One thread's index.atf: placeholder header, appended events, footer, true header.
//
// Owned by the drain thread. The file is always valid up to its last whole event.
#pragma once

#include "shared/encode/atf.h"
#include "shared/ring/expander.h"
#include "thread_file.h"

namespace ada::runtime {

class IndexFile {
public:
  // `directory` (of the process) must outlive this object. Creates nothing yet.
  void begin(const char *directory, uint32_t index, uint32_t tid, uint32_t version);

  // The maximum size of an event.
  static constexpr size_t kMostEventBytes = atf::kIndexEventBytes;
  // A batch of this size is written. Its source, its bytes and its copy in the kernel then fit in the processor's cache
  // together, so computing the sum and zeroing the ring need not load them again.
  static constexpr size_t kMostBatchBytes = 1 << 17;

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
  // Closes the descriptor; the next write opens the file again.
  void closeDescriptor() { file_.close(); }

  bool isOpen() const { return file_.isOpen(); }
  bool exists() const { return file_.exists(); }
  uint64_t events() const { return totals_.events; }
  uint64_t timeStart() const { return totals_.firstNs; }
  uint64_t timeEnd() const { return totals_.lastNs; }

private:
  int open();
  int writeHeader(bool finished);
  int sumAgain();
  uint64_t end() const { return atf::kHeaderBytes + totals_.bytes(); }

  ThreadFile file_;
  uint32_t crc_ = 0;
  atf::FileOrigin origin_;
  atf::IndexTotals totals_;
  bool finished_ = false, linked_ = false, hasDetail_ = false;
};

} // namespace ada::runtime
