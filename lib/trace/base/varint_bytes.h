// Numbers and texts in as few bytes as they need, for files that are kept beside a trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada {

/// Little-endian numbers of seven bits per byte, as protobuf has them.
class VarintBytes {
public:
  void number(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes_.push_back(std::byte(value | 0x80));
    bytes_.push_back(std::byte(value));
  }
  /// A difference, small in both directions; wraps.
  void difference(uint64_t value) { number(value << 1 ^ (0 - (value >> 63))); }
  void text(std::string_view text) {
    number(text.size());
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void bytes(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  std::span<const std::byte> bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }

private:
  std::vector<std::byte> bytes_;
};

/// Reads what VarintBytes wrote. After the end everything is 0, and isGood() false.
class VarintCursor {
public:
  explicit VarintCursor(std::span<const std::byte> bytes) : rest_(bytes) {}
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty())
        break;
      const auto byte = std::to_integer<uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
    isGood_ = false;
    return 0;
  }
  uint64_t difference() {
    const uint64_t value = number();
    return value >> 1 ^ (0 - (value & 1));
  }
  std::string text() {
    const uint64_t size = number();
    if (size > rest_.size()) {
      isGood_ = false;
      return {};
    }
    const auto bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  std::span<const std::byte> bytes(uint64_t size) {
    if (size > rest_.size()) {
      isGood_ = false;
      return {};
    }
    const std::span<const std::byte> bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return bytes;
  }
  bool isGood() const { return isGood_; }
  bool isAtEnd() const { return rest_.empty(); }
  size_t left() const { return rest_.size(); }

private:
  std::span<const std::byte> rest_;
  bool isGood_ = true;
};

} // namespace ada
