// Rows in ClickHouse's format RowBinary.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ada::formats {

/// Appends one value after the other, in the order of the columns.
class RowBinary {
public:
  /// UInt8 to UInt64, Date (days since 1970) and Enum8, by the type's width; little-endian.
  template <std::unsigned_integral Integer> RowBinary &number(Integer value) {
    char bytes[sizeof value];
    for (size_t i = 0; i < sizeof value; ++i)
      bytes[i] = static_cast<char>(value >> (8 * i));
    bytes_.append(bytes, sizeof value);
    return *this;
  }
  /// Float64.
  RowBinary &real(double value) { return number(std::bit_cast<uint64_t>(value)); }
  /// String: any bytes.
  RowBinary &text(std::string_view value) {
    length(value.size());
    bytes_.append(value);
    return *this;
  }
  /// Values that have already been encoded.
  RowBinary &values(std::string_view bytes) {
    bytes_.append(bytes);
    return *this;
  }
  /// Array: its length, then its elements. A Nested is one array for each of its columns.
  RowBinary &length(uint64_t count) {
    for (; count >= 0x80; count >>= 7)
      bytes_ += static_cast<char>(count | 0x80);
    bytes_ += static_cast<char>(count);
    return *this;
  }

  const std::string &bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

private:
  std::string bytes_;
};

} // namespace ada::formats
