// Encodes values for pages of Parquet files.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ada::columns {

/// Numbers of `width` bits, 1 to 32: runs of equal ones, and groups of eight. RLE, for levels and indices.
void appendRuns(std::string &to, std::span<const uint32_t> values, unsigned width);

/// DELTA_BINARY_PACKED. 32-bit numbers are sign-extended.
void appendDeltas(std::string &to, std::span<const uint64_t> values, bool is32Bit);

/// PLAIN, for booleans.
void appendBits(std::string &to, std::span<const uint64_t> values);

} // namespace ada::columns
