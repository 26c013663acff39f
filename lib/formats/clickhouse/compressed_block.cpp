// The frame in which ClickHouse accepts compressed bytes.
#include "compressed_block.h"

#include <cstddef>
#include <cstdint>

#ifdef ADA_ZSTD
#include <memory>
#include <zstd.h>
#endif

namespace ada::formats {

namespace {

constexpr size_t kChecksumBytes = 16, kHeaderBytes = 9;
enum Method : uint8_t { kStored = 0x02, kZstd = 0x90 };

void putNumber(std::string &out, size_t value) {
  for (unsigned shift = 0; shift < 32; shift += 8)
    out += static_cast<char>(value >> shift);
}

std::string framed(Method method, std::string_view body, size_t plainSize) {
  std::string frame(kChecksumBytes, '\0');
  frame.reserve(kChecksumBytes + kHeaderBytes + body.size());
  frame += static_cast<char>(method);
  putNumber(frame, kHeaderBytes + body.size());
  putNumber(frame, plainSize);
  return frame.append(body);
}

} // namespace

#ifdef ADA_ZSTD
std::string compressedBlock(std::string_view plain) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  // The server compresses the columns again, so higher levels cost more time here than they save in transfer.
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string body(ZSTD_compressBound(plain.size()), '\0');
  const size_t size = ZSTD_compress2(context.get(), body.data(), body.size(), plain.data(), plain.size());
  if (ZSTD_isError(size))
    return framed(kStored, plain, plain.size());
  return framed(kZstd, std::string_view(body).substr(0, size), plain.size());
}
#else
std::string compressedBlock(std::string_view plain) { return framed(kStored, plain, plain.size()); }
#endif

} // namespace ada::formats
