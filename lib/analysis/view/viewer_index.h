// Reads a viewer's index: what to draw of a thread in a time range, and places from which the thread can be read.
#pragma once

#include "ada/trace/error.h"
#include "function_list.h"
#include "function_totals.h"
#include "index_format.h"
#include "thread_walk.h"
#include "trace/base/file_descriptor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ada::view {

/// May be used from any thread. All members may fail with E_IO or E_BAD_INDEX; the index must then be made again.
class ViewerIndex {
public:
  /// Rejects an index that is damaged, of another version, or not made of `madeOf` and these threads. Functions get
  /// their numbers from `functions`.
  static Expected<std::shared_ptr<const ViewerIndex>> open(FileDescriptor file, uint64_t madeOf,
                                                           const analysis::TraceTable &table, FunctionList &functions);
  static Expected<std::shared_ptr<const ViewerIndex>> open(const std::string &path, uint64_t madeOf,
                                                           const analysis::TraceTable &table, FunctionList &functions);

  uint64_t bytes() const { return bytes_; }
  uint32_t maxDepth(uint32_t thread) const { return threads_[thread].maxDepth; }

  /// Everything that touches [fromNs, toNs), sorted by depth and begin. Calls that are at least `pixelNs` long are
  /// listed one by one. Shorter ones are calls or boxes that are no longer than that, unless cells of the lowest level
  /// are.
  Expected<std::vector<Item>> items(uint32_t thread, uint64_t fromNs, uint64_t toNs, uint64_t pixelNs) const;
  /// Calls at least `minNs` long that touch [fromNs, toNs). Calls shorter than a cell of level 0 are never included.
  Expected<std::vector<IndexCall>> calls(uint32_t thread, uint64_t fromNs, uint64_t toNs, uint64_t minNs) const;
  /// Adds the cost of all calls of the thread, by function.
  Expected<void> addTotals(uint32_t thread, std::vector<FunctionTotals> &totals) const;
  /// All calls that are at least this long are single entries in the index.
  uint64_t cellNs(uint32_t thread) const { return threads_[thread].cellNs; }

  /// The last place whose event is before `ns`, or the first place.
  Expected<ReadingPlace> placeBefore(uint32_t thread, uint64_t ns) const;
  /// The last place at or before event `seq`.
  Expected<ReadingPlace> placeOf(uint32_t thread, uint64_t seq) const;

private:
  ViewerIndex() = default;
  Expected<std::vector<std::byte>> read(uint64_t offset, uint64_t bytes, uint32_t crc) const;
  bool readDirectory(std::span<const std::byte> bytes, const analysis::TraceTable &table, FunctionList &functions);
  template <class Use>
  Expected<void> readItems(const std::vector<IndexBlock> &blocks, uint64_t fromNs, uint64_t toNs, Use &&use) const;
  template <class IsBehind>
  Expected<ReadingPlace> findPlace(const std::vector<IndexBlock> &blocks, size_t block, IsBehind &&isBehind) const;
  uint32_t numberOf(uint32_t function) const { return function < numbers_.size() ? numbers_[function] : 0; }

  FileDescriptor file_;
  uint64_t bytes_ = 0;
  std::vector<IndexThread> threads_;
  std::vector<uint32_t> numbers_; // numbers of functions here, by number in the file
};

} // namespace ada::view
