// The state that an index reader shares with its copies.
#pragma once

#include "ada/trace/atf_detail.h"
#include "ada/trace/atf_index.h"
#include "formats/native/bytes/decoded_blocks.h"
#include "formats/native/detail/detail_links.h"
#include "formats/native/index/index_blocks.h"
#include "trace/base/file_bytes.h"

#include <array>
#include <mutex>

namespace ada::atf {

struct IndexReader::TimeTable {
  struct Block {
    uint64_t minNs, maxNs;
  };
  bool sorted = true;
  uint64_t minNs = 0, maxNs = 0;
  std::vector<Block> blocks; // only if not sorted
};

struct IndexReader::Shared : LastBlocks<IndexReader::EventBlock> {
  FileBytes file;
  std::span<const std::byte> bytes; // part of `file`, or borrowed
  std::once_flag timesOnce;
  TimeTable times;

  // Packed files.
  std::optional<packed::IndexBlocks> packed;

  std::shared_ptr<const EventBlock> block(uint64_t seq);
  void releaseBlocks(SeqRange range) noexcept;
  std::shared_ptr<const DetailLinks> links();
  void link(const DetailReader &details);

private:
  std::shared_ptr<EventBlock> unusedBlock();
  void letGo() noexcept override;

  // Blocks that are no longer used are reused for the next ones.
  std::array<std::shared_ptr<EventBlock>, 8> buffers_;
  std::shared_ptr<const DetailLinks> links_;
};

} // namespace ada::atf
