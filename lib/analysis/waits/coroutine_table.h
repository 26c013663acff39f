// The columns of tables about coroutines.
#pragma once

#include "coroutine_tree.h"
#include "wait_table.h"

#include <string>

namespace ada::analysis {

/// A line of the folded tree.
struct CoroutineNodeLine {
  const CoroutineNode *node;
  const NamedTrace *trace;
};
Columns<CoroutineNodeLine> coroutineNodeColumns();

/// A single coroutine.
struct CoroutineLine {
  uint32_t number;
  const Coroutines *coroutines;
  const NamedTrace *trace;
  uint64_t originNs; ///< text counts times from there

  const Coroutine &one() const { return coroutines->all[number]; }
};
Columns<CoroutineLine> coroutineColumns();

/// The function's name without the ".resume" of a coroutine whose creation was not recorded.
std::string coroutineName(const NamedTrace &trace, uint32_t function);

} // namespace ada::analysis
