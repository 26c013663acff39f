//===- call_tree.h - finished calls, with repetitions folded --------------===//
//
// Calls are put together from the inside out. When a call is added to the calls that
// its caller has made so far, three things are folded:
//
//   a a a              a ×3                  the same call again
//   a b a b a b        (a b) ×3              the same few calls again
//   a(a(a(a())))       a ×3 nested, a        recursion with the same calls around it
//
// Two calls are "the same" if their functions, their ends and the shape of all they
// called are (and their arguments and results, where those are shown); how often a
// folded call was repeated does not count. So a loop that runs ten times in one call and
// eleven times in the next is still one line. Times and counts
// of what is folded are added up. Memory is that of the folded tree.
//
//===----------------------------------------------------------------------===//
#ifndef ADATRACE_CALL_TREE_H
#define ADATRACE_CALL_TREE_H

#include "ada/trace/calls.h"

#include <cstdint>
#include <vector>

namespace ada::cli {

struct CallNode {
  static constexpr uint32_t kLoop = ~uint32_t(0);

  uint32_t function = 0; ///< its number; kLoop: the children, in turn, `count` times
  SpanEnd how = SpanEnd::Return;
  uint32_t nested = 1; ///< levels of recursion that are folded into this call, at most
  uint32_t innerAt = 0; ///< if nested: which child is the innermost level
  uint64_t count = 1; ///< how often it comes in a row
  uint64_t calls = 1; ///< calls it stands for, with nested ones
  uint64_t totalNs = 0, selfNs = 0;
  uint64_t beginSeq = 0, endSeq = 0; ///< the events of the first of them
  uint64_t values = 0; ///< equal for calls with the same arguments and result, if shown
  uint64_t shape = 0; ///< equal for calls that are "the same"
  std::vector<uint32_t> children;

  bool isLoop() const { return function == kLoop; }
};

class CallTree {
public:
  explicit CallTree(bool folds) : folds(folds) {}

  /// A new call without children; the reference is good until the next one is made.
  uint32_t make(uint32_t function);
  CallNode &operator[](uint32_t node) { return nodes[node]; }
  const CallNode &operator[](uint32_t node) const { return nodes[node]; }

  /// The call has ended and all its children are there.
  void finish(uint32_t node, const Span &span);
  /// Adds a finished call to a list of siblings, folding it into them if it can.
  void append(std::vector<uint32_t> &siblings, uint32_t node);
  /// Gives a call and all below it back.
  void release(uint32_t node);
  void release(std::vector<uint32_t> &list);

  /// Calls that are held at the moment.
  size_t size() const { return nodes.size() - unused.size(); }

private:
  void foldRecursion(uint32_t node);
  bool foldIntoLoop(std::vector<uint32_t> &siblings);
  bool makeLoop(std::vector<uint32_t> &siblings);
  void absorb(uint32_t into, uint32_t from);
  uint64_t shapeOf(const CallNode &node) const;

  bool folds;
  std::vector<CallNode> nodes;
  std::vector<uint32_t> unused;
};

} // namespace ada::cli
#endif // ADATRACE_CALL_TREE_H
