// Where a file has no data: reading there gives zeros, and takes as long as reading data does.
#ifndef ADA_LIB_BASE_HOLES_H
#define ADA_LIB_BASE_HOLES_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ada {

class Holes {
public:
  Holes() = default; ///< none
  /// Those of an open file of that size; none if its file system doesn't say.
  static Holes of(int fd, std::uint64_t bytes);

  /// The first byte from `offset` on that is not in a hole. A hole at the end of the file ends at its size.
  std::uint64_t skip(std::uint64_t offset) const;
  /// Those of a file's `bytes` that lie before the first hole, or the first page: for files in which no writer leaves
  /// holes, so that what a damaged file seems to have after one, which may be terabytes, is not looked through.
  std::span<const std::byte> before(std::span<const std::byte> bytes) const {
    return bytes.first(lengthBefore(bytes.size()));
  }
  std::size_t lengthBefore(std::uint64_t bytes) const;

private:
  struct Hole {
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Hole> holes_; // by place
};

} // namespace ada

#endif // ADA_LIB_BASE_HOLES_H
