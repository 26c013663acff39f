// How values are encoded in pages of Parquet.
#include "columns/parquet_encodings.h"

#include "columns/thrift.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ada::columns {

namespace {

// Appends numbers of up to 64 bits, lowest bits first.
class BitPacker {
public:
  explicit BitPacker(std::string &to) : to_(to) {}
  void add(uint64_t value, unsigned width) {
    if (width == 0)
      return;
    pending_ |= value << used_;
    if (used_ + width < 64) {
      used_ += width;
      return;
    }
    flush(8);
    const unsigned taken = 64 - used_;
    pending_ = taken < width ? value >> taken : 0;
    used_ = width - taken;
  }
  void finish() {
    flush((used_ + 7) / 8);
    pending_ = used_ = 0;
  }

private:
  void flush(unsigned bytes) {
    std::array<char, 8> little;
    for (unsigned i = 0; i < 8; ++i)
      little[i] = static_cast<char>(pending_ >> 8 * i);
    to_.append(little.data(), bytes);
  }
  std::string &to_;
  uint64_t pending_ = 0;
  unsigned used_ = 0; // less than 64
};

constexpr size_t kBlock = 128, kMiniblocks = 4, kMiniblock = kBlock / kMiniblocks; // as other writers have them

} // namespace

void appendRuns(std::string &to, std::span<const uint32_t> values, unsigned width) {
  size_t firstLoose = 0; // values from there on to `at` are not written yet
  const auto writeLoose = [&](size_t end) {
    if (firstLoose == end)
      return;
    const size_t groups = (end - firstLoose + 7) / 8;
    appendVarint(to, groups << 1 | 1);
    BitPacker packer(to);
    for (size_t i = firstLoose; i < firstLoose + 8 * groups; ++i)
      packer.add(i < end ? values[i] : 0, width);
    packer.finish();
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
      for (unsigned byte = 0; byte < (width + 7) / 8; ++byte)
        to += static_cast<char>(values[at] >> 8 * byte);
      firstLoose = end;
    }
    at = end;
  }
  writeLoose(values.size());
}

void appendDeltas(std::string &to, std::span<const uint64_t> values, bool is32Bit) {
  appendVarint(to, kBlock);
  appendVarint(to, kMiniblocks);
  appendVarint(to, values.size());
  appendVarint(to, zigzag(values.empty() ? 0 : static_cast<int64_t>(values[0])));
  // Differences wrap, in as many bits as the numbers have.
  const auto wrapped = [is32Bit](uint64_t number) {
    return is32Bit ? static_cast<int64_t>(static_cast<int32_t>(number)) : static_cast<int64_t>(number);
  };
  for (size_t first = 1; first < values.size(); first += kBlock) {
    const size_t count = std::min(kBlock, values.size() - first);
    std::array<uint64_t, kBlock> deltas{};
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; ++i) {
      const int64_t delta = wrapped(values[first + i] - values[first + i - 1]);
      deltas[i] = static_cast<uint64_t>(delta);
      least = std::min(least, delta);
    }
    const size_t miniblocks = (count + kMiniblock - 1) / kMiniblock;
    std::array<unsigned, kMiniblocks> widths{};
    for (size_t mini = 0; mini < miniblocks; ++mini) {
      uint64_t all = 0;
      for (size_t i = mini * kMiniblock; i < std::min(count, (mini + 1) * kMiniblock); ++i) {
        deltas[i] -= static_cast<uint64_t>(least);
        if (is32Bit)
          deltas[i] &= UINT32_MAX;
        all |= deltas[i];
      }
      widths[mini] = static_cast<unsigned>(std::bit_width(all));
    }
    appendVarint(to, zigzag(least));
    for (const unsigned width : widths)
      to += static_cast<char>(width);
    BitPacker packer(to);
    for (size_t i = 0; i < miniblocks * kMiniblock; ++i)
      packer.add(i < count ? deltas[i] : 0, widths[i / kMiniblock]);
    packer.finish(); // 32 numbers are whole bytes, whatever their width
  }
}

void appendBits(std::string &to, std::span<const uint64_t> values) {
  BitPacker packer(to);
  for (const uint64_t value : values)
    packer.add(value, 1);
  packer.finish();
}

} // namespace ada::columns
