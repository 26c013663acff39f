// The columns of call trees.
#pragma once

#include "analysis/events/function_names.h"
#include "tree_walk.h"

namespace ada::analysis {

/// A line of a tree, and what its columns need.
struct TreeLine {
  const CallNode *node;
  uint32_t depth, threadNumber;
  const TraceTable *trace;
  FunctionNames *names;
  uint64_t originNs; ///< text counts times from there
  uint64_t endNs;    ///< the last event of the trace

  const model::Thread &thread() const { return trace->threads[threadNumber]; }
  SymbolKind kind() const { return node->isLoop() ? SymbolKind::Function : trace->functions[node->function].kind; }
  std::string name() const { return node->isLoop() ? std::string() : names->name(node->function); }
  /// How long a call that never ended has been open.
  uint64_t openNs() const { return endNs > node->beginNs ? endNs - node->beginNs : 0; }
  Value unlessLoop(uint64_t number) const { return knownIf(!node->isLoop(), number); }
  Value ifSched(uint64_t ns) const { return knownIf(!node->isLoop() && thread().knowsSched(), ns); }
};

Columns<TreeLine> treeColumns();

} // namespace ada::analysis
