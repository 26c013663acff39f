// A number that stands for some content: other content has another number, as far as 64 bits allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ada {

/// Protects against accidental equality, not against people who construct two contents with the same number.
class Print {
public:
  void add(uint64_t number) {
    value_ = (value_ ^ number) * 0x9E3779B97F4A7C15u;
    value_ ^= value_ >> 32;
  }
  void add(std::span<const std::byte> bytes) {
    add(bytes.size());
    for (uint64_t word; !bytes.empty();
         bytes = bytes.subspan(bytes.size() < sizeof word ? bytes.size() : sizeof word)) {
      word = 0;
      std::memcpy(&word, bytes.data(), bytes.size() < sizeof word ? bytes.size() : sizeof word);
      add(word);
    }
  }
  uint64_t value() const { return value_; }

private:
  uint64_t value_ = 0x243F6A8885A308D3u;
};

} // namespace ada
