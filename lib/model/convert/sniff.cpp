// What a file is, by its first bytes.
#include "ada/trace/convert.h"

#include "ada/trace/dial9/format.h"

#include <cstring>

namespace ada::model {

Format sniff(std::span<const std::byte> head) {
  const auto startsWith = [&](const void *magic, std::size_t size) {
    return head.size() >= size && std::memcmp(head.data(), magic, size) == 0;
  };
  if (startsWith("ATI2", 4))
    return Format::AtfIndex;
  if (startsWith("ATD2", 4))
    return Format::AtfDetail;
  if (startsWith(dial9::kMagic.data(), dial9::kMagic.size()))
    return Format::Dial9;
  if (startsWith("\x1f\x8b", 2))
    return Format::Gzip;
  return wtf::hasMagic(head) ? Format::Wtf : Format::Unknown;
}

} // namespace ada::model
