// Finds the mapping of an address with a segment tree.
#include "mappings.h"

#include <algorithm>

namespace ada::model::uftrace {

void Mappings::settle() {
  bounds_.clear();
  for (const Mapping &mapping : all_)
    bounds_.insert(bounds_.end(), {mapping.begin, mapping.end});
  std::ranges::sort(bounds_);
  bounds_.erase(std::unique(bounds_.begin(), bounds_.end()), bounds_.end());
  nodes_.assign(2 * bounds_.size(), {});
  const auto leafOf = [&](uint64_t bound) {
    return bounds_.size() + static_cast<size_t>(std::ranges::lower_bound(bounds_, bound) - bounds_.begin());
  };
  for (uint32_t place = 0; place < all_.size(); ++place) {
    const auto cover = [&](std::vector<uint32_t> &node) {
      while (!node.empty() && all_[node.back()].sinceNs >= all_[place].sinceNs)
        node.pop_back();
      node.push_back(place);
    };
    for (size_t from = leafOf(all_[place].begin), to = leafOf(all_[place].end); from < to; from /= 2, to /= 2) {
      if (from % 2)
        cover(nodes_[from++]);
      if (to % 2)
        cover(nodes_[--to]);
    }
  }
}

const Mapping *Mappings::find(uint64_t address, uint64_t timeNs) const {
  const auto after = std::ranges::upper_bound(bounds_, address);
  if (after == bounds_.begin())
    return nullptr;
  size_t found = 0; // its place + 1
  for (size_t at = bounds_.size() + static_cast<size_t>(after - bounds_.begin()) - 1; at > 0; at /= 2) {
    const auto later =
        std::ranges::upper_bound(nodes_[at], timeNs, {}, [&](uint32_t place) { return all_[place].sinceNs; });
    if (later != nodes_[at].begin())
      found = std::max<size_t>(found, *(later - 1) + 1);
  }
  return found == 0 ? nullptr : &all_[found - 1];
}

} // namespace ada::model::uftrace
