// Puts coroutines below their parents, those of the same function in one node.
#include "coroutine_tree.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>

namespace ada::analysis {

std::vector<CoroutineNode> foldCoroutines(const Coroutines &coroutines) {
  struct Group {
    CoroutineNode node;
    std::map<uint32_t, size_t> below; // by function
  };
  std::vector<Group> groups(1);
  std::vector<size_t> groupOf(coroutines.all.size(), 0);
  // A parent may have been seen after its child, so groups are found from the roots down.
  const auto groupFor = [&](uint32_t which) {
    std::vector<uint32_t> way;
    for (; which != kNoCoroutine && groupOf[which] == 0; which = coroutines.all[which].parent)
      way.push_back(which);
    size_t group = which == kNoCoroutine ? 0 : groupOf[which];
    for (; !way.empty(); way.pop_back()) {
      const Coroutine &one = coroutines.all[way.back()];
      const auto [at, isNew] = groups[group].below.try_emplace(one.function, groups.size());
      const size_t below = at->second;
      if (isNew) {
        const uint32_t depth = group ? groups[group].node.depth + 1 : 0;
        groups.emplace_back();
        groups.back().node.function = one.function;
        groups.back().node.depth = depth;
      }
      group = groupOf[way.back()] = below;
    }
    return group;
  };
  for (uint32_t i = 0; i < coroutines.all.size(); ++i) {
    const Coroutine &one = coroutines.all[i];
    CoroutineNode &node = groups[groupFor(i)].node;
    const uint64_t life = one.endNs - one.beginNs;
    ++node.count;
    node.open += !one.isEnded, node.exceptions += one.isLeftByException;
    node.cancelled += one.isCancelled, node.resumptions += one.resumptions;
    node.lifeNs += life, node.runningNs += one.runningNs, node.suspendedNs += one.suspendedNs;
    node.link = std::max(node.link, one.link);
    if (node.longest == kNoCoroutine || life > node.longestNs)
      node.longest = i, node.longestNs = life;
  }
  std::vector<CoroutineNode> nodes;
  const auto put = [&](const auto &self, size_t group) -> void {
    if (group)
      nodes.push_back(groups[group].node);
    std::vector<size_t> below;
    for (const auto &[function, number] : groups[group].below)
      below.push_back(number);
    std::ranges::stable_sort(below, std::greater<>(), [&](size_t number) { return groups[number].node.lifeNs; });
    for (const size_t number : below)
      self(self, number);
  };
  put(put, 0);
  return nodes;
}

} // namespace ada::analysis
