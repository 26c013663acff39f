// The state that a detail reader shares with its copies.
#pragma once

#include "ada/trace/atf_detail.h"
#include "formats/native/bytes/decoded_blocks.h"
#include "formats/native/detail/detail_blocks.h"
#include "trace/base/file_bytes.h"

#include <array>
#include <mutex>

namespace ada::atf {

// The events of one block of a packed file.
struct DetailEventBlock {
  uint64_t first = 0, last = 0; // numbers of its events
  uint64_t offset = 0;          // in the file
  packed::DetailEvents events;
};

struct DetailReader::Shared : LastBlocks<DetailEventBlock> {
  FileBytes file;

  // Packed files.
  std::span<const std::byte> bytes; // part of `file`, or borrowed
  std::optional<packed::DetailBlocks> packed;

  std::shared_ptr<const DetailEventBlock> blockOf(uint64_t seq);
  using LastBlocks::letGo;
};

} // namespace ada::atf
