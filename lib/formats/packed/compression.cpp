// Compresses and decompresses bodies of blocks with zstd.
#include "compression.h"

#ifdef ADA_ZSTD
#include <zstd.h>
#endif

namespace ada::packed {

#ifdef ADA_ZSTD

// Higher levels save a few percent on packed events, and take several times as long.
static constexpr int kLevel = 3;

bool canCompress() noexcept { return true; }

std::vector<Byte> compressed(std::span<const Byte> plain) {
  std::vector<Byte> frame(ZSTD_compressBound(plain.size()));
  const size_t size = ZSTD_compress(frame.data(), frame.size(), plain.data(), plain.size(), kLevel);
  frame.resize(ZSTD_isError(size) || size >= plain.size() ? 0 : size);
  return frame;
}

std::vector<Byte> uncompressed(std::span<const Byte> frame, size_t size) {
  std::vector<Byte> plain;
  if (size > kMostPlainBytes || ZSTD_getFrameContentSize(frame.data(), frame.size()) != size)
    return plain;
  plain.resize(size);
  if (ZSTD_decompress(plain.data(), size, frame.data(), frame.size()) != size)
    plain.clear();
  return plain;
}

#else

bool canCompress() noexcept { return false; }
std::vector<Byte> compressed(std::span<const Byte>) { return {}; }
std::vector<Byte> uncompressed(std::span<const Byte>, size_t) { return {}; }

#endif

} // namespace ada::packed
