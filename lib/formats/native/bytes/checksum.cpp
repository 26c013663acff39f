// CRC-32 and CRC-32C with isa-l.
#include "formats/native/bytes/checksum.h"

#include <algorithm>
#include <isa-l/crc.h>

namespace ada::atf {

uint32_t crc32c(uint32_t before, const void *data, size_t bytes) {
  auto *at = static_cast<const unsigned char *>(data);
  while (bytes > 0) {
    const size_t step = std::min<size_t>(bytes, 1u << 30);
    // The function only reads, although its parameter isn't const.
    before = ~crc32_iscsi(const_cast<unsigned char *>(at), static_cast<int>(step), ~before);
    at += step, bytes -= step;
  }
  return before;
}

void Checksum::add(std::span<const std::byte> bytes) {
  if (version_ == 1)
    current_ = crc32_gzip_refl(current_, reinterpret_cast<const unsigned char *>(bytes.data()), bytes.size());
  else
    current_ = crc32c(current_, bytes.data(), bytes.size());
}

} // namespace ada::atf
