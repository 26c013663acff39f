// The bytes of a viewer's index: docs/formats/view-index.md describes them.
#pragma once

#include "picture.h"
#include "trace/base/varint_bytes.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ada::view {

inline constexpr char kIndexMagic[8] = {'A', 'D', 'A', 'V', 'I', 'E', 'W', '\n'};
inline constexpr uint32_t kIndexVersion = 4;
/// A cell of level 0 is the mean time of this many events; a cell of each next level is this many times as long.
inline constexpr uint64_t kCellEvents = 512, kLevelFactor = 4;
/// Short calls below this depth are in no box.
inline constexpr uint32_t kMaxBoxDepths = 4096;

struct IndexHeader {
  char magic[8];
  uint32_t version;
  uint32_t headerCrc; ///< of the header, with 0 in this field
  uint64_t madeOf;    ///< what the trace is, according to the caller
  uint64_t events;
  uint64_t directoryOffset, directoryBytes;
  uint32_t directoryCrc;
  uint32_t unused;
};
static_assert(sizeof(IndexHeader) == 56);

/// A call in the index, with what is known about the whole call.
struct IndexCall {
  Item item;
  uint64_t endSeq = kNoSeq;
  uint64_t calls = 0, selfNs = 0;
};

/// Where a block of items or places is, and what it covers.
struct IndexBlock {
  uint64_t offset = 0, bytes = 0, count = 0;
  /// For items: the earliest begin and the latest end. For places: number and time of the first event.
  uint64_t first = 0, last = 0;
  uint32_t crc = 0;
};

/// One thread's part of the directory.
struct IndexThread {
  struct Level {
    std::vector<IndexBlock> calls, boxes;
  };
  uint64_t events = 0, cellNs = 1;
  uint32_t maxDepth = 0;
  std::vector<Level> levels;
  std::vector<IndexBlock> places;
  IndexBlock totals; ///< of functions; `count` of them
};

using IndexBytes = VarintBytes;
using IndexCursor = VarintCursor;

uint32_t indexCrc(std::span<const std::byte> bytes);

/// Codes the items of one block, each as its difference from the previous one.
class ItemCoder {
public:
  void put(IndexBytes &to, const IndexCall &call);
  IndexCall get(IndexCursor &from);

private:
  uint64_t endNs_ = 0, seq_ = 0;
};

} // namespace ada::view
