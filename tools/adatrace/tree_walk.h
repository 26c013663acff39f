//===- tree_walk.h - one thread's events to the lines of its call tree ----===//
//
// A call's line stands above those of the calls it made, but how long it took is known
// only after them. Finished calls are therefore kept, folded (call_tree.h), until they
// take more memory than they should. Then everything is printed: for the calls that are
// still open a copy of the walker runs ahead in the file to see when they end. What is
// printed is the same in both cases, except that repetitions are not folded across the
// point where that happened.
//
//===----------------------------------------------------------------------===//
#ifndef ADATRACE_TREE_WALK_H
#define ADATRACE_TREE_WALK_H

#include "call_filter.h"
#include "call_tree.h"
#include "call_values.h"
#include "function_names.h"
#include "trace_input.h"
#include "tree_lines.h"

#include <cstddef>

namespace ada::cli {

struct TreeWalkOptions {
  bool fold = true;
  size_t maxNodes = 500000; ///< calls kept before they are printed
};

class TreeWalk {
public:
  TreeWalk(const InputThread &thread, CallFilter filter, FunctionNames &names,
           TreeLines &lines, const TreeWalkOptions &options,
           const CallValues *values = nullptr)
      : thread(thread), filter(std::move(filter)), names(names), lines(lines),
        options(options), values(values), tree(options.fold) {}

  /// Prints the thread's calls; stops early when the limit of lines is reached.
  void run();
  const CallStackWalker &walker() const { return calls; }

private:
  struct Frame {
    bool shown = false, printed = false;
    uint32_t node = 0;  ///< if shown
    uint32_t depth = 0; ///< shown calls around it
    uint32_t parent = 0; ///< frame whose child it is when shown; 0 is the thread
  };
  void begin(uint64_t seq, const atf::IndexEvent &event);
  void end(const Span &span);
  std::vector<uint32_t> &childrenOf(uint32_t frame);
  void print(std::vector<uint32_t> &list, uint32_t depth);
  void printEverything(uint64_t nextSeq);

  const InputThread &thread;
  CallFilter filter;
  FunctionNames &names;
  TreeLines &lines;
  TreeWalkOptions options;
  const CallValues *values; ///< null if they are not shown
  CallTree tree;
  CallStackWalker calls;
  std::vector<Frame> frames; // of the open calls, outermost first
  std::vector<uint32_t> roots;
};

} // namespace ada::cli
#endif // ADATRACE_TREE_WALK_H
