// The call paths of a trace, added up over its threads, or for each process or thread by itself.
#ifndef ADA_LIB_ANALYSIS_CALL_PATHS_H
#define ADA_LIB_ANALYSIS_CALL_PATHS_H

#include "call_filter.h"
#include "model/path_tree.h"
#include "thread_workers.h"

#include <optional>
#include <vector>

namespace ada::analysis {

enum class PathsBy {
  Trace,   ///< one tree of all; functions of several processes are the same if name, file and line are
  Process, ///< one tree for each
  Thread,
};

struct CallPathsOptions {
  FilterOptions filter;
  PathsBy by = PathsBy::Trace;
  size_t mostNodes = 1'000'000; ///< of each tree; of all together by PathsBy::Thread
};

/// One tree, sorted.
struct CallPathGroup {
  std::optional<uint32_t> process, thread; ///< by number, as `by` says
  PathTree tree;
};

struct CallPaths {
  std::vector<CallPathGroup> groups; ///< by number; none without calls
  /// All that there were events of, in the order of their names. PathTree::Node::function points into it.
  std::vector<model::Function> functions;
  uint64_t strayExits = 0, missingExits = 0;
  Damage damage;
};

/// Reads the given threads, several at a time. `table` must hold them already.
Expected<CallPaths> readCallPaths(model::TraceSource &source, const TraceTable &table,
                                  const std::vector<uint32_t> &threads, const CallPathsOptions &options);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_CALL_PATHS_H
