// CRC-32 and CRC-32C by isa-l.
#include "formats/atf/checksum.h"

#include <algorithm>
#include <isa-l/crc.h>

namespace ada::atf {

void Checksum::add(std::span<const std::byte> bytes) {
  auto *data = reinterpret_cast<const unsigned char *>(bytes.data());
  if (version == 1) {
    current = crc32_gzip_refl(current, data, bytes.size());
    return;
  }
  std::size_t left = bytes.size();
  while (left > 0) {
    std::size_t step = std::min<std::size_t>(left, 1u << 30);
    // The parameter lacks its const; the function only reads.
    current = ~crc32_iscsi(const_cast<unsigned char *>(data),
                           static_cast<int>(step), ~current);
    data += step;
    left -= step;
  }
}

} // namespace ada::atf
