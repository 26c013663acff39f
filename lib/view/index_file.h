// Reads a viewer's index: what of a thread is drawn in a range of time, and where the thread can be read from.
#ifndef ADA_LIB_VIEW_INDEX_FILE_H
#define ADA_LIB_VIEW_INDEX_FILE_H

#include "ada/trace/error.h"
#include "base/file_descriptor.h"
#include "function_list.h"
#include "function_totals.h"
#include "index_format.h"
#include "thread_walk.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ada::view {

/// Any thread. Errors of all members: E_IO, E_BAD_INDEX; then the index is to be made again.
class IndexFile {
public:
  /// Refuses what is damaged, of another version, or not made of `madeOf` and these threads. Functions get numbers of
  /// `functions`.
  static Expected<std::shared_ptr<const IndexFile>> open(FileDescriptor file, std::uint64_t madeOf,
                                                         const analysis::TraceTable &table, FunctionList &functions);
  static Expected<std::shared_ptr<const IndexFile>> open(const std::string &path, std::uint64_t madeOf,
                                                         const analysis::TraceTable &table, FunctionList &functions);

  std::uint64_t bytes() const { return bytes_; }
  std::uint32_t maxDepth(std::uint32_t thread) const { return threads_[thread].maxDepth; }

  /// Calls that are at least `pixelNs` long, one by one, and what is shorter as calls or boxes that are no longer than
  /// that, where cells of the lowest level are not; all that touch [fromNs, toNs). By depth and begin.
  Expected<std::vector<Item>> items(std::uint32_t thread, std::uint64_t fromNs, std::uint64_t toNs,
                                    std::uint64_t pixelNs) const;
  /// Calls at least `minNs` long that touch [fromNs, toNs). None that is shorter than a cell of level 0.
  Expected<std::vector<IndexCall>> calls(std::uint32_t thread, std::uint64_t fromNs, std::uint64_t toNs,
                                         std::uint64_t minNs) const;
  /// Adds what all calls of the thread cost, by function.
  Expected<void> addTotals(std::uint32_t thread, std::vector<FunctionTotals> &totals) const;
  /// All calls that are this long are single ones in the index.
  std::uint64_t cellNs(std::uint32_t thread) const { return threads_[thread].cellNs; }

  /// The last place with an event before `ns`, or the first place.
  Expected<Place> placeBefore(std::uint32_t thread, std::uint64_t ns) const;
  /// The last place up to event `seq`.
  Expected<Place> placeOf(std::uint32_t thread, std::uint64_t seq) const;

private:
  IndexFile() = default;
  Expected<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t bytes, std::uint32_t crc) const;
  bool readDirectory(std::span<const std::byte> bytes, const analysis::TraceTable &table, FunctionList &functions);
  template <class Use>
  Expected<void> readItems(const std::vector<IndexBlock> &blocks, std::uint64_t fromNs, std::uint64_t toNs,
                           Use &&use) const;
  template <class IsBehind>
  Expected<Place> findPlace(const std::vector<IndexBlock> &blocks, std::size_t block, IsBehind &&isBehind) const;
  std::uint32_t numberOf(std::uint32_t function) const { return function < numbers_.size() ? numbers_[function] : 0; }

  FileDescriptor file_;
  std::uint64_t bytes_ = 0;
  std::vector<IndexThread> threads_;
  std::vector<std::uint32_t> numbers_; // of functions here, by those in the file
};

} // namespace ada::view

#endif // ADA_LIB_VIEW_INDEX_FILE_H
