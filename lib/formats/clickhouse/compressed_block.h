// The frame in which ClickHouse takes compressed bytes (`decompress=1`).
#ifndef ADA_LIB_FORMATS_CLICKHOUSE_COMPRESSED_BLOCK_H
#define ADA_LIB_FORMATS_CLICKHOUSE_COMPRESSED_BLOCK_H

#include <string>
#include <string_view>

namespace ada::model {

/// All bytes as one frame, by zstd if the library was built with it. A server that gets a part of it takes nothing.
///
/// The frame begins with 16 bytes for a checksum that only ClickHouse uses (CityHash 1.0.2). They are zero, and the
/// request has to say http_native_compression_disable_checksumming_on_decompress=1; zstd's own checksum takes its
/// place.
std::string compressedBlock(std::string_view plain);

} // namespace ada::model

#endif // ADA_LIB_FORMATS_CLICKHOUSE_COMPRESSED_BLOCK_H
