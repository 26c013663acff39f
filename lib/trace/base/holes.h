// Where a file has no data: reading there gives zeros, and takes as long as reading data does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ada {

class Holes {
public:
  Holes() = default; ///< none
  /// The holes of an open file of that size; none if its file system doesn't report them.
  static Holes of(int fd, uint64_t bytes);

  /// The holes in the bytes from `begin` to `end` of the file, counted from `begin`.
  Holes part(uint64_t begin, uint64_t end) const;

  /// The first byte from `offset` on that is not in a hole. A hole at the end of the file ends at its size.
  uint64_t skip(uint64_t offset) const;
  /// The part of a file's `bytes` before the first hole, but at least the first page.
  /// For files in which no writer leaves holes: what a damaged file seems to have after a hole
  /// may be terabytes, and is not searched.
  std::span<const std::byte> before(std::span<const std::byte> bytes) const {
    return bytes.first(lengthBefore(bytes.size()));
  }
  size_t lengthBefore(uint64_t bytes) const;
  /// All of them together.
  uint64_t bytes() const;

private:
  struct Hole {
    uint64_t begin = 0, end = 0;
  };
  std::vector<Hole> holes_; // by place
};

} // namespace ada
