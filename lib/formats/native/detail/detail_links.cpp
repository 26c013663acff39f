// Finds the detail events of index events by the index event numbers in the detail events.
#include "formats/native/detail/detail_links.h"

namespace ada::atf {

DetailLinks::DetailLinks(const DetailReader &details) : details_(details) {
  if (!details_.isOrdered()) {
    details_.forEach([&](const DetailEvent &event) { sorted_.emplace_back(event.indexSeq, event.seq); });
    std::ranges::sort(sorted_);
  }
  details_.release();
}

} // namespace ada::atf
