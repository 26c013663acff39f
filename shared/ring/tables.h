// Answers questions about a ring file's header: whether its tables can be read, what its detail files are.
#pragma once

#include "shared/ring/ring_file.h"

namespace ada::ring {

// Whether the tables of a file of `bytes` bytes lie inside it. Their contents are not checked.
inline bool tablesFit(const ada_ring_header &h, uint64_t bytes) {
  const auto holds = [&](uint64_t offset, uint64_t count, uint64_t size) {
    return offset <= bytes && offset % 64 == 0 && count <= (bytes - offset) / size;
  };
  return h.modules_used <= ADA_RING_MODULES && h.threads_used <= ADA_RING_THREADS &&
         holds(h.modules_offset, h.modules_used, sizeof(ada_ring_module)) &&
         holds(h.threads_offset, h.threads_used, sizeof(ada_ring_thread)) &&
         holds(h.chunks_offset, h.chunks_used, ADA_CHUNK_BYTES);
}

// ATF version of the detail files that go with index files of that format (ada_ring_header.format).
inline uint32_t detailVersion(uint32_t format) { return format == ADA_FORMAT_PACKED ? 2 : format; }

} // namespace ada::ring
