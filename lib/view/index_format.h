// The bytes of a viewer's index: docs/formats/view-index.md describes them.
#ifndef ADA_LIB_VIEW_INDEX_FORMAT_H
#define ADA_LIB_VIEW_INDEX_FORMAT_H

#include "picture.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ada::view {

inline constexpr char kIndexMagic[8] = {'A', 'D', 'A', 'V', 'I', 'E', 'W', '\n'};
inline constexpr std::uint32_t kIndexVersion = 1;
/// A cell of level 0 is the mean time of so many events, and one of the next level so many times as long.
inline constexpr std::uint64_t kCellEvents = 512, kLevelFactor = 4;
/// Short calls that are deeper are in no box.
inline constexpr std::uint32_t kMostBoxDepths = 4096;

struct IndexHeader {
  char magic[8];
  std::uint32_t version;
  std::uint32_t headerCrc; ///< of the header with 0 here
  std::uint64_t madeOf;    ///< what the caller says the trace is
  std::uint64_t events;
  std::uint64_t directoryOffset, directoryBytes;
  std::uint32_t directoryCrc;
  std::uint32_t unused;
};
static_assert(sizeof(IndexHeader) == 56);

/// A call of the index with what is known of the whole of it.
struct IndexCall {
  Item item;
  std::uint64_t endSeq = kNoSeq;
  std::uint64_t calls = 0, childrenNs = 0;
};

/// Where a block of items or places is, and what it covers.
struct IndexBlock {
  std::uint64_t offset = 0, bytes = 0, count = 0;
  /// Of items: the earliest begin and the latest end. Of places: number and time of the first event.
  std::uint64_t first = 0, last = 0;
  std::uint32_t crc = 0;
};

/// One thread's part of the directory.
struct IndexThread {
  struct Level {
    std::vector<IndexBlock> calls, boxes;
  };
  std::uint64_t events = 0, cellNs = 1;
  std::uint32_t maxDepth = 0;
  std::vector<Level> levels;
  std::vector<IndexBlock> places;
  IndexBlock totals; ///< of functions; `count` of them
};

std::uint32_t indexCrc(std::span<const std::byte> bytes);

/// Little-endian numbers of seven bits per byte, as protobuf has them.
class IndexBytes {
public:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes_.push_back(std::byte(value | 0x80));
    bytes_.push_back(std::byte(value));
  }
  /// A difference, small in both directions; wraps.
  void difference(std::uint64_t value) { number(value << 1 ^ (0 - (value >> 63))); }
  void text(std::string_view text) {
    number(text.size());
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  void clear() { bytes_.clear(); }

private:
  std::vector<std::byte> bytes_;
};

/// Reads what IndexBytes wrote. Behind the end everything is 0, and isGood() false.
class IndexCursor {
public:
  explicit IndexCursor(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty())
        break;
      const auto byte = std::to_integer<std::uint64_t>(rest_.front());
      rest_ = rest_.subspan(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80)
        return value;
    }
    isGood_ = false;
    return 0;
  }
  std::uint64_t difference() {
    const std::uint64_t value = number();
    return value >> 1 ^ (0 - (value & 1));
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      isGood_ = false;
      return {};
    }
    const auto bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  bool isGood() const { return isGood_; }
  bool isAtEnd() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }

private:
  std::span<const std::byte> rest_;
  bool isGood_ = true;
};

/// Items of one block, each as its difference from the one before.
class ItemCoder {
public:
  void put(IndexBytes &to, const IndexCall &call);
  IndexCall get(IndexCursor &from);

private:
  std::uint64_t endNs_ = 0, seq_ = 0;
};

} // namespace ada::view

#endif // ADA_LIB_VIEW_INDEX_FORMAT_H
