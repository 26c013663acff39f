// One thread's packed detail file: detail events as packed blocks, see docs/formats/packed.md.
//
// Owned by the drain thread. Like the index file, it can always be read up to its last whole event: the block being
// written has a placeholder header and extends to the end of the file.
//
// It has the same operations as DetailFile; comments that are missing here are there. It takes events in the form of
// ATF 2, so that events waiting for a trigger have the same form in both.
#pragma once

#include "headed_file.h"
#include "shared/encode/packed_detail_blocks.h"

namespace ada::runtime {

class PackedDetailFile : public HeadedFile<PackedDetailFile> {
public:
  // What the file needs while it is being written: plain data.
  struct Memory {
    packed::DetailBlockWriter writer;
    unsigned char bytes[packed::kBlockHeaderBytes + packed::kDetailBlockBytes + 4096]; // not in the file yet
  };

  // `memory` must outlive this object. It is null, or points to memory with any contents; the first event allocates it.
  void begin(const char *directory, uint32_t index, uint32_t tid, Memory *&memory);

  int append(const unsigned char *bytes, const atf::DetailTotals &batch);
  int cutTo(uint64_t indexEvents);
  int finish();

  uint64_t events() const { return all().events; }
  // The size of the file so far.
  uint64_t bytes() const { return end_; }

  packed::RawDetailFileHeader header(bool finished) const; // see HeadedFile

private:
  packed::DetailBlockWriter &writer() const { return (*memory_)->writer; }
  int flush();
  int closeBlock();
  int cutBlock(uint64_t at, const packed::RawDetailBlockHeader &header, uint64_t indexEvents);
  atf::DetailTotals all() const;

  Memory **memory_ = nullptr;
  atf::DetailTotals closed_;                // of the closed blocks
  uint64_t end_ = packed::kFileHeaderBytes; // end of the last block
  uint64_t blockOffset_ = 0;                // of the open block; 0 if none
  size_t used_ = 0, headBytes_ = 0;         // bytes used of the memory, and how many of them precede the body
};

} // namespace ada::runtime
