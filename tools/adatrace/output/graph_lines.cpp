// Prints call paths.
#include "graph_lines.h"

#include "trace/base/quantities.h"

#include <array>
#include <optional>

namespace ada::cli {

using analysis::kPid, analysis::kProcessInOther, analysis::kSource, analysis::kThread, analysis::kTid;

namespace {

double percentOf(uint64_t part, uint64_t whole) {
  return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// Whether the node's share of time is below the minimum. In a tree without any time, no node is small.
bool isSmall(const PathTree::Node &node, uint64_t whole, double minPercent) {
  return minPercent > 0 && whole > 0 && percentOf(node.totalNs, whole) < minPercent;
}

// A node of a tree, and what its columns need.
struct GraphLine {
  const PathTree::Node *node, *parent;
  const analysis::CallPathGroup *group;
  const TraceInput *input;
  FunctionNames *names;
  uint64_t wholeNs;

  const model::Thread &thread() const { return input->table().threads[*group->thread]; }
  const model::Process &process() const {
    return group->thread ? input->table().processOf(thread()) : input->table().processes[*group->process];
  }
  std::string name(uint32_t function) const {
    return PathTree::isFunction(function)    ? names->name(function)
           : function == PathTree::kRest     ? "(other paths)"
           : function == PathTree::kRecorder ? "(recorder)"
                                             : "";
  }
};

constexpr Facts kByProcess = 2, kByThread = 4;

constexpr ColumnInfo onlyWith(ColumnInfo column, Facts needs, const char *help) {
  column.needs = needs;
  column.help = help;
  return column;
}
constexpr ColumnInfo figure(const char *key, const char *heading, Holds holds, const char *help, uint8_t width,
                            uint8_t order) {
  return ColumnInfo{key, holds, help} | inText(heading, width, order) |
         (holds == Holds::Duration ? Look::Number : Look::Plain);
}

// The columns of a view. `source`, `calls`, `total` and `self` are the help of these columns.
constexpr auto viewOf(const char *byProcess, const char *byThread, Column<GraphLine> first, Column<GraphLine> second,
                      const char *source, const char *calls, const char *total, const char *self) {
  return std::array<Column<GraphLine>, 11>{{
      {onlyWith(kPid, kByProcess, byProcess), [](const GraphLine &line) -> Value { return line.process().pid; }},
      {onlyWith(kProcessInOther, kByProcess, ""), [](const GraphLine &line) -> Value { return line.process().label; }},
      {onlyWith(kThread, kByThread, byThread), [](const GraphLine &line) -> Value { return line.thread().number; }},
      {onlyWith(kTid, kByThread, ""), [](const GraphLine &line) -> Value { return line.thread().tid; }},
      first,
      second,
      {ColumnInfo{"source", Holds::Text, source} | kOrNull,
       [](const GraphLine &line) -> Value {
         return PathTree::isFunction(line.node->function) ? line.names->source(line.node->function) : "";
       }},
      {figure("calls", "calls", Holds::Count, calls, 13, 3),
       [](const GraphLine &line) -> Value { return line.node->calls; }},
      {figure("total_ns", "total", Holds::Duration, total, 11, 0),
       [](const GraphLine &line) -> Value { return line.node->totalNs; }},
      {figure("self_ns", "self", Holds::Duration, self, 11, 1),
       [](const GraphLine &line) -> Value { return line.node->selfNs; }},
      {ColumnInfo{"total_percent"} | kForPeople | inText("total", 7, 2) | kRight,
       [](const GraphLine &line) -> Value {
         return fmt::format("{:.1f} %", percentOf(line.node->totalNs, line.wholeNs));
       }},
  }};
}

constexpr Column<GraphLine> kDepth = {ColumnInfo{"depth", Holds::Number, "number of calls around it"},
                                      [](const GraphLine &line) -> Value { return line.node->depth - 1; }};
constexpr Column<GraphLine> kPath = {
    ColumnInfo{"function", Holds::Text,
               "in the style of `--names`; `(other paths)` if there were too many, `(recorder)` for the time in which "
               "the recorder held up calls of the function above"} |
        inText("function", 0, 9) | Look::Tree,
    [](const GraphLine &line) -> Value { return line.name(line.node->function); },
    [](const GraphLine &line) {
      return analysis::indentOf(line.node->depth - 1) + (line.node->function == PathTree::kNoFunction
                                                             ? "(not called by a traced function)"
                                                             : line.name(line.node->function));
    }};
constexpr Column<GraphLine> withHeading(Column<GraphLine> column, const char *heading) {
  column.heading = heading;
  return column;
}
constexpr ColumnInfo end(const char *key, const char *help, uint8_t order) {
  return ColumnInfo{key, Holds::Text, help} | inText(key, 0, order) | Look::Name;
}
constexpr Column<GraphLine> about(const char *help) {
  return {end("function", help, 9), [](const GraphLine &line) -> Value { return line.name(line.parent->function); }};
}
constexpr Value (*kOther)(const GraphLine &) = [](const GraphLine &line) -> Value {
  return line.name(line.node->function);
};

constexpr char kOnlyProcess[] = "only with `--by=process` and `--by=thread`: see above";
constexpr char kOnlyThread[] = "only with `--by=thread`: see above";
constexpr auto kPaths = viewOf(kOnlyProcess, kOnlyThread, kDepth, kPath, "file and line of the function",
                               "all calls, however they ended", "time between entry and exit",
                               "the part of `total_ns` spent in no other traced function, without the recorder's time");
constexpr auto kCallerTrees =
    viewOf(kOnlyProcess, kOnlyThread, kDepth, withHeading(kPath, "function, and its callers below it"), "", "", "", "");
constexpr auto kCallers =
    viewOf(kOnlyProcess, kOnlyThread, about("the function that was called"),
           {end("caller", "the function that called it; `null`: no traced function", 8) | kOrNull, kOther},
           "file and line of the caller", "calls of the function by this caller",
           "the time in these calls; if they are nested, the outermost counts",
           "the part of `total_ns` spent in the function itself");
constexpr auto kCallees = viewOf(kOnlyProcess, kOnlyThread, about("the calling function"),
                                 {end("callee", "the function that it called", 8), kOther},
                                 "file and line of the callee", "for these calls, as above", "", "");

Columns<GraphLine> columnsOf(GraphView view, bool isText) {
  if (view == GraphView::Calls || (isText && view == GraphView::Callees))
    return kPaths;
  return isText ? kCallerTrees : view == GraphView::Callers ? kCallers : kCallees;
}

} // namespace

ColumnList graphTable(GraphView view, bool isText) { return infoOf(columnsOf(view, isText)); }

GraphLines::GraphLines(Output &out, const TraceInput &input, const std::vector<model::Function> &functions,
                       const GraphLineOptions &options, const Palette &palette, analysis::PathsBy by)
    : out_(out), input_(input), options_(options), palette_(palette),
      facts_(analysis::kSeveralProcesses | (by == analysis::PathsBy::Trace     ? 0U
                                            : by == analysis::PathsBy::Process ? kByProcess
                                                                               : kByProcess | kByThread)),
      names_(functions, options.names.style),
      rows_(out, palette, graphTable(options.view, options.table.isText()), options.table, facts_) {}

void GraphLines::printHeading(const analysis::CallPathGroup &group) {
  if (lines_)
    out_.write("\n");
  if (group.thread)
    out_.print("{}\n", input_.label(*group.thread));
  else if (group.process)
    out_.print("{}\n", oneLine(input_.table().processes[*group.process].label));
}

void GraphLines::print(const analysis::CallPathGroup &group, const PathTree &tree) {
  if (tree.size() <= 1)
    return;
  const bool isText = options_.table.isText(), isTree = isText || options_.view == GraphView::Calls;
  if (isText)
    printHeading(group);
  isCut_ |= tree.isCut();
  const Columns<GraphLine> columns = columnsOf(options_.view, isText);
  std::optional<TableWriter> own;
  if (isText)
    own.emplace(out_, palette_, infoOf(columns), options_.table, facts_);
  TableWriter &rows = own ? *own : rows_;
  const uint64_t whole = tree[PathTree::kRoot].totalNs;
  for (uint32_t number = 1; number < tree.size();) {
    const PathTree::Node &node = tree[number];
    if (isSmall(node, whole, options_.minPercent)) {
      hidden_ += tree.endOf(number) - number;
      number = tree.endOf(number);
      continue;
    }
    ++number;
    // In text, the end of a callers' path is visible without its last line.
    if (isTree ? isText && node.function == PathTree::kNoFunction && node.depth > 2 : node.depth != 2)
      continue;
    if (lines_ >= options_.limit) {
      ++cut_;
      continue;
    }
    ++lines_;
    RowNotes notes;
    if (options_.names.source && PathTree::isFunction(node.function))
      if (const std::string place = names_.source(node.function); !place.empty())
        notes.after.push_back({palette_.dim, " " + place});
    rows.write(columns, {&node, &tree[node.parent], &group, &input_, &names_, whole}, std::move(notes));
  }
  if (own)
    own->finish();
}

void GraphLines::finish() {
  if (!options_.table.isText())
    return rows_.finish();
  if (hidden_)
    out_.print("{}... and {} with less than {} % of the time; --min-percent=0 shows all{}\n", palette_.dim,
               formatCount(hidden_, "path"), options_.minPercent, palette_.reset);
  if (cut_)
    out_.print("{}... and {}; --limit=0 shows all{}\n", palette_.dim, formatCount(cut_, "more line"), palette_.reset);
  if (isCut_)
    out_.print("{}there are more paths than fit into memory; later ones are combined as (other paths){}\n",
               palette_.dim, palette_.reset);
}

} // namespace ada::cli
