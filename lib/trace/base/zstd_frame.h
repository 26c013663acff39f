// Compresses bytes into a zstd frame and back, if the library was built with zstd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ada::zstd {

bool canCompress() noexcept;
/// Compresses bytes into a frame that states their size; empty if it would not be smaller.
std::vector<unsigned char> compressed(std::span<const unsigned char> plain);
/// The same with a checksum of the bytes, also if it is larger than they are.
std::vector<unsigned char> checkedFrame(std::span<const unsigned char> plain);
/// Decompresses a frame that has exactly `size` bytes; empty if it is damaged.
std::vector<unsigned char> uncompressed(std::span<const unsigned char> frame, size_t size);
/// The same into memory that is there. False if the frame is damaged, or has another size.
bool uncompress(std::span<const unsigned char> frame, std::span<unsigned char> plain);
/// How many bytes the frame says it has; nothing if it does not say, or is not a frame.
std::optional<uint64_t> uncompressedBytes(std::span<const unsigned char> frame);

} // namespace ada::zstd
