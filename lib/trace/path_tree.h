// Adds up calls by path: one node per function and path to it, however often the program went there.
//
//   PathTree tree;
//   uint32_t at = tree.child(PathTree::kRoot, main);
//   at = tree.child(at, parse);
//   tree.add(at, span);                    // when the call has ended
//   tree.sort();
//   for (uint32_t node = 1; node < tree.size(); ++node)
//     print(tree.depth(node), tree[node].function, tree[node].totalNs);
//
// Memory is bounded by the number of nodes: when the limit is reached, calls with a new path are counted in one node
// per caller, kRest, and so are the calls that these make.
#pragma once

#include "ada/trace/calls.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ada {

class PathTree {
public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNone = ~uint32_t{0};
  /// Node::function of the root.
  static constexpr uint32_t kNoFunction = kNone;
  /// Node::function of the calls that did not fit.
  static constexpr uint32_t kRest = kNone - 1;
  /// Node::function of the time in which the recorder held up calls of the node above: `calls` is how many of them.
  static constexpr uint32_t kRecorder = kNone - 2;
  /// Whether a Node::function is the number of a function.
  static constexpr bool isFunction(uint32_t function) { return function < kRecorder; }

  struct Node {
    uint32_t parent = kRoot;
    uint32_t function = kNoFunction;
    uint32_t lastChild = kNone; ///< the child that child() found or made last
    uint32_t depth = 0;         ///< the root's is 0, the outermost calls' 1
    uint64_t calls = 0;
    uint64_t totalNs = 0; ///< between entry and exit
    uint64_t selfNs = 0;  ///< the part of that outside of the nodes below
  };

  explicit PathTree(size_t mostNodes = 1'000'000) : mostNodes_(mostNodes), nodes_(1) {}

  /// The node of `function` called at `parent`.
  uint32_t child(uint32_t parent, uint32_t function) {
    const uint32_t last = nodes_[parent].lastChild;
    if (last != kNone && nodes_[last].function == function)
      return last;
    return nodes_[parent].lastChild = findOrMake(parent, function);
  }
  /// The same if there is one; kNone if not.
  uint32_t find(uint32_t parent, uint32_t function) const {
    return table_.empty() ? kNone : table_[slotOf(parent, function)];
  }
  /// A call has ended. In kRest calls may be inside one another: then only the outermost has a total.
  void add(uint32_t node, const Span &span, bool isOutermost = true) {
    Node &entry = nodes_[node];
    ++entry.calls;
    entry.totalNs += isOutermost ? span.durationNs() : 0;
    entry.selfNs += span.selfNs();
    if (span.recorderNs > 0)
      addRecorder(node, 1, span.recorderNs);
  }
  /// The same for figures of any number of calls.
  void addSum(uint32_t node, uint64_t calls, uint64_t totalNs, uint64_t selfNs) {
    Node &entry = nodes_[node];
    entry.calls += calls;
    entry.totalNs += totalNs;
    entry.selfNs += selfNs;
  }
  /// The recorder's time in `calls` of the node's calls. It is not part of their selfNs.
  void addRecorder(uint32_t node, uint64_t calls, uint64_t ns) { addSum(findOrMake(node, kRecorder), calls, ns, ns); }
  /// Adds all of another tree, whose function n is functions[n] here.
  void merge(const PathTree &other, std::span<const uint32_t> functions);

  /// Puts nodes into the order of a walk: a call before the calls that it made, and among these the largest total
  /// first, then the most calls, then by function. Removes nodes that nothing was added to.
  /// The numbers of nodes change; totals of the root are those of the outermost calls.
  void sort();

  size_t size() const { return nodes_.size(); }
  const Node &operator[](uint32_t node) const { return nodes_[node]; }
  uint32_t depth(uint32_t node) const { return nodes_[node].depth; }
  /// After sort(): the first node after `node` and everything below it.
  uint32_t endOf(uint32_t node) const { return ends_[node]; }
  /// Some path did not fit.
  bool isCut() const { return isCut_; }

private:
  uint32_t findOrMake(uint32_t parent, uint32_t function);
  void growTable();
  size_t slotOf(uint32_t parent, uint32_t function) const;

  size_t mostNodes_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> table_; // open addressing over (parent, function); kNone is free
  std::vector<uint32_t> ends_;  // by node, after sort()
  bool isCut_ = false;
};

/// Where one thread is in a tree while its calls begin and end.
class PathWalk {
public:
  void enter(PathTree &tree, uint32_t function) {
    const uint32_t around = node(), node = tree.child(around, function);
    open_.push_back({node, node == around});
  }
  /// A call that has no node of its own: the calls it makes count as made by the call around it.
  void enterHidden() { open_.push_back({node(), false}); }
  /// The innermost call has ended. Without `counts` it is added to nothing.
  void leave(PathTree &tree, const Span &span, bool counts = true) {
    if (counts)
      tree.add(open_.back().node, span, !open_.back().isInside);
    open_.pop_back();
  }

private:
  struct Place {
    uint32_t node;
    bool isInside; // PathTree::kRest in itself
  };
  uint32_t node() const { return open_.empty() ? PathTree::kRoot : open_.back().node; }
  std::vector<Place> open_;
};

/// The cost of a function over all paths of a sorted tree; of recursive calls, only the outermost count in the total.
struct FunctionSum {
  uint64_t calls = 0, totalNs = 0, selfNs = 0;
};
/// By the number of the function, followed by those of PathTree::kRest and kRecorder.
std::vector<FunctionSum> functionSums(const PathTree &tree, size_t functions);

} // namespace ada
