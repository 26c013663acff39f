// One thread's packed index file: events as packed blocks, see docs/formats/packed.md.
//
// Owned by the drain thread. The file can always be read up to its last whole event: the block being written has a
// placeholder header and extends to the end of the file.
//
// It has the same operations as IndexFile; comments that are missing here are there.
#pragma once

#include "headed_file.h"
#include "shared/encode/packed_blocks.h"
#include "shared/encode/packed_sink.h"

namespace ada::runtime {

class PackedFile : public HeadedFile<PackedFile> {
public:
  static constexpr size_t kMaxEventBytes = packed::kMaxEventBytes;
  // A block ends with the batch that makes it full.
  static constexpr size_t kMaxBatchBytes = packed::kMaxBlockStartBytes + packed::kBlockBodyBytes;

  // `blocks`: memory for the writer of blocks, with any contents; it must outlive this object.
  void begin(const char *directory, uint32_t index, uint32_t tid, packed::BlockWriter &blocks);

  // Begins a block if none is open.
  unsigned char *beginBatch(unsigned char *to);
  // Links are not stored: detail events have the numbers of their index events.
  unsigned char *encode(unsigned char *to, const ring::Event &e, uint64_t = 0) {
    ADA_ASSERT(ring::isKnownKind(e.kind) && e.timestampNs >= blocks_->state.lastNs);
    return blocks_->encode(to, e.kind, e.functionId, e.timestampNs);
  }
  // Writes a sequence of events.
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
  // The same for the plain records of a chunk, if the open calls of the file are those of the thread.
  using Sink = packed::PackedSink;
  bool agrees(const ring::CallStack &stack) const { return Sink::agrees(*blocks_, stack); }
  Sink sink(unsigned char *to) { return Sink(*blocks_, to); }
  // After an error nothing more may be appended.
  int append(const unsigned char *batch, size_t n, uint64_t count);
  int linkDetail(uint64_t, uint64_t) { return 0; }
  int finish(bool hasDetail);
  // Creates, in another process directory, the file that continues this one: its header, and the beginning of a block
  // with the calls that are open. This file must be finished, and may still be appended to. `buffer` has room for the
  // beginning of a block. Returns 0 or a negative errno.
  int makeNext(const char *directory, unsigned char *buffer);
  // From now on this is that file; it is in `directory`, which must outlive this object.
  void goOn(const char *directory);
  // Removes whole blocks.
  uint64_t shorten(uint64_t count);

  // Gets the size and time of the block with events that was closed last. False if none was closed since the last call.
  bool takeClosed(uint64_t &bytes, uint64_t &lastNs);
  // For a thread that has ended: takes over its finished file. Returns 0 or a negative errno.
  int load(const char *directory, uint32_t index);
  // Removes the first block with events, which must be closed. Returns 0 or a negative errno.
  int removeFirst();
  uint64_t removed() const { return removed_; }

  // The number of calls that are open after the events that were encoded.
  uint64_t openCalls() const { return blocks_->state.depth; }
  // The number of events ever appended, which is the number of the next one.
  uint64_t events() const { return totals_.events; }
  uint64_t timeStart() const { return totals_.firstNs; }
  uint64_t timeEnd() const { return kept().lastNs; }

  packed::RawFileHeader header(bool finished) const; // see HeadedFile

private:
  int reopen();
  int beginBlock();
  int closeBlock();
  template <class Visit> int eachBlock(Visit &&visit);
  int writeIndex(const packed::FileTotals &totals);
  // The totals of the events in the file.
  packed::FileTotals kept() const {
    const bool isEmpty = totals_.events == removed_;
    return {totals_.events - removed_, totals_.firstNs, isEmpty ? 0 : totals_.lastNs};
  }

  packed::BlockWriter *blocks_ = nullptr;
  packed::FileTotals totals_; // of all events, except the first time, which is that of the first event in the file
  uint64_t first_ = packed::kFileHeaderBytes, removed_ = 0; // the first block's offset; events before it
  uint64_t end_ = packed::kFileHeaderBytes;                 // end of the last block
  uint64_t blockOffset_ = 0;                                // of the open block; 0 if none
  size_t nextStartBytes_ = 0;                               // see makeNext
  size_t startBytes_ = 0; // bytes of the block's start in the batch, if not yet in the file
  uint64_t closedBytes_ = 0;
  uint64_t trailerOffset_ = 0; // of a finished file
  uint64_t indexEnd_ = 0;      // where the last index that was written ended; the file does not reach further
  bool hasDetail_ = false;
};

} // namespace ada::runtime
