// Call paths as a flame graph shows them.
#include "flame_tree.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace ada::analysis {

namespace {

FunctionSum figuresOf(const PathTree &tree, uint32_t node) {
  if (node == PathTree::kNone)
    return {};
  return {tree[node].calls, tree[node].totalNs, tree[node].selfNs};
}

void add(FunctionSum &into, const FunctionSum &from) {
  into.calls += from.calls;
  into.totalNs += from.totalNs;
  into.selfNs += from.selfNs;
}

FunctionSum wholeOf(const PathTree &tree, const std::vector<FunctionSum> &sums) {
  FunctionSum whole;
  for (size_t i = 0; i + 1 < sums.size(); ++i) // the last one is the recorder's
    whole.calls += sums[i].calls;
  whole.totalNs = whole.selfNs = tree[PathTree::kRoot].totalNs;
  return whole;
}

// For each node of `all`, the node of `tree` with the same path.
std::vector<uint32_t> placesIn(const PathTree &all, const PathTree &tree) {
  std::vector<uint32_t> places(all.size(), PathTree::kRoot);
  for (uint32_t node = 1; node < all.size(); ++node) {
    const uint32_t parent = places[all[node].parent];
    places[node] = parent == PathTree::kNone ? parent : tree.find(parent, all[node].function);
  }
  return places;
}

} // namespace

FlameTree makeFlameTree(const PathTree &tree, const PathTree *before, size_t functions, size_t most) {
  FlameTree flame;
  flame.sums = functionSums(tree, functions);
  flame.whole = wholeOf(tree, flame.sums);
  PathTree both(~size_t(0));
  const PathTree *all = &tree;
  if (before) {
    flame.sumsBefore = functionSums(*before, functions);
    flame.wholeBefore = wholeOf(*before, flame.sumsBefore);
    std::vector<uint32_t> same(functions);
    std::iota(same.begin(), same.end(), 0);
    both.merge(tree, same);
    both.merge(*before, same);
    both.sort();
    all = &both;
  }
  const std::vector<uint32_t> here = placesIn(*all, tree);
  const std::vector<uint32_t> there = before ? placesIn(*all, *before) : std::vector<uint32_t>();

  // A caller's total is at least that of each call it made, so the callers of kept paths are kept, too.
  std::vector<uint32_t> order(all->size() - 1);
  std::iota(order.begin(), order.end(), 1);
  if (order.size() > most) {
    std::nth_element(
        order.begin(), order.begin() + static_cast<ptrdiff_t>(most), order.end(), [&](uint32_t a, uint32_t b) {
          return std::tuple((*all)[b].totalNs, (*all)[a].depth, a) < std::tuple((*all)[a].totalNs, (*all)[b].depth, b);
        });
    order.resize(most);
  }
  std::vector<bool> isKept(all->size());
  for (const uint32_t node : order)
    isKept[node] = true;

  // The rest node of a call comes after all its kept callees, so sums wait on the path until then.
  std::vector<FlameNode> leftOut;
  const auto close = [&](uint32_t depth) {
    for (; leftOut.size() > depth; leftOut.pop_back())
      if (leftOut.back().paths)
        flame.nodes.push_back(leftOut.back());
  };
  leftOut.push_back({.depth = 0, .paths = 0, .figures = {}, .before = {}});
  for (uint32_t node = 1; node < all->size();) {
    const uint32_t depth = (*all)[node].depth - 1;
    close(depth + 1);
    const FunctionSum figures = figuresOf(tree, here[node]),
                      earlier = before ? figuresOf(*before, there[node]) : FunctionSum();
    if (isKept[node]) {
      flame.nodes.push_back({.function = (*all)[node].function, .depth = depth, .figures = figures, .before = earlier});
      leftOut.push_back({.depth = depth + 1, .paths = 0, .figures = {}, .before = {}});
      ++node;
      continue;
    }
    FlameNode &rest = leftOut.back();
    rest.paths += all->endOf(node) - node;
    add(rest.figures, {figures.calls, figures.totalNs, figures.totalNs}); // including everything below
    add(rest.before, {earlier.calls, earlier.totalNs, earlier.totalNs});
    node = all->endOf(node);
  }
  close(0);
  return flame;
}

} // namespace ada::analysis
