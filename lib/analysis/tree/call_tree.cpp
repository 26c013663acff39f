// Finished calls, with repetitions folded.
#include "call_tree.h"

#include <algorithm>
#include <utility>

namespace ada::analysis {

// The longest sequence of calls whose repetition is recognised. Each call that is added nearly always costs one
// comparison per length.
static constexpr size_t kLongestLoop = 12;

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 33);
}

uint32_t CallTree::make(uint32_t function) {
  uint32_t node;
  if (unused_.empty()) {
    node = static_cast<uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    node = unused_.back();
    unused_.pop_back();
    // Reuses the memory of the list of children.
    std::vector<uint32_t> children = std::move(nodes_[node].children);
    children.clear();
    nodes_[node] = CallNode();
    nodes_[node].children = std::move(children);
  }
  nodes_[node].function = function;
  return node;
}

void CallTree::release(uint32_t node) {
  // Not recursive: traces are as deep as the traced program's recursion.
  std::vector<uint32_t> pending = {node};
  while (!pending.empty()) {
    const uint32_t next = pending.back();
    pending.pop_back();
    pending.insert(pending.end(), nodes_[next].children.begin(), nodes_[next].children.end());
    nodes_[next].children.clear();
    unused_.push_back(next);
  }
}

void CallTree::releaseChildren(uint32_t caller) {
  for (const uint32_t node : nodes_[caller].children)
    release(node);
  nodes_[caller].children.clear();
}

uint64_t CallTree::shapeOf(const CallNode &node) const {
  if (node.areInitialisers)
    return mix(CallNode::kLoop, 1);
  uint64_t hash = mix(node.function, static_cast<uint64_t>(node.how));
  hash = mix(hash, node.values);
  if (node.isEarlier) // its line says so, so no other call is the same
    hash = mix(hash, 1);
  // A folded recursion has the same shape however deep it is.
  hash = mix(hash, node.nested > 1);
  for (const uint32_t child : node.children)
    hash = mix(hash, nodes_[child].shape);
  return mix(hash, node.children.size());
}

void CallTree::finish(uint32_t node) {
  if (folds_)
    foldRecursion(node);
  nodes_[node].shape = shapeOf(nodes_[node]);
}

// Adds the times and counts of `from`, which has the same shape, and releases it.
void CallTree::absorb(uint32_t into, uint32_t from) {
  std::vector<std::pair<uint32_t, uint32_t>> pending = {{into, from}};
  while (!pending.empty()) {
    const auto [a, b] = pending.back();
    pending.pop_back();
    CallNode &left = nodes_[a];
    const CallNode &right = nodes_[b];
    left.count += right.count;
    left.calls += right.calls;
    left.totalNs += right.totalNs;
    left.selfNs += right.selfNs;
    left.selfOff += right.selfOff;
    left.ownRecorderNs += right.ownRecorderNs;
    left.nested = std::max(left.nested, right.nested);
    left.textsVary |= right.textsVary || (left.texts && right.texts && left.texts->arguments != right.texts->arguments);
    const size_t children = std::min(left.children.size(), right.children.size());
    for (size_t i = 0; i < children; ++i)
      pending.emplace_back(left.children[i], right.children[i]);
  }
  release(from);
}

// `node` calls its own function once. If the calls before and after that one are the
// same on both levels, the levels become one.
void CallTree::foldRecursion(uint32_t node) {
  CallNode &outer = nodes_[node];
  size_t at = outer.children.size();
  for (size_t i = 0; i < outer.children.size(); ++i)
    if (nodes_[outer.children[i]].function == outer.function) {
      if (at != outer.children.size())
        return;
      at = i;
    }
  if (at == outer.children.size())
    return;
  const uint32_t innerNode = outer.children[at];
  CallNode &inner = nodes_[innerNode];
  if (inner.count != 1 || inner.how != outer.how || inner.values != outer.values ||
      inner.children.size() != outer.children.size())
    return;
  if (inner.nested > 1 ? inner.innerAt != at
                       : nodes_[inner.children[at]].function != outer.function || nodes_[inner.children[at]].count != 1)
    return;
  for (size_t i = 0; i < outer.children.size(); ++i)
    if (i != at && nodes_[outer.children[i]].shape != nodes_[inner.children[i]].shape)
      return;

  outer.nested = inner.nested + 1;
  outer.innerAt = static_cast<uint32_t>(at);
  outer.calls += inner.calls;
  outer.selfOff += inner.selfOff;
  outer.ownRecorderNs += inner.ownRecorderNs;
  outer.selfNs += inner.selfNs; // the total stays the outermost call's
  std::vector<uint32_t> innerChildren = std::move(inner.children);
  inner.children.clear();
  for (size_t i = 0; i < innerChildren.size(); ++i) {
    if (i == at)
      nodes_[node].children[i] = innerChildren[i];
    else
      absorb(nodes_[node].children[i], innerChildren[i]);
  }
  release(innerNode);
}

// The last siblings are another iteration of the loop before them, or another repetition of what that loop ends with.
bool CallTree::foldIntoLoop(uint32_t caller) {
  std::vector<uint32_t> &siblings = nodes_[caller].children; // nothing is made below, so this stays valid
  const size_t size = siblings.size();
  for (size_t length = 1; length <= kLongestLoop && length < size; ++length) {
    const uint32_t *tail = siblings.data() + size - length;
    uint64_t time = 0;
    for (size_t i = 0; i < length; ++i)
      time += nodes_[tail[i]].totalNs;
    // `at` goes from the loop to the last call in it, and on to the last call in that if it is a loop, too.
    std::vector<uint32_t> around;
    for (uint32_t at = siblings[size - 1 - length];;) {
      CallNode &node = nodes_[at];
      if (around.empty() && !node.isLoop())
        break;
      if (length == 1 && node.shape == nodes_[tail[0]].shape) {
        absorb(at, tail[0]);
      } else if (node.isLoop() && node.children.size() == length &&
                 std::equal(tail, tail + length, node.children.begin(),
                            [&](uint32_t a, uint32_t b) { return nodes_[a].shape == nodes_[b].shape; })) {
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
        nodes_[outer].totalNs += time;
      siblings.resize(size - length);
      return true;
    }
  }
  return false;
}

// The last calls repeat the ones before them: they become a loop.
bool CallTree::makeLoop(uint32_t caller) {
  const size_t size = nodes_[caller].children.size();
  for (size_t length = 2; length <= kLongestLoop && 2 * length <= size; ++length) {
    const uint32_t *end = nodes_[caller].children.data() + size;
    if (!std::equal(end - length, end, end - 2 * length,
                    [&](uint32_t a, uint32_t b) { return nodes_[a].shape == nodes_[b].shape; }))
      continue;
    const uint32_t loop = make(CallNode::kLoop); // nodes_ may have moved: `end` is no longer valid
    CallNode &body = nodes_[loop];
    std::vector<uint32_t> &siblings = nodes_[caller].children;
    body.count = 2;
    body.calls = 0;
    for (size_t i = 0; i < length; ++i) {
      const uint32_t first = siblings[size - 2 * length + i];
      absorb(first, siblings[size - length + i]);
      body.totalNs += nodes_[first].totalNs;
      body.children.push_back(first);
    }
    body.shape = shapeOf(body);
    siblings.resize(size - 2 * length);
    siblings.push_back(loop);
    return true;
  }
  return false;
}

// Turns the node into one that stands for any static initialisers. Their callees are not shown, so the times in which
// those did not run become its own.
void CallTree::becomeInitialisers(uint32_t node) {
  if (nodes_[node].areInitialisers)
    return;
  OffCpuTimes off = nodes_[node].selfOff;
  std::vector<uint32_t> pending = nodes_[node].children;
  while (!pending.empty()) {
    const CallNode &below = nodes_[pending.back()];
    pending.pop_back();
    off += below.selfOff;
    pending.insert(pending.end(), below.children.begin(), below.children.end());
  }
  releaseChildren(node);
  CallNode &all = nodes_[node];
  all.selfOff = off;
  all.nested = 1;
  all.values = 0;
  all.texts.reset();
  all.textsVary = false;
  all.areInitialisers = true;
  all.shape = shapeOf(all);
}

// A static initialiser after another one, or after a loop that ends with one.
bool CallTree::foldInitialisers(uint32_t caller, uint32_t node) {
  if (!nodes_[node].isInitialiser)
    return false;
  std::vector<uint32_t> around;
  uint32_t last = nodes_[caller].children.back();
  for (; nodes_[last].isLoop(); last = nodes_[last].children.back())
    around.push_back(last);
  if (!nodes_[last].isInitialiser)
    return false;
  const uint64_t ns = nodes_[node].totalNs;
  becomeInitialisers(last);
  becomeInitialisers(node);
  absorb(last, node);
  for (; !around.empty(); around.pop_back()) {
    CallNode &loop = nodes_[around.back()];
    loop.totalNs += ns;
    loop.shape = shapeOf(loop);
  }
  return true;
}

void CallTree::append(uint32_t caller, uint32_t node) {
  std::vector<uint32_t> &siblings = nodes_[caller].children;
  if (folds_ && !siblings.empty() && nodes_[siblings.back()].shape == nodes_[node].shape &&
      !nodes_[siblings.back()].isLoop()) {
    absorb(siblings.back(), node);
    return;
  }
  if (!folds_ || siblings.empty() || !foldInitialisers(caller, node))
    siblings.push_back(node);
  while (folds_ && (foldIntoLoop(caller) || makeLoop(caller)))
    continue;
}

} // namespace ada::analysis
