// Finished calls, with repetitions folded.
//
// Calls are put together from the inside out. When a call is added to the calls that
// its caller has made so far, three things are folded:
//
//   a a a              a ×3                  the same call again
//   a b a b a b        (a b) ×3              the same few calls again
//   a(a(a(a())))       a ×3 nested, a        recursion with the same calls around it
//
// Adjacent static initialisers become one node without children, whatever their names and the calls they make: a
// program has one for nearly every source file, and all run before main.
//
// Two calls are "the same" if they have the same function, the same kind of end and the same shape of everything they
// called (and the same arguments and results, where those are shown). How often a folded call was repeated does not
// count. So a loop that runs ten times in one call and eleven times in the next is still one line. Times and counts of
// folded calls are added up. Memory is that of the folded tree.
#pragma once

#include "ada/trace/calls.h"
#include "ada/trace/off_cpu.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ada::analysis {

/// A call's arguments and result; empty where not known.
struct CallTexts {
  std::string arguments, result;
};

struct CallNode {
  static constexpr uint32_t kLoop = ~uint32_t(0);

  uint32_t function = 0; ///< its number; kLoop: the children, in turn, `count` times
  SpanEnd how = SpanEnd::Return;
  uint32_t nested = 1;  ///< most levels of recursion folded into this call
  uint32_t innerAt = 0; ///< if nested: which child is the innermost level
  uint64_t count = 1;   ///< how often it was made in a row
  uint64_t calls = 1;   ///< calls it stands for, nested ones included
  uint64_t totalNs = 0, selfNs = 0;
  OffCpuTimes selfOff; ///< time not running, outside the shown calls that it made
  /// The recorder's part of selfOff, outside all calls that it made. `selfNs` does not include it.
  uint64_t ownRecorderNs = 0;
  uint64_t beginNs = 0;             ///< of the first call
  bool isEarlier = false;           ///< it began before the trace did; see Span
  uint64_t values = 0;              ///< equal for calls with the same arguments and result, if shown
  uint64_t shape = 0;               ///< equal for calls that are "the same"
  std::unique_ptr<CallTexts> texts; ///< of the first call, if shown
  bool textsVary = false;           ///< the other calls have other texts
  bool isInitialiser = false;       ///< a static initialiser; folded with adjacent ones
  bool areInitialisers = false;     ///< several of them; `function` is the first one's
  std::vector<uint32_t> children;

  bool isLoop() const { return function == kLoop; }
};

/// Owns the calls. A call, and with it the list of its children, is passed by number only: make() invalidates
/// references into the tree, so no function takes or keeps one across it.
class CallTree {
public:
  /// The thread itself: its children are the outermost calls.
  static constexpr uint32_t kRoot = 0;

  explicit CallTree(bool folds) : folds_(folds), nodes_(1) {}

  /// A new call without children.
  uint32_t make(uint32_t function);
  /// The reference is valid until the next make() or append().
  CallNode &operator[](uint32_t node) { return nodes_[node]; }
  const CallNode &operator[](uint32_t node) const { return nodes_[node]; }

  /// The call has ended: its kind of end, times, values and all its children are set.
  void finish(uint32_t node);
  /// Adds a finished call to the children of `caller`, folding it into them if it can.
  void append(uint32_t caller, uint32_t node);
  /// Frees a call and everything below it. It stays in its caller's list.
  void release(uint32_t node);
  void releaseChildren(uint32_t caller);

  /// Number of calls currently held.
  size_t size() const { return nodes_.size() - unused_.size() - 1; }

private:
  void foldRecursion(uint32_t node);
  bool foldIntoLoop(uint32_t caller);
  bool makeLoop(uint32_t caller);
  bool foldInitialisers(uint32_t caller, uint32_t node);
  void becomeInitialisers(uint32_t node);
  void absorb(uint32_t into, uint32_t from);
  uint64_t shapeOf(const CallNode &node) const;

  bool folds_;
  std::vector<CallNode> nodes_;
  std::vector<uint32_t> unused_;
};

} // namespace ada::analysis
