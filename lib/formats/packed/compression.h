// Blocks as zstd frames, where the library was built with zstd.
#ifndef ADA_LIB_FORMATS_PACKED_COMPRESSION_H
#define ADA_LIB_FORMATS_PACKED_COMPRESSION_H

#include "shared/encode/packed_format.h"

#include <span>
#include <vector>

namespace ada::packed {

/// A writer's block has little more than kBlockBodyBytes. No block that says it has more than this is unpacked.
inline constexpr std::size_t kMostPlainBytes = 16 * kBlockBodyBytes;

bool canCompress() noexcept;
/// A frame with these bytes; empty if it would not be smaller.
std::vector<Byte> compressed(std::span<const Byte> plain);
/// The `size` bytes of a frame, which has just these; empty if it is damaged.
std::vector<Byte> uncompressed(std::span<const Byte> frame, std::size_t size);

} // namespace ada::packed

#endif // ADA_LIB_FORMATS_PACKED_COMPRESSION_H
