// Turns one thread's events into the lines of its call tree.
//
// A call's line stands above those of the calls it made, but its duration is known only after them. Finished calls are
// therefore kept, folded (call_tree.h), until there are too many of them. Then everything is printed; for calls that
// are still open, a copy of the walker reads ahead in the trace to see when they end. The output is the same in both
// cases, except that repetitions are not folded across that point.
#pragma once

#include "analysis/calls/call_reader.h"
#include "call_tree.h"

#include <cstddef>
#include <optional>

namespace ada::analysis {

struct TreeWalkOptions {
  bool fold = true;
  /// Adjacent static initialisers become one line (CallNode::areInitialisers), unless functions are chosen by name.
  bool foldInitialisers = false;
  bool values = false;      ///< arguments and results: calls fold only if these are the same
  size_t maxNodes = 500000; ///< calls kept before they are printed
};

/// Receives the lines of the trees.
class TreeOutput {
public:
  virtual ~TreeOutput();
  /// The lines that follow belong to this thread.
  virtual void beginThread(uint32_t thread) = 0;
  /// A call or loop; `depth` is the number of calls around it. CallNode::function is the function's number in the
  /// trace. Returns false to stop.
  virtual bool line(const CallNode &node, uint32_t depth) = 0;
};

/// Oddities in the threads that were walked.
struct TreeFlaws {
  uint64_t strayExits = 0;
};

/// Writes the calls of the given threads, which `table` must hold already, one thread after the other.
Expected<TreeFlaws> walkTrees(const Trace &trace, const FilterOptions &filter, const TreeWalkOptions &options,
                              TreeOutput &output);

} // namespace ada::analysis
