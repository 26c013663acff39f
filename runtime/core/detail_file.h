// detail_file.h - one thread's detail.atf: made with its first event, appended to, footer, true header.
//
// Owned by the drain thread. Each function event is followed, where vector registers carry arguments or a return value, by an event of
// our own type with the same index_seq, which readers of the specification alone skip by its length.
#ifndef ADA_RUNTIME_CORE_DETAIL_FILE_H
#define ADA_RUNTIME_CORE_DETAIL_FILE_H

#include "os.h"
#include "ring/expander.h"
#include "text.h"
#include <ada/trace/atf_format.h>

namespace ada {

class DetailFile {
public:
  // No event takes more bytes, its vector event included.
  static constexpr size_t kMostBytes = 24 + 100 + ADA_MOST_STACK_BYTES + 24 + 16 + 8 * 16;

  // `directory` (of the process) must live as long as this. Makes nothing yet.
  void begin(const char *directory, uint32_t index, uint32_t tid, uint32_t format);

  // Encodes the detail of an event that has number `indexSeq` in the index file. Returns its size; `count` is how
  // many events it is (1 or 2).
  size_t encode(unsigned char *to, const ring::Event &e, const ada_detail &d, uint64_t indexSeq, unsigned &count) const;

  // Whether a link to the next event can be stored: version 1 has 32 bits for both directions.
  bool canLink(uint64_t indexSeq, uint64_t detailSeq) const {
    return format_ != 1 || (indexSeq < UINT32_MAX && detailSeq < UINT32_MAX - 1);
  }

  // Appends encoded events. 0 or a negative errno; on an error the file keeps the whole events that it has.
  int append(const unsigned char *bytes, size_t n, uint64_t count, uint64_t firstSeq, uint64_t lastSeq,
             uint64_t firstNs, uint64_t lastNs);
  // Writes footer and header, if there is a file.
  int finish();
  void closeDescriptor();

  bool exists() const { return made_; }
  bool isOpen() const { return fd_ >= 0; }
  uint64_t events() const { return events_; }

private:
  int open();
  int writeHeader(bool finished);

  const char *directory_ = nullptr;
  uint32_t index_ = 0, tid_ = 0, format_ = 2, crc_ = 0;
  uint64_t events_ = 0, bytes_ = 0, timeStart_ = 0, timeEnd_ = 0, seqStart_ = 0, seqEnd_ = 0;
  int fd_ = -1;
  bool made_ = false, finished_ = false;
};

} // namespace ada
#endif
