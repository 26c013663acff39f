// Finds the detail events of index events by the numbers that detail events have.
#include "detail_links.h"

#include <algorithm>

namespace ada::atf {

DetailLinks::DetailLinks(const DetailReader &details) : details_(details) {
  bool isOrdered = true;
  std::uint64_t before = 0;
  details_.forEach([&](const DetailEvent &event) {
    isOrdered = event.indexSeq >= before;
    before = event.indexSeq;
    return isOrdered;
  });
  if (!isOrdered) {
    details_.forEach([&](const DetailEvent &event) { sorted_.emplace_back(event.indexSeq, event.seq); });
    std::ranges::sort(sorted_);
  }
  details_.release();
}

void DetailLinks::set(std::span<IndexEvent> events, std::uint64_t first) const {
  const auto link = [&](std::uint64_t indexSeq, std::uint64_t detailSeq) {
    if (indexSeq < first || indexSeq - first >= events.size())
      return false;
    IndexEvent &event = events[indexSeq - first];
    event.detailSeq = std::min(event.detailSeq, detailSeq);
    return true;
  };
  if (!sorted_.empty()) {
    for (auto next = std::ranges::lower_bound(sorted_, std::pair(first, std::uint64_t{0}));
         next != sorted_.end() && link(next->first, next->second); ++next)
      ;
    return;
  }
  std::uint64_t low = 0;
  for (std::uint64_t length = details_.size(); length > 0;) {
    const std::uint64_t half = length / 2;
    if (details_[low + half].indexSeq < first)
      low += half + 1, length -= half + 1;
    else
      length = half;
  }
  details_.forEach(low, [&](const DetailEvent &event) { return link(event.indexSeq, event.seq); });
}

} // namespace ada::atf
