// Call paths as a flame graph shows them: of one session or two, the largest only, the others added up.
#ifndef ADA_LIB_ANALYSIS_FLAME_TREE_H
#define ADA_LIB_ANALYSIS_FLAME_TREE_H

#include "model/path_tree.h"

#include <cstdint>
#include <vector>

namespace ada::analysis {

struct FlameNode {
  /// PathTree::kRest: paths that did not fit, there or here. PathTree::kRecorder: no call's own time.
  std::uint32_t function = PathTree::kRest;
  std::uint32_t depth = 0;     ///< of the outermost calls: 0
  std::uint64_t paths = 1;     ///< how many it stands for
  FunctionSum figures, before; ///< `before` is the other session's
};

struct FlameTree {
  /// A call before those that it made, the largest first.
  std::vector<FlameNode> nodes;
  /// Of all paths, as functionSums() has them.
  std::vector<FunctionSum> sums, sumsBefore;
  FunctionSum whole, wholeBefore; ///< calls: all of them; times: those of outermost calls
};

/// Functions of the sorted trees have the same numbers, less than `functions`. Keeps the `most` paths that took
/// longest, in whichever of the two, and adds up what was left out of each caller.
FlameTree makeFlameTree(const PathTree &tree, const PathTree *before, std::size_t functions, std::size_t most);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_FLAME_TREE_H
