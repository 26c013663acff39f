// SipHash-2-4 with a key of zeros, ClickHouse's sipHash64().
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ada::formats {

inline uint64_t sipHash64(std::string_view text) {
  uint64_t a = 0x736f6d6570736575, b = 0x646f72616e646f6d, c = 0x6c7967656e657261, d = 0x7465646279746573;
  const auto mix = [&] {
    a += b, b = std::rotl(b, 13) ^ a, a = std::rotl(a, 32);
    c += d, d = std::rotl(d, 16) ^ c;
    a += d, d = std::rotl(d, 21) ^ a;
    c += b, b = std::rotl(b, 17) ^ c, c = std::rotl(c, 32);
  };
  const auto take = [&](uint64_t word) { d ^= word, mix(), mix(), a ^= word; };
  const auto load = [&](size_t at, size_t size) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; ++i)
      word |= uint64_t{static_cast<unsigned char>(text[at + i])} << (8 * i);
    return word;
  };
  const size_t whole = text.size() / 8 * 8;
  for (size_t at = 0; at < whole; at += 8)
    take(load(at, 8));
  take(load(whole, text.size() - whole) | uint64_t{text.size()} << 56);
  c ^= 0xff;
  mix(), mix(), mix(), mix();
  return a ^ b ^ c ^ d;
}

} // namespace ada::formats
