// Finds the detail events of index events in packed files, whose index doesn't name them.
#pragma once

#include "ada/trace/atf_detail.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ada::atf {

/// An index event's link is the first detail event that names it. Uses no memory if the detail events are in the order
/// of their index events, which they are except for calls that slow: triggers catch.
class DetailLinks {
public:
  /// Reads the headers of all detail events once, or of all blocks of a packed file.
  explicit DetailLinks(const DetailReader &details);

  /// Calls f(i, detailSeq) for each detail event of the `count` index events from number `first` on: that of the i-th
  /// of them. Its link is the smallest one.
  template <class F> void each(uint64_t first, uint64_t count, F &&f) const {
    const auto tell = [&](uint64_t indexSeq, uint64_t detailSeq) {
      if (indexSeq < first || indexSeq - first >= count)
        return false;
      f(indexSeq - first, detailSeq);
      return true;
    };
    if (sorted_.empty())
      return details_.forEach(details_.lowerBound(first),
                              [&](const DetailEvent &event) { return tell(event.indexSeq, event.seq); });
    for (auto next = std::ranges::lower_bound(sorted_, std::pair(first, uint64_t{0}));
         next != sorted_.end() && tell(next->first, next->second); ++next)
      ;
  }

private:
  DetailReader details_;
  std::vector<std::pair<uint64_t, uint64_t>> sorted_; // (index event, detail event), if not in order
};

} // namespace ada::atf
