// Blocks as zstd frames, if the library was built with zstd.
#ifndef ADA_LIB_FORMATS_PACKED_COMPRESSION_H
#define ADA_LIB_FORMATS_PACKED_COMPRESSION_H

#include "shared/encode/packed_format.h"

#include <span>
#include <vector>

namespace ada::packed {

/// A block that claims to have more bytes than this is not decompressed. A writer's block has little more than
/// kBlockBodyBytes.
inline constexpr size_t kMostPlainBytes = 16 * kBlockBodyBytes;

bool canCompress() noexcept;
/// Compresses bytes into a frame; empty if it would not be smaller.
std::vector<Byte> compressed(std::span<const Byte> plain);
/// Decompresses a frame that has exactly `size` bytes; empty if it is damaged.
std::vector<Byte> uncompressed(std::span<const Byte> frame, size_t size);

} // namespace ada::packed

#endif // ADA_LIB_FORMATS_PACKED_COMPRESSION_H
