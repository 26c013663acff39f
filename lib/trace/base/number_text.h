// Shows the bytes of integers, floating-point numbers and characters as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ada {

using Bytes = std::span<const std::byte>;
__extension__ using Wide = unsigned __int128;

/// The first 16 bytes at most, as a little-endian number.
Wide load(Bytes bytes);
/// The low `bits` (at least 1) of a value, sign-extended if it is a signed
/// type's.
Wide extend(Wide value, uint32_t bits, bool isSigned);

std::string decimal(Wide value, bool isSigned);
/// "0x1f"
std::string hex(uint64_t value);
/// All bytes as one little-endian number.
std::string hexOf(Bytes bytes);
/// Two digits per byte, in order; or the last byte first, as in a little-endian number.
std::string hexDigits(Bytes bytes, bool lastFirst = false);

/// The number in 16, 32, 64, 80 (x87) or 128 bits of floating point; rounded if this machine's long double is narrower.
std::optional<long double> floatOf(Wide raw, uint32_t bits);
/// The shortest text that reads back as the same number of that width; "~0.1"
/// if this machine can't hold all digits; bits for widths that don't exist.
std::string floatText(Bytes bytes, uint32_t bits);

/// The same for bfloat16, which is the upper half of 32 bits.
float bfloatOf(Bytes bytes);
std::string bfloatText(Bytes bytes);

/// 'a', '\n', '\x1f'
std::string charText(unsigned char c);

} // namespace ada
