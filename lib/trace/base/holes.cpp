// Asks the system where the holes of a file are.
#include "trace/base/holes.h"

#include <algorithm>
#include <cerrno>
#include <unistd.h>

namespace ada {

Holes Holes::of(int fd, uint64_t bytes) {
  Holes holes;
  for (uint64_t at = 0; at < bytes;) {
    const off_t begin = ::lseek(fd, static_cast<off_t>(at), SEEK_HOLE);
    if (begin < 0 || static_cast<uint64_t>(begin) >= bytes)
      break;
    const off_t end = ::lseek(fd, begin, SEEK_DATA);
    if (end < 0 && errno != ENXIO)
      break;
    at = end < 0 ? bytes : static_cast<uint64_t>(end);
    holes.holes_.push_back({static_cast<uint64_t>(begin), at});
  }
  return holes;
}

Holes Holes::part(uint64_t begin, uint64_t end) const {
  Holes part;
  for (const Hole &hole : holes_)
    if (hole.end > begin && hole.begin < end)
      part.holes_.push_back({std::max(hole.begin, begin) - begin, std::min(hole.end, end) - begin});
  return part;
}

uint64_t Holes::skip(uint64_t offset) const {
  const auto hole = std::ranges::upper_bound(holes_, offset, {}, &Hole::end);
  return hole != holes_.end() && hole->begin <= offset ? hole->end : offset;
}

uint64_t Holes::bytes() const {
  uint64_t bytes = 0;
  for (const Hole &hole : holes_)
    bytes += hole.end - hole.begin;
  return bytes;
}

size_t Holes::lengthBefore(uint64_t bytes) const {
  constexpr uint64_t kPageBytes = 4096; // holes begin at a multiple of it
  const uint64_t first = holes_.empty() ? bytes : std::max(holes_[0].begin, kPageBytes);
  return static_cast<size_t>(std::min(bytes, first));
}

} // namespace ada
