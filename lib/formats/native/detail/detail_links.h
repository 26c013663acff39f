// Finds the detail events of index events in packed files, whose index doesn't name them.
#pragma once

#include "ada/trace/atf_detail.h"

#include <span>
#include <utility>
#include <vector>

namespace ada::atf {

/// An index event's link is the first detail event that names it. Uses no memory if the detail events are in the order
/// of their index events, which they are except for calls that slow: triggers catch.
class DetailLinks {
public:
  /// Reads the headers of all detail events once, or of all blocks of a packed file.
  explicit DetailLinks(const DetailReader &details);

  /// Sets the links of `events`, which are numbered from `first` on.
  void set(std::span<IndexEvent> events, uint64_t first) const;

private:
  DetailReader details_;
  std::vector<std::pair<uint64_t, uint64_t>> sorted_; // (index event, detail event), if not in order
};

} // namespace ada::atf
