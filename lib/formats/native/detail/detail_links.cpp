// Finds the detail events of index events by the index event numbers in the detail events.
#include "formats/native/detail/detail_links.h"

#include <algorithm>

namespace ada::atf {

DetailLinks::DetailLinks(const DetailReader &details) : details_(details) {
  if (!details_.isOrdered()) {
    details_.forEach([&](const DetailEvent &event) { sorted_.emplace_back(event.indexSeq, event.seq); });
    std::ranges::sort(sorted_);
  }
  details_.release();
}

void DetailLinks::set(std::span<IndexEvent> events, uint64_t first) const {
  const auto link = [&](uint64_t indexSeq, uint64_t detailSeq) {
    if (indexSeq < first || indexSeq - first >= events.size())
      return false;
    IndexEvent &event = events[indexSeq - first];
    event.detailSeq = std::min(event.detailSeq, detailSeq);
    return true;
  };
  if (!sorted_.empty()) {
    for (auto next = std::ranges::lower_bound(sorted_, std::pair(first, uint64_t{0}));
         next != sorted_.end() && link(next->first, next->second); ++next)
      ;
    return;
  }
  details_.forEach(details_.lowerBound(first),
                   [&](const DetailEvent &event) { return link(event.indexSeq, event.seq); });
}

} // namespace ada::atf
