// The two checksums of ATF: CRC-32 in version 1, CRC-32C in version 2.
//
// Both are reflected, start with all ones and are inverted at the end. The checksums of "123456789" are 0xCBF43926 and
// 0xE3069283. isa-l computes both at memory speed, but its two functions differ: crc32_gzip_refl inverts on entry and
// exit itself, as zlib does; crc32_iscsi leaves both to its caller and takes its length as an int.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ada::atf {

/// Continues a CRC-32C: `before` is the checksum of the preceding bytes, 0 if there are none.
uint32_t crc32c(uint32_t before, const void *data, size_t bytes);

/// A checksum of data that is added piece by piece.
class Checksum {
public:
  /// `version`: the file's, 1 or 2.
  explicit Checksum(unsigned version) : version_(version) {}
  void add(std::span<const std::byte> bytes);
  uint32_t value() const { return current_; }

private:
  unsigned version_;
  uint32_t current_ = 0; // finished value of the data added so far
};

inline uint32_t checksumOf(unsigned version, std::span<const std::byte> bytes) {
  Checksum sum(version);
  sum.add(bytes);
  return sum.value();
}

} // namespace ada::atf
