// One thread's index.atp: events as packed blocks, see docs/formats/packed.md.
//
// Owned by the drain thread. At every moment the file can be read up to its last whole event: the block that is being
// written has a placeholder for a header, and goes to the end of the file.
//
// The same operations as IndexFile's, which has their comments where there are none here.
#ifndef ADA_RUNTIME_CORE_PACKED_FILE_H
#define ADA_RUNTIME_CORE_PACKED_FILE_H

#include "shared/encode/packed_file.h"
#include "shared/ring/expander.h"
#include "thread_file.h"

namespace ada {

class PackedFile {
public:
  static constexpr size_t kMostEventBytes = packed::kMostEventBytes;
  // A block ends with the batch that makes it full.
  static constexpr size_t kMostBatchBytes = packed::kMostBlockStartBytes + packed::kBlockBodyBytes;

  // `blocks`: memory for the writer of blocks, of any contents, which must live as long as this.
  void begin(const char *directory, uint32_t index, uint32_t tid, packed::BlockWriter &blocks);

  // Begins a block if none is open.
  unsigned char *beginBatch(unsigned char *to);
  // Links are not stored: they follow from the detail events, which tell their index events' numbers.
  unsigned char *encode(unsigned char *to, const ring::Event &e, uint64_t = 0) {
    return blocks_->encode(to, e.kind, e.functionId, e.timestampNs);
  }
  // Writes many events, one behind the other.
  class Run {
  public:
    Run(PackedFile &file, unsigned char *to) : run_(*file.blocks_, to) {}
    __attribute__((always_inline)) void encode(const ring::Event &e) {
      run_.encode(e.kind, e.functionId, e.timestampNs);
    }
    unsigned char *end() { return run_.end(); }

  private:
    packed::Encoder::Run run_;
  };
  // After an error nothing more may be appended.
  int append(const unsigned char *batch, size_t n, uint64_t count);
  int linkDetail(uint64_t, uint64_t) { return 0; }
  int finish(bool hasDetail);
  // Makes, in another process directory, the file that goes on where this one ends: its header, and the beginning of a
  // block with the calls that are open. This one must be finished, and may still be appended to. `buffer` has room for
  // the beginning of a block. 0 or a negative errno.
  int makeNext(const char *directory, unsigned char *buffer);
  // This is that file from now on; it is in `directory`, which must live as long as this.
  void goOn(const char *directory);
  // Takes whole blocks away.
  uint64_t shorten(uint64_t count);
  void closeDescriptor() { file_.close(); }

  // Of the block that was closed last: size and time. False if none was closed since this was asked.
  bool takeClosed(uint64_t &bytes, uint64_t &lastNs);
  // For a thread that has ended: takes over its finished file. 0 or a negative errno.
  int load(const char *directory, uint32_t index);
  // Takes the first block away, which is closed. 0 or a negative errno.
  int removeFirst();
  uint64_t removed() const { return removed_; }

  bool isOpen() const { return file_.isOpen(); }
  bool exists() const { return file_.exists(); }
  // All that were ever appended: the number of the next one.
  uint64_t events() const { return totals_.events; }
  uint64_t timeStart() const { return totals_.firstNs; }
  uint64_t timeEnd() const { return kept().lastNs; }

private:
  int open();
  int writeHeader(bool finished, uint64_t trailerOffset);
  int closeBlock();
  template <class Visit> int eachBlock(Visit &&visit);
  int writeIndex(const packed::FileTotals &totals, uint64_t &trailerOffset);
  // Of what is in the file.
  packed::FileTotals kept() const {
    const bool isEmpty = totals_.events == removed_;
    return {totals_.events - removed_, totals_.firstNs, isEmpty ? 0 : totals_.lastNs};
  }

  ThreadFile file_;
  packed::BlockWriter *blocks_ = nullptr;
  atf::FileOrigin origin_;
  packed::FileTotals totals_; // of all events, but for the time of the first one that is in the file
  uint64_t first_ = packed::kFileHeaderBytes, removed_ = 0; // where the first block is, and events that were before it
  uint64_t end_ = packed::kFileHeaderBytes;                 // of the last block
  uint64_t blockOffset_ = 0;                                // of the block that is open, 0 if none is
  size_t nextStartBytes_ = 0;                               // see makeNext
  size_t startBytes_ = 0; // what its start takes of the batch, if that is not in the file yet
  uint64_t closedBytes_ = 0;
  bool finished_ = false, hasDetail_ = false;
};

} // namespace ada
#endif
