// Encodes values for pages of Parquet files.
#include "trace/columns/parquet_encodings.h"

#include "trace/columns/thrift.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace ada::columns {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

template <class Number> static void appendBytes(std::string &to, Number value, unsigned bytes) {
  to.append(reinterpret_cast<const char *>(&value), bytes);
}

unsigned widthFor(uint32_t greatest) {
  return std::max(1U, (static_cast<unsigned>(std::bit_width(greatest)) + 7) / 8) * 8;
}

void appendBits(std::string &to, std::span<const uint64_t> values) {
  for (size_t first = 0; first < values.size(); first += 8) {
    unsigned bits = 0;
    for (size_t i = first; i < std::min(values.size(), first + 8); ++i)
      bits |= static_cast<unsigned>(values[i] & 1) << (i - first);
    to += static_cast<char>(bits);
  }
}

// Eight numbers, or as many as there are: the others are 0.
static void appendGroup(std::string &to, std::span<const uint32_t> values, unsigned width) {
  std::array<uint64_t, 8> group{};
  std::copy(values.begin(), values.end(), group.begin());
  if (width == 1)
    return appendBits(to, group);
  for (const uint64_t value : group)
    appendBytes(to, value, width / 8);
}

void appendRuns(std::string &to, std::span<const uint32_t> values, unsigned width) {
  size_t firstLoose = 0; // values from there on to `at` are not written yet
  const auto writeLoose = [&](size_t end) {
    if (firstLoose == end)
      return;
    appendVarint(to, (end - firstLoose + 7) / 8 << 1 | 1);
    for (size_t i = firstLoose; i < end; i += 8)
      appendGroup(to, values.subspan(i, std::min<size_t>(8, end - i)), width);
  };
  for (size_t at = 0; at < values.size();) {
    size_t end = at + 1;
    while (end < values.size() && values[end] == values[at])
      ++end;
    // Groups are whole, so the first values of a run fill up the group before it.
    const size_t begin = std::min(end, at + (8 - (at - firstLoose) % 8) % 8);
    if (end - begin >= 8) {
      writeLoose(begin);
      appendVarint(to, (end - begin) << 1);
      appendBytes(to, values[at], (width + 7) / 8);
      firstLoose = end;
    }
    at = end;
  }
  writeLoose(values.size());
}

void appendDeltas(std::string &to, std::span<const uint64_t> values, bool is32Bit) {
  // Long blocks: where the width changes, zstd begins anew.
  constexpr size_t kBlock = 1024, kMiniblocks = 4, kMiniblock = kBlock / kMiniblocks;
  appendVarint(to, kBlock);
  appendVarint(to, kMiniblocks);
  appendVarint(to, values.size());
  // Numbers and differences wrap, in as many bits as the column has.
  const auto wrapped = [is32Bit](uint64_t number) {
    return is32Bit ? static_cast<int64_t>(static_cast<int32_t>(number)) : static_cast<int64_t>(number);
  };
  appendVarint(to, zigzag(values.empty() ? 0 : wrapped(values[0])));
  std::array<uint64_t, kBlock> deltas;
  for (size_t first = 1; first < values.size(); first += kBlock) {
    const size_t count = std::min(kBlock, values.size() - first);
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; ++i) {
      const int64_t delta = wrapped(values[first + i] - values[first + i - 1]);
      deltas[i] = static_cast<uint64_t>(delta);
      least = std::min(least, delta);
    }
    for (uint64_t &delta : std::span(deltas).first(count))
      delta = (delta - static_cast<uint64_t>(least)) & (is32Bit ? UINT32_MAX : UINT64_MAX);
    std::fill(deltas.begin() + static_cast<std::ptrdiff_t>(count), deltas.end(), 0);
    std::array<unsigned, kMiniblocks> bytes{};
    for (size_t mini = 0; mini < kMiniblocks; ++mini) {
      uint64_t all = 0;
      for (size_t i = mini * kMiniblock; i < (mini + 1) * kMiniblock; ++i)
        all |= deltas[i];
      bytes[mini] = (static_cast<unsigned>(std::bit_width(all)) + 7) / 8;
    }
    appendVarint(to, zigzag(least));
    for (const unsigned each : bytes)
      to += static_cast<char>(8 * each);
    const size_t used = (count + kMiniblock - 1) / kMiniblock * kMiniblock; // miniblocks without values are left out
    for (size_t i = 0; i < used; ++i)
      appendBytes(to, deltas[i], bytes[i / kMiniblock]);
  }
}

} // namespace ada::columns
