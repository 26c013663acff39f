// Prints call paths: the graph command's trees and rows.
#ifndef ADATRACE_GRAPH_LINES_H
#define ADATRACE_GRAPH_LINES_H

#include "function_names.h"
#include "json_fields.h"
#include "terminal.h"
#include "trace/trace_input.h"

#include "analysis/tree/call_paths.h"

#include <string>

namespace ada::cli {

/// What the printed trees show.
enum class GraphView { Calls, Callers, Callees };

struct GraphLineOptions {
  GraphView view = GraphView::Calls;
  double minPercent = 0; ///< of the time of the tree's outermost calls; smaller paths are left out
  uint64_t limit = ~uint64_t(0);
  NameOptions names;
};

/// Prints trees as text, each with a heading.
class GraphText {
public:
  GraphText(Output &out, const TraceInput &input, const std::vector<model::Function> &functions,
            const GraphLineOptions &options, const Palette &palette)
      : out_(out), input_(input), options_(options), palette_(palette), names_(functions, options.names.style) {}

  void print(const analysis::CallPathGroup &group, const PathTree &tree);
  /// Call after the last tree. Prints what was left out.
  void finish();
  uint64_t printed() const { return lines_; }

private:
  void printHeading(const analysis::CallPathGroup &group);
  void printLine(const PathTree &tree, uint32_t node, uint64_t whole);

  Output &out_;
  const TraceInput &input_;
  const GraphLineOptions &options_;
  const Palette &palette_;
  FunctionNames names_;
  uint64_t lines_ = 0, hidden_ = 0, cut_ = 0;
  bool isCut_ = false; // a tree had too many paths
};

/// Prints nodes of trees, or their callers and callees, as objects; docs/json.md has the keys.
class GraphJson {
public:
  GraphJson(Output &out, const TraceInput &input, const std::vector<model::Function> &functions,
            const GraphLineOptions &options, bool isArray)
      : input_(input), options_(options), names_(functions, options.names.style), out_(out), list_(out, isArray) {}

  void print(const analysis::CallPathGroup &group, const PathTree &tree);
  void finish() { list_.finish(); }

private:
  const TraceInput &input_;
  const GraphLineOptions &options_;
  FunctionNames names_;
  Output &out_;
  JsonList list_;
  uint64_t lines_ = 0;
};

} // namespace ada::cli
#endif // ADATRACE_GRAPH_LINES_H
