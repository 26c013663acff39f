// A chunk of the chunked dialect: its head and its parts.
//
//   u32 id, type, length, start time, end time, part count
//   part count × { u32 type, offset from the end of this table, length }
//   the parts, each filled up with zeros to a multiple of 4
#pragma once

#include "ada/trace/error.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ada::wtf {

inline constexpr size_t kChunkHead = 24, kPartEntry = 12;
inline constexpr uint32_t kHeaderChunk = 1, kEventChunk = 2;
inline constexpr uint32_t kHeaderPart = 0x10000, kJsonEventsPart = 0x20000, kLegacyEventsPart = 0x20001,
                          kEventsPart = 0x20002, kStringsPart = 0x30000;

struct ChunkHead {
  uint32_t type = 0, length = 0, parts = 0;
};
/// Reads a head from at least kChunkHead bytes. E_BAD_CHUNK if the length is impossible.
Expected<ChunkHead> readChunkHead(std::span<const std::byte> bytes, uint64_t offset);

/// A part, or as much of it as there is.
struct Part {
  uint32_t type = 0;
  uint64_t offset = 0; ///< in the file
  std::span<const std::byte> bytes;
  bool complete = false; ///< false: the file ends before the part does
};

/// The parts that matter, at most one of each.
struct ChunkParts {
  std::optional<Part> header, strings, events;
  bool jsonEvents = false;
};
/// `bytes` may be shorter than the chunk if the file is. E_BAD_CHUNK if a part is not inside the chunk or occurs twice.
Expected<ChunkParts> readChunkParts(const ChunkHead &head, std::span<const std::byte> bytes, uint64_t offset);

} // namespace ada::wtf
