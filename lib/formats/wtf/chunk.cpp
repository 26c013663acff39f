// A chunk of the chunked dialect.
#include "chunk.h"

#include "bytes.h"

#include <algorithm>

namespace ada::wtf {

Expected<ChunkHead> readChunkHead(std::span<const std::byte> bytes, uint64_t offset) {
  const ChunkHead head = {load32(bytes.data() + 4, false), load32(bytes.data() + 8, false),
                          load32(bytes.data() + 20, false)};
  const uint64_t least = kChunkHead + uint64_t{head.parts} * kPartEntry;
  if (head.length >= least && head.length % 4 == 0)
    return head;
  Error error =
      errorAt("E_BAD_CHUNK", offset,
              "an impossible length of a chunk of " + std::to_string(head.parts) + " parts: the file is damaged here");
  error.field = "chunk length";
  error.expected = "a multiple of 4, at least " + std::to_string(least);
  error.found = std::to_string(head.length);
  return error;
}

Expected<ChunkParts> readChunkParts(const ChunkHead &head, std::span<const std::byte> bytes, uint64_t offset) {
  ChunkParts parts;
  const uint64_t data = kChunkHead + uint64_t{head.parts} * kPartEntry;
  if (bytes.size() < data)
    return parts;
  for (uint32_t i = 0; i < head.parts; ++i) {
    const size_t entry = kChunkHead + i * kPartEntry;
    const uint32_t type = load32(bytes.data() + entry, false);
    const uint64_t begin = data + load32(bytes.data() + entry + 4, false);
    const uint64_t end = begin + load32(bytes.data() + entry + 8, false);
    if (end > head.length) {
      Error error = errorAt("E_BAD_CHUNK", offset + entry, "a part reaches over the end of its chunk");
      error.field = "part length";
      error.expected = "at most " + std::to_string(head.length - std::min<uint64_t>(begin, head.length));
      error.found = std::to_string(end - begin);
      return error;
    }
    std::optional<Part> *slot = type == kHeaderPart                                ? &parts.header
                                : type == kStringsPart                             ? &parts.strings
                                : type == kEventsPart || type == kLegacyEventsPart ? &parts.events
                                                                                   : nullptr;
    parts.jsonEvents |= type == kJsonEventsPart;
    if (!slot)
      continue;
    if (*slot)
      return errorAt("E_BAD_CHUNK", offset + entry, "a chunk has two parts of a kind that it may have once");
    const uint64_t there = std::min<uint64_t>(bytes.size(), end);
    *slot = Part{type, offset + begin,
                 begin < there ? bytes.subspan(begin, there - begin) : std::span<const std::byte>(), there == end};
  }
  return parts;
}

} // namespace ada::wtf
