// Checks that index and detail files share: the first eight bytes, the checksum.
#pragma once

#include "ada/trace/atf_format.h"
#include "ada/trace/error.h"

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>

namespace ada {
class FileBytes;
} // namespace ada

namespace ada::atf {

using Bytes = std::span<const std::byte>;

/// Checks size, magic, endian and version, in this order. `magic` is "ATI2" or "ATD2".
Expected<void> checkStart(Bytes file, const char *magic, const std::string &name);

/// Checks that events_offset lies between the header and the end of the file.
Expected<void> checkEventsOffset(uint64_t offset, size_t field, Bytes file, const std::string &name);

/// True if the four bytes at `offset` are `magic`. They must lie inside the file.
bool hasMagic(Bytes file, uint64_t offset, const char *magic);

/// Compares the checksum of the events section with the footer's. If `pages` is given, the file that `events` is part
/// of, its memory is released piece by piece.
Expected<void> checkChecksum(Bytes events, unsigned version, uint32_t stored, uint64_t footerOffset,
                             const std::string &name, const FileBytes *pages = nullptr);

template <class Raw> Raw load(Bytes file, uint64_t offset) {
  Raw raw;
  std::memcpy(&raw, file.data() + offset, sizeof raw);
  return raw;
}

} // namespace ada::atf
