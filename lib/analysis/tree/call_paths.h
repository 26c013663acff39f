// The call paths of a trace, summed over all its threads, or per process or thread.
#pragma once

#include "analysis/calls/call_filter.h"
#include "analysis/calls/thread_workers.h"
#include "trace/path_tree.h"

#include <optional>
#include <vector>

namespace ada::analysis {

enum class PathsBy {
  Trace,   ///< one tree for the whole trace; functions of different processes are the same if name, file and line are
  Process, ///< one tree per process
  Thread,
};

struct CallPathsOptions {
  FilterOptions filter;
  PathsBy by = PathsBy::Trace;
  size_t mostNodes = 1'000'000; ///< per tree; with PathsBy::Thread for all trees together
};

/// One tree, sorted.
struct CallPathGroup {
  std::optional<uint32_t> process, thread; ///< numbers; `by` decides which are set
  PathTree tree;
};

struct CallPaths {
  std::vector<CallPathGroup> groups; ///< sorted by number; those without calls are left out
  /// All functions with events, sorted by name. PathTree::Node::function is an index into this list.
  std::vector<model::Function> functions;
  uint64_t strayExits = 0, missingExits = 0;
  Damage damage;
};

/// Reads the given threads, several at a time. `table` must hold them already.
Expected<CallPaths> readCallPaths(const Trace &trace, const CallPathsOptions &options);

} // namespace ada::analysis
