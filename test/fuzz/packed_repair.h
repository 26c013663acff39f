// Corrects the checksums of packed files, because no fuzzer guesses these.
#pragma once

#include "formats/native/bytes/checksum.h"
#include "shared/encode/packed_blocks.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace ada::fuzz {

inline uint32_t sum(uint32_t before, const void *data, size_t bytes) { return atf::crc32c(before, data, bytes); }

/// Corrects the checksum at the end of the header at `offset`, after `change(header)`.
template <class Raw> void repair(std::vector<std::byte> &bytes, uint64_t offset, auto &&change) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Raw))
    return;
  Raw raw;
  std::memcpy(&raw, bytes.data() + offset, sizeof raw);
  change(raw);
  packed::seal(raw, sum);
  std::memcpy(bytes.data() + offset, &raw, sizeof raw);
}

} // namespace ada::fuzz
