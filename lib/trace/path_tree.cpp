// Adds up calls by path.
#include "path_tree.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ada {

size_t PathTree::slotOf(uint32_t parent, uint32_t function) const {
  const uint64_t key = (uint64_t{parent} << 32 | function) * 0x9e3779b97f4a7c15u;
  size_t slot = (key ^ key >> 29) & (table_.size() - 1);
  while (table_[slot] != kNone && (nodes_[table_[slot]].parent != parent || nodes_[table_[slot]].function != function))
    slot = (slot + 1) & (table_.size() - 1);
  return slot;
}

void PathTree::growTable() {
  size_t slots = 64; // a power of two, with more than half of them free: sort() begins with none at all
  while (slots <= nodes_.size() * 2)
    slots *= 2;
  table_.assign(slots, kNone);
  for (uint32_t node = 1; node < nodes_.size(); ++node)
    table_[slotOf(nodes_[node].parent, nodes_[node].function)] = node;
}

uint32_t PathTree::findOrMake(uint32_t parent, uint32_t function) {
  if (nodes_[parent].function == kRest && function != kRecorder)
    return parent;
  if (nodes_.size() * 2 >= table_.size())
    growTable();
  size_t slot = slotOf(parent, function);
  if (table_[slot] != kNone)
    return table_[slot];
  if (nodes_.size() > mostNodes_ && isFunction(function)) {
    isCut_ = true;
    return findOrMake(parent, kRest);
  }
  const auto made = static_cast<uint32_t>(nodes_.size());
  nodes_.push_back({.parent = parent, .function = function, .depth = nodes_[parent].depth + 1});
  return table_[slot] = made;
}

void PathTree::merge(const PathTree &other, std::span<const uint32_t> functions) {
  isCut_ |= other.isCut_;
  std::vector<uint32_t> mine(other.nodes_.size(), kRoot);
  for (uint32_t node = 1; node < other.nodes_.size(); ++node) { // a parent comes before its children
    const Node &from = other.nodes_[node];
    const uint32_t parent = mine[from.parent];
    mine[node] = child(parent, isFunction(from.function) ? functions[from.function] : from.function);
    Node &into = nodes_[mine[node]];
    into.calls += from.calls;
    into.totalNs += mine[node] == parent ? 0 : from.totalNs;
    into.selfNs += from.selfNs;
  }
}

void PathTree::sort() {
  // Calls of a node or below it: if there are none, nothing was added.
  std::vector<uint64_t> calls(nodes_.size());
  std::vector<uint32_t> order; // children of one parent side by side
  for (auto node = static_cast<uint32_t>(nodes_.size()); --node > 0;) {
    calls[node] += nodes_[node].calls;
    calls[nodes_[node].parent] += calls[node];
    if (calls[node])
      order.push_back(node);
  }
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    const auto key = [&](uint32_t node) {
      const Node &n = nodes_[node];
      return std::tuple(n.parent, ~n.totalNs, ~n.calls, n.function);
    };
    return key(a) < key(b);
  });
  std::vector<uint32_t> first(nodes_.size() + 1, 0); // of the children of each node, in `order`
  for (const uint32_t node : order)
    ++first[nodes_[node].parent + 1];
  for (size_t i = 1; i < first.size(); ++i)
    first[i] += first[i - 1];

  std::vector<Node> sorted(1);
  std::vector<std::pair<uint32_t, uint32_t>> pending; // a node, and its parent's new number
  const auto addChildren = [&](uint32_t node, uint32_t number) {
    for (uint32_t i = first[node + 1]; i > first[node]; --i)
      pending.emplace_back(order[i - 1], number);
  };
  addChildren(kRoot, kRoot);
  while (!pending.empty()) {
    const auto [node, parent] = pending.back();
    pending.pop_back();
    const auto number = static_cast<uint32_t>(sorted.size());
    sorted.push_back(nodes_[node]);
    sorted.back().parent = parent;
    sorted.back().lastChild = kNone;
    if (parent == kRoot)
      sorted[kRoot].totalNs += nodes_[node].totalNs;
    addChildren(node, number);
  }
  nodes_ = std::move(sorted);
  table_.clear();
  ends_.assign(nodes_.size(), 0);
  for (auto node = static_cast<uint32_t>(nodes_.size()); node-- > 0;) {
    ends_[node] = std::max(ends_[node], node + 1);
    if (node)
      ends_[nodes_[node].parent] = std::max(ends_[nodes_[node].parent], ends_[node]);
  }
  growTable();
}

std::vector<FunctionSum> functionSums(const PathTree &tree, size_t functions) {
  std::vector<FunctionSum> sums(functions + 2);
  std::vector<uint32_t> open(sums.size()); // calls of each function on the path
  std::vector<uint32_t> path;
  const auto indexOf = [&](uint32_t node) {
    const uint32_t function = tree[node].function;
    return PathTree::isFunction(function) ? function : functions + (function == PathTree::kRecorder);
  };
  for (uint32_t node = 1; node < tree.size(); ++node) {
    for (; path.size() >= tree.depth(node); path.pop_back())
      --open[indexOf(path.back())];
    FunctionSum &sum = sums[indexOf(node)];
    sum.calls += tree[node].calls;
    sum.selfNs += tree[node].selfNs;
    sum.totalNs += open[indexOf(node)]++ == 0 ? tree[node].totalNs : 0;
    path.push_back(node);
  }
  return sums;
}

} // namespace ada
