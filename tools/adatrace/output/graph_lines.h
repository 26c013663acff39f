// Prints call paths: the graph command's trees and rows.
#pragma once

#include "function_names.h"
#include "input/trace_input.h"
#include "table_writer.h"

#include "analysis/tree/call_paths.h"

namespace ada::cli {

/// What the printed trees show.
enum class GraphView { Calls, Callers, Callees };
/// The columns of a view: text shows every view as a tree.
ColumnList graphTable(GraphView view, bool isText);

struct GraphLineOptions {
  GraphView view = GraphView::Calls;
  double minPercent = 0; ///< of the time of the tree's outermost calls; smaller paths are left out
  uint64_t limit = ~uint64_t(0);
  NameOptions names;
  TableOptions table;
};

/// Prints trees: text as a tree with a heading for each, otherwise as rows of paths, or of callers or callees.
class GraphLines {
public:
  GraphLines(Output &out, const TraceInput &input, const std::vector<model::Function> &functions,
             const GraphLineOptions &options, const Palette &palette, analysis::PathsBy by);

  void print(const analysis::CallPathGroup &group, const PathTree &tree);
  /// Call after the last tree. Text ends with what was left out.
  void finish();
  uint64_t printed() const { return lines_; }

private:
  void printHeading(const analysis::CallPathGroup &group);

  Output &out_;
  const TraceInput &input_;
  const GraphLineOptions &options_;
  const Palette &palette_;
  const Facts facts_;
  FunctionNames names_;
  TableWriter rows_; // not for text, whose trees are a table each
  uint64_t lines_ = 0, hidden_ = 0, cut_ = 0;
  bool isCut_ = false; // a tree had too many paths
};

} // namespace ada::cli
