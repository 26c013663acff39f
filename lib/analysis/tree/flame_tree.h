// Call paths as a flame graph shows them, from one session or two: the largest ones, with the others added up.
#pragma once

#include "trace/path_tree.h"

#include <cstdint>
#include <vector>

namespace ada::analysis {

struct FlameNode {
  /// PathTree::kRest: paths that did not fit, there or here. PathTree::kRecorder: time of the recorder, not of a call.
  uint32_t function = PathTree::kRest;
  uint32_t depth = 0;          ///< 0 for outermost calls
  uint64_t paths = 1;          ///< number of paths that it stands for
  FunctionSum figures, before; ///< `before` is the other session's
};

struct FlameTree {
  /// A call comes before the calls that it made, the largest first.
  std::vector<FlameNode> nodes;
  /// Sums over all paths, from functionSums().
  std::vector<FunctionSum> sums, sumsBefore;
  FunctionSum whole, wholeBefore; ///< calls: all of them; times: those of outermost calls
};

/// The trees must be sorted and use the same function numbers, all less than `functions`. Keeps the `most` paths with
/// the largest totals, both sessions added up, and adds up what was left out of each caller.
FlameTree makeFlameTree(const PathTree &tree, const PathTree *before, size_t functions, size_t most);

} // namespace ada::analysis
