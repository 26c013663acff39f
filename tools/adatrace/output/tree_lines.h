// Prints the lines of a call tree.
#pragma once

#include "function_names.h"
#include "input/trace_input.h"
#include "table_writer.h"

#include "analysis/processes/process_kinds.h"
#include "analysis/tree/tree_walk.h"

#include <cstdint>
#include <string>

namespace ada::cli {

struct TreeLineOptions {
  uint64_t limit = ~uint64_t(0); ///< most lines to print
  NameOptions names;
  bool begin = false;      ///< show when each call began
  bool isFollowed = false; ///< the threads are not complete
  TableOptions table;
  /// If not null: the threads are those of the longest process of each kind.
  const analysis::ProcessKinds *kinds = nullptr;
};

/// Prints a limited number of lines, and remembers whether there were more.
class TreeLines : public analysis::TreeOutput {
public:
  TreeLines(Output &out, const TraceInput &input, const TreeLineOptions &options)
      : out_(out), input_(input), options_(options), names_(input.table().functions, options.names.style) {}

  void beginThread(uint32_t thread) final {
    thread_ = thread;
    ++threads_;
    hasHeading_ = false;
  }
  bool line(const analysis::CallNode &node, uint32_t depth) final {
    if (lines_ == options_.limit) {
      cut_ = true;
      return false;
    }
    print(node, depth);
    ++lines_;
    return true;
  }

  /// Call after the last line.
  virtual void finish() {}

  uint64_t printed() const { return lines_; }
  /// Number of threads that were begun.
  size_t threads() const { return threads_; }
  /// True if a line was not printed because of the limit.
  bool wasCut() const { return cut_; }
  /// True if a line stands for several static initialisers.
  bool hasInitialisers() const { return hasInitialisers_; }

protected:
  virtual void print(const analysis::CallNode &node, uint32_t depth) = 0;

  Output &out_;
  const TraceInput &input_;
  const TreeLineOptions &options_;
  FunctionNames names_;
  uint64_t lines_ = 0;
  uint32_t thread_ = 0;
  bool hasHeading_ = false; // of the current thread
  bool hasInitialisers_ = false;

private:
  size_t threads_ = 0;
  bool cut_ = false;
};

/// Text without --columns. It is not a table: it puts together lines of many millions as fast as it can.
class TreeText : public TreeLines {
public:
  TreeText(Output &out, const TraceInput &input, const TreeLineOptions &options, const Palette &palette)
      : TreeLines(out, input, options), palette_(palette) {}

private:
  void print(const analysis::CallNode &node, uint32_t depth) override;
  void printHeading();

  const Palette &palette_;
};

/// Prints a row per line of the tree, in any format.
class TreeRows : public TreeLines {
public:
  TreeRows(Output &out, const TraceInput &input, const TreeLineOptions &options, const Palette &palette);
  void finish() override { rows_.finish(); }

private:
  void print(const analysis::CallNode &node, uint32_t depth) override;

  TableWriter rows_;
};

} // namespace ada::cli
