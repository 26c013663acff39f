// Encodes values for pages of Parquet files.
// https://parquet.apache.org/docs/file-format/data-pages/encodings/
//
// Numbers take whole bytes, although the encodings could pack them into fewer bits: zstd comes after, and finds what
// repeats only if it begins at a byte. Exact widths make a file of calls 40 % larger.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ada::columns {

/// The width that numbers up to `greatest` take in appendRuns(): 8, 16, 24 or 32 bits.
unsigned widthFor(uint32_t greatest);
/// RLE, for levels (`width` 1) and indices: runs of equal numbers, and groups of eight.
void appendRuns(std::string &to, std::span<const uint32_t> values, unsigned width);

/// DELTA_BINARY_PACKED, for columns of 64 or 32 bits.
void appendDeltas(std::string &to, std::span<const uint64_t> values, bool is32Bit);

/// PLAIN, for booleans.
void appendBits(std::string &to, std::span<const uint64_t> values);

} // namespace ada::columns
