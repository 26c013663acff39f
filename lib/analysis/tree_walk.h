// One thread's events to the lines of its call tree.
//
// A call's line stands above those of the calls it made, but how long it took is known
// only after them. Finished calls are therefore kept, folded (call_tree.h), until they
// take more memory than they should. Then everything is printed: for the calls that are
// still open a copy of the walker runs ahead in the trace to see when they end. What is
// printed is the same in both cases, except that repetitions are not folded across the
// point where that happened.
#ifndef ADA_LIB_ANALYSIS_TREE_WALK_H
#define ADA_LIB_ANALYSIS_TREE_WALK_H

#include "call_tree.h"
#include "thread_calls.h"

#include <cstddef>
#include <optional>

namespace ada::analysis {

struct TreeWalkOptions {
  bool fold = true;
  /// Static initialisers next to each other become one line (CallNode::areInitialisers), unless functions are chosen
  /// by name.
  bool foldInitialisers = false;
  bool values = false;      ///< arguments and results: calls fold only if these agree
  size_t maxNodes = 500000; ///< calls kept before they are printed
};

/// Receives the lines of the trees.
class TreeOutput {
public:
  virtual ~TreeOutput();
  /// The lines that follow are this thread's.
  virtual void beginThread(uint32_t thread) = 0;
  /// A call or loop; `depth` calls are around it. CallNode::function is the function's number in the trace. False:
  /// no more lines are wanted.
  virtual bool line(const CallNode &node, uint32_t depth) = 0;
};

/// What was odd in the threads that were walked.
struct TreeFlaws {
  uint64_t strayExits = 0;
};

/// Writes the calls of the given threads, which `table` must hold already, one thread after the other.
Expected<TreeFlaws> walkTrees(model::TraceSource &source, TraceTable &table, const std::vector<uint32_t> &threads,
                              const FilterOptions &filter, const TreeWalkOptions &options, TreeOutput &output);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_TREE_WALK_H
