//===- call_tree.cpp - finished calls, with repetitions folded ------------===//
#include "call_tree.h"

#include <algorithm>
#include <utility>

namespace ada::cli {

// The longest run of calls that is recognised when it repeats. Each call that is added
// costs one comparison for each length, nearly always.
static constexpr size_t kLongestLoop = 12;

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 33);
}

uint32_t CallTree::make(uint32_t function) {
  uint32_t node;
  if (unused.empty()) {
    node = static_cast<uint32_t>(nodes.size());
    nodes.emplace_back();
  } else {
    node = unused.back();
    unused.pop_back();
    // Keeps the memory of the list of children.
    std::vector<uint32_t> children = std::move(nodes[node].children);
    children.clear();
    nodes[node] = CallNode();
    nodes[node].children = std::move(children);
  }
  nodes[node].function = function;
  return node;
}

void CallTree::release(uint32_t node) {
  // Not recursive: traces are as deep as the traced program's recursion.
  std::vector<uint32_t> pending = {node};
  while (!pending.empty()) {
    const uint32_t next = pending.back();
    pending.pop_back();
    pending.insert(pending.end(), nodes[next].children.begin(),
                   nodes[next].children.end());
    nodes[next].children.clear();
    unused.push_back(next);
  }
}

void CallTree::release(std::vector<uint32_t> &list) {
  for (const uint32_t node : list)
    release(node);
  list.clear();
}

uint64_t CallTree::shapeOf(const CallNode &node) const {
  uint64_t hash = mix(node.function, static_cast<uint64_t>(node.how));
  hash = mix(hash, node.values);
  // A folded recursion has the same shape however deep it is.
  hash = mix(hash, node.nested > 1);
  for (const uint32_t child : node.children)
    hash = mix(hash, nodes[child].shape);
  return mix(hash, node.children.size());
}

void CallTree::finish(uint32_t node, const Span &span) {
  CallNode &call = nodes[node];
  call.how = span.how;
  call.totalNs = span.durationNs();
  call.selfNs = span.selfNs();
  if (folds)
    foldRecursion(node);
  nodes[node].shape = shapeOf(nodes[node]);
}

// Adds the times and counts of `from`, which has the same shape, and releases it.
void CallTree::absorb(uint32_t into, uint32_t from) {
  std::vector<std::pair<uint32_t, uint32_t>> pending = {{into, from}};
  while (!pending.empty()) {
    const auto [a, b] = pending.back();
    pending.pop_back();
    CallNode &left = nodes[a];
    const CallNode &right = nodes[b];
    left.count += right.count;
    left.calls += right.calls;
    left.totalNs += right.totalNs;
    left.selfNs += right.selfNs;
    left.nested = std::max(left.nested, right.nested);
    const size_t children = std::min(left.children.size(), right.children.size());
    for (size_t i = 0; i < children; ++i)
      pending.emplace_back(left.children[i], right.children[i]);
  }
  release(from);
}

// `node` calls its own function once. If the calls before and after that one are the
// same on both levels, the levels become one.
void CallTree::foldRecursion(uint32_t node) {
  CallNode &outer = nodes[node];
  size_t at = outer.children.size();
  for (size_t i = 0; i < outer.children.size(); ++i)
    if (nodes[outer.children[i]].function == outer.function) {
      if (at != outer.children.size())
        return;
      at = i;
    }
  if (at == outer.children.size())
    return;
  const uint32_t innerNode = outer.children[at];
  CallNode &inner = nodes[innerNode];
  if (inner.count != 1 || inner.how != outer.how || inner.values != outer.values ||
      inner.children.size() != outer.children.size())
    return;
  if (inner.nested > 1 ? inner.innerAt != at
                       : nodes[inner.children[at]].function != outer.function ||
                             nodes[inner.children[at]].count != 1)
    return;
  for (size_t i = 0; i < outer.children.size(); ++i)
    if (i != at &&
        nodes[outer.children[i]].shape != nodes[inner.children[i]].shape)
      return;

  outer.nested = inner.nested + 1;
  outer.innerAt = static_cast<uint32_t>(at);
  outer.calls += inner.calls;
  outer.selfNs += inner.selfNs; // the total is the outermost call's
  std::vector<uint32_t> innerChildren = std::move(inner.children);
  inner.children.clear();
  for (size_t i = 0; i < innerChildren.size(); ++i) {
    if (i == at)
      nodes[node].children[i] = innerChildren[i];
    else
      absorb(nodes[node].children[i], innerChildren[i]);
  }
  release(innerNode);
}

// The last siblings are one more run through the loop before them, or one more
// repetition of what that loop ends with.
bool CallTree::foldIntoLoop(std::vector<uint32_t> &siblings) {
  const size_t size = siblings.size();
  for (size_t length = 1; length <= kLongestLoop && length < size; ++length) {
    const uint32_t *tail = siblings.data() + size - length;
    uint64_t time = 0;
    for (size_t i = 0; i < length; ++i)
      time += nodes[tail[i]].totalNs;
    // `at` goes from the loop to the last call in it, and to the last one in that if
    // it is a loop too.
    std::vector<uint32_t> around;
    for (uint32_t at = siblings[size - 1 - length];;) {
      CallNode &node = nodes[at];
      if (around.empty() && !node.isLoop())
        break;
      if (length == 1 && node.shape == nodes[tail[0]].shape) {
        absorb(at, tail[0]);
      } else if (node.isLoop() && node.children.size() == length &&
                 std::equal(tail, tail + length, node.children.begin(),
                            [&](uint32_t a, uint32_t b) {
                              return nodes[a].shape == nodes[b].shape;
                            })) {
        ++node.count;
        node.totalNs += time;
        for (size_t i = 0; i < length; ++i)
          absorb(node.children[i], tail[i]);
      } else if (node.isLoop()) {
        around.push_back(at);
        at = node.children.back();
        continue;
      } else {
        break;
      }
      for (const uint32_t outer : around)
        nodes[outer].totalNs += time;
      siblings.resize(size - length);
      return true;
    }
  }
  return false;
}

// The last calls are the ones before them again: they become a loop.
bool CallTree::makeLoop(std::vector<uint32_t> &siblings) {
  const size_t size = siblings.size();
  for (size_t length = 2; length <= kLongestLoop && 2 * length <= size; ++length) {
    bool same = true;
    for (size_t i = 1; i <= length && same; ++i)
      same = nodes[siblings[size - i]].shape ==
             nodes[siblings[size - length - i]].shape;
    if (!same)
      continue;
    const uint32_t loop = make(CallNode::kLoop);
    nodes[loop].count = 2;
    nodes[loop].calls = 0;
    for (size_t i = 0; i < length; ++i) {
      const uint32_t first = siblings[size - 2 * length + i];
      absorb(first, siblings[size - length + i]);
      nodes[loop].totalNs += nodes[first].totalNs;
      nodes[loop].children.push_back(first);
    }
    nodes[loop].shape = shapeOf(nodes[loop]);
    siblings.resize(size - 2 * length);
    siblings.push_back(loop);
    return true;
  }
  return false;
}

void CallTree::append(std::vector<uint32_t> &siblings, uint32_t node) {
  if (!folds) {
    siblings.push_back(node);
    return;
  }
  if (!siblings.empty() && nodes[siblings.back()].shape == nodes[node].shape &&
      !nodes[siblings.back()].isLoop()) {
    absorb(siblings.back(), node);
    return;
  }
  siblings.push_back(node);
  while (foldIntoLoop(siblings) || makeLoop(siblings))
    continue;
}

} // namespace ada::cli
