// The state that a detail reader shares with its copies.
#pragma once

#include "ada/trace/atf_detail.h"
#include "formats/native/bytes/decoded_blocks.h"
#include "formats/native/detail/detail_blocks.h"
#include "trace/base/file_bytes.h"

#include <array>
#include <mutex>

namespace ada::atf {

struct DetailReader::Shared : DecodedBlocks {
  // The events of one block of a packed file.
  struct Block {
    uint64_t first = 0, last = 0; // numbers of its events
    uint64_t offset = 0;          // in the file
    packed::DetailEvents events;
  };

  FileBytes file;

  // Packed files.
  std::span<const std::byte> bytes; // part of `file`, or borrowed
  std::optional<packed::DetailFile> packed;
  std::mutex mutex; // protects everything below
  std::array<std::shared_ptr<const Block>, 4> decoded;
  unsigned nextDecoded = 0;
  std::optional<Error> damage;

  std::shared_ptr<const Block> blockOf(uint64_t seq);
  void letGo() noexcept override;
};

} // namespace ada::atf
