// index_file.h - one thread's index.atf: placeholder header, appended events, footer, true header.
//
// Owned by the drain thread. The file is valid up to its last whole event at every moment.
#ifndef ADA_RUNTIME_CORE_INDEX_FILE_H
#define ADA_RUNTIME_CORE_INDEX_FILE_H

#include "os.h"
#include "text.h"
#include "ring/expander.h"
#include <ada/trace/atf_format.h>

namespace ada {

class IndexFile {
public:
  // `directory` (of the process) must live as long as this. Makes nothing yet.
  void begin(const char *directory, uint32_t index, uint32_t tid, uint32_t format);

  // One event as the file has it.
  void encode(unsigned char *to, const ring::Event &e, uint64_t detailSeq = atf::kNoDetail) const {
    if (format_ == 1) {
      atf::RawIndexEventV1 &r = *(atf::RawIndexEventV1 *)to;
      r.timestampNs = e.timestampNs, r.functionId = e.functionId;
      r.threadId = tid_, r.kind = e.kind, r.depth = e.depth;
      r.detailSeq = detailSeq == atf::kNoDetail ? atf::kNoDetailV1 : (uint32_t)detailSeq;
    } else {
      atf::RawIndexEventV2 &r = *(atf::RawIndexEventV2 *)to;
      r.timestampNs = e.timestampNs, r.functionId = e.functionId, r.detailSeq = detailSeq;
      *(uint64_t *)&r.kind = e.kind; // and seven reserved bytes of 0
    }
  }

  // Appends `count` encoded events. 0 or a negative errno; on an error the file keeps the whole events that it has.
  int append(const unsigned char *events, uint64_t count);
  // Sets the link of an event that is in the file already: one small write, for events have a fixed size.
  int linkDetail(uint64_t seq, uint64_t detailSeq);
  // Writes footer and header. The file may still be appended to. `hasDetail`: there is a detail file.
  int finish(bool hasDetail);
  // Gives the descriptor back; the next write opens the file again.
  void closeDescriptor();

  bool isOpen() const { return fd_ >= 0; }
  uint64_t events() const { return events_; }
  uint64_t timeStart() const { return timeStart_; }
  uint64_t timeEnd() const { return timeEnd_; }

private:
  int open();
  int writeHeader(bool finished);
  int sumAgain();
  Path path() const;

  const char *directory_ = nullptr;
  uint32_t index_ = 0, tid_ = 0, format_ = 2, crc_ = 0;
  uint64_t events_ = 0, timeStart_ = 0, timeEnd_ = 0;
  int fd_ = -1;
  bool made_ = false, finished_ = false, linked_ = false, hasDetail_ = false;
};

} // namespace ada
#endif
