// Blocks as zstd frames, if the library was built with zstd.
#pragma once

#include "shared/encode/packed_format.h"
#include "trace/base/zstd_frame.h"

#include <span>
#include <vector>

namespace ada::packed {

/// A block that claims to have more bytes than this is not decompressed. A writer's block has little more than
/// kBlockBodyBytes.
inline constexpr size_t kMaxPlainBytes = 16 * kBlockBodyBytes;

using zstd::canCompress, zstd::compressed;
/// Decompresses a frame that has exactly `size` bytes; empty if it is damaged.
inline std::vector<Byte> uncompressed(std::span<const Byte> frame, size_t size) {
  return size > kMaxPlainBytes ? std::vector<Byte>() : zstd::uncompressed(frame, size);
}

} // namespace ada::packed
