// Compresses bytes into a zstd frame and back.
#include "trace/base/zstd_frame.h"

#ifdef ADA_ZSTD
#include <memory>
#include <zstd.h>
#endif

namespace ada::zstd {

#ifdef ADA_ZSTD

// Higher levels save a few percent on packed events, and take several times as long.
static constexpr int kLevel = 3;

bool canCompress() noexcept { return true; }

static std::vector<unsigned char> frameOf(std::span<const unsigned char> plain, bool isChecked) {
  std::vector<unsigned char> frame(ZSTD_compressBound(plain.size()));
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, isChecked);
  const size_t size = ZSTD_compress2(context.get(), frame.data(), frame.size(), plain.data(), plain.size());
  frame.resize(ZSTD_isError(size) ? 0 : size);
  return frame;
}

std::vector<unsigned char> compressed(std::span<const unsigned char> plain) {
  auto frame = frameOf(plain, false);
  if (frame.size() >= plain.size())
    frame.clear();
  return frame;
}

std::vector<unsigned char> checkedFrame(std::span<const unsigned char> plain) { return frameOf(plain, true); }

std::vector<unsigned char> uncompressed(std::span<const unsigned char> frame, size_t size) {
  std::vector<unsigned char> plain;
  if (uncompressedBytes(frame) != size)
    return plain;
  plain.resize(size);
  if (!uncompress(frame, plain))
    plain.clear();
  return plain;
}

bool uncompress(std::span<const unsigned char> frame, std::span<unsigned char> plain) {
  return ZSTD_decompress(plain.data(), plain.size(), frame.data(), frame.size()) == plain.size();
}

std::optional<uint64_t> uncompressedBytes(std::span<const unsigned char> frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
    return std::nullopt;
  return size;
}

#else

bool canCompress() noexcept { return false; }
std::vector<unsigned char> compressed(std::span<const unsigned char>) { return {}; }
std::vector<unsigned char> checkedFrame(std::span<const unsigned char>) { return {}; }
std::vector<unsigned char> uncompressed(std::span<const unsigned char>, size_t) { return {}; }
bool uncompress(std::span<const unsigned char>, std::span<unsigned char>) { return false; }
std::optional<uint64_t> uncompressedBytes(std::span<const unsigned char>) { return std::nullopt; }

#endif

} // namespace ada::zstd
