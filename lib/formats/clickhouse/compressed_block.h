// The frame in which ClickHouse accepts compressed bytes (`decompress=1`).
#pragma once

#include <string>
#include <string_view>

namespace ada::formats {

/// Returns all bytes as one frame, compressed with zstd if the library was built with it. A server that receives only
/// part of it accepts nothing.
///
/// The frame begins with 16 bytes for a checksum that only ClickHouse uses (CityHash 1.0.2). They are zero, so the
/// request must set http_native_compression_disable_checksumming_on_decompress=1. zstd's own checksum is used instead.
std::string compressedBlock(std::string_view plain);

} // namespace ada::formats
