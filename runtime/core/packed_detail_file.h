// One thread's detail.atp: detail events as packed blocks, see docs/formats/packed.md.
//
// Owned by the drain thread. As with index.atp, the file can be read up to its last whole event at every moment: the
// block that is being written has a placeholder for a header, and goes to the end of the file.
//
// The same operations as DetailFile's, which has their comments where there are none here. It takes events as ATF 2 has
// them, so that what waits for a trigger is the same in both.
#ifndef ADA_RUNTIME_CORE_PACKED_DETAIL_FILE_H
#define ADA_RUNTIME_CORE_PACKED_DETAIL_FILE_H

#include "shared/encode/packed_detail_file.h"
#include "thread_file.h"

namespace ada {

class PackedDetailFile {
public:
  // What the file needs while it is written to: plain data.
  struct Memory {
    packed::DetailBlockWriter writer;
    unsigned char bytes[packed::kBlockHeaderBytes + packed::kDetailBlockBytes + 4096]; // not in the file yet
  };

  // `memory` must live as long as this. It is null, or leads to memory of any contents; the first event makes it.
  void begin(const char *directory, uint32_t index, uint32_t tid, Memory *&memory);

  int append(const unsigned char *bytes, const atf::DetailTotals &batch);
  int cutTo(uint64_t indexEvents);
  int finish();
  void closeDescriptor() { file_.close(); }

  bool exists() const { return file_.exists(); }
  uint64_t events() const { return all().events; }
  // Of the file so far.
  uint64_t bytes() const { return end_; }

private:
  packed::DetailBlockWriter &writer() const { return (*memory_)->writer; }
  int open();
  int writeHeader(bool finished);
  int flush();
  int closeBlock();
  int cutBlock(uint64_t at, const packed::RawDetailBlockHeader &header, uint64_t indexEvents);
  atf::DetailTotals all() const;

  ThreadFile file_;
  Memory **memory_ = nullptr;
  atf::FileOrigin origin_;
  atf::DetailTotals closed_;                // of the blocks that are closed
  uint64_t end_ = packed::kFileHeaderBytes; // of the last block
  uint64_t blockOffset_ = 0;                // of the block that is open, 0 if none is
  size_t used_ = 0, headBytes_ = 0;         // of the memory's bytes; of these, what comes before the body
  bool finished_ = false;
};

} // namespace ada
#endif
