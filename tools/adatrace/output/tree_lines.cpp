// Prints the lines of a call tree.
#include "tree_lines.h"
#include "base/quantities.h"
#include "off_cpu_text.h"
#include "terminal/line_text.h"

#include "analysis/values/value_texts.h"

#include <algorithm>

namespace ada::cli {

using analysis::CallNode;

//===--- text -------------------------------------------------------------===//

void TreeText::printHeading() {
  const model::ThreadExtent &extent = *input_.table().threads[thread_].extent;
  if (lines_)
    out_.write("\n");
  out_.print("{}", input_.label(thread_));
  if (!options_.isFollowed)
    out_.print(": {}", formatCount(extent.events, "event"));
  if (!options_.isFollowed && extent.events && extent.lastNs >= extent.firstNs)
    out_.print(" in {}", formatDuration(extent.lastNs - extent.firstNs));
  out_.print("\n{}{}{:>11} {:>11}  call{}\n", palette_.dim, options_.begin ? fmt::format("{:>13} ", "begin") : "",
             "total", "self", palette_.reset);
  hasHeading_ = true;
}

void TreeText::print(const CallNode &node, uint32_t depth) {
  if (!hasHeading_)
    printHeading();
  if (options_.begin)
    out_.print("{:>13} ", node.isLoop() ? "" : formatTime(node.beginNs, input_.originNs()));
  const char *group = node.isLoop() ? "repeated" : node.areInitialisers ? "static initialisers" : nullptr;
  hasInitialisers_ |= node.areInitialisers;
  const bool isPlain = !group && !node.texts;
  const std::string_view name = isPlain ? names_.name(node.function) : std::string_view();
  char *at = out_.reserve(256 + name.size());
  const SymbolKind kind = node.isLoop() ? SymbolKind::Function : input_.table().functions[node.function].kind;
  at = put(at, palette_.number.text);
  at = isPoint(kind) ? putBlanks(at, 11) : putDurationRight(at, node.totalNs, 11);
  at = put(at, " ");
  at = node.isLoop() || isPoint(kind) ? putBlanks(at, 11) : putDurationRight(at, node.selfNs, 11);
  at = put(at, palette_.reset.text);
  at = putBlanks(at, 2 + 2 * std::min(depth, analysis::kDeepestIndent));
  if (depth > analysis::kDeepestIndent) {
    at = put(put(at, palette_.dim.text), "(depth ");
    at = put(put(put(at, uint64_t(depth)), ")"), palette_.reset.text);
    at = put(at, " ");
  }
  if (isPlain)
    at = put(put(put(at, palette_.name.text), name), palette_.reset.text);
  out_.commit(at);
  if (group)
    out_.print("{}{}{}", palette_.dim, group, palette_.reset);
  else if (node.texts)
    out_.print("{}{}{}{}{}{}", palette_.name,
               analysis::withArguments(names_.name(node.function), node.texts->arguments, kind), palette_.reset,
               node.texts->result.empty() ? "" : " → ", node.texts->result, node.textsVary ? ", …" : "");
  if (node.count > 1)
    out_.print(" {}×{}{}", palette_.number, formatCount(node.count), palette_.reset);
  if (node.nested > 1)
    out_.print(" {}[recursive: {} calls, {} deep]{}", palette_.dim, formatCount(node.calls), formatCount(node.nested),
               palette_.reset);
  if (!group && input_.table().functions[node.function].isInlined)
    out_.print(" {}[inlined]{}", palette_.dim, palette_.reset);
  if (node.isEarlier)
    out_.print(" {}[began before the trace]{}", palette_.dim, palette_.reset);
  if (node.how == SpanEnd::Exception)
    out_.print(" {}[left by exception]{}", palette_.error, palette_.reset);
  else if (node.how == SpanEnd::Open)
    out_.print(" {}[still open]{}{}", palette_.warn, palette_.reset, input_.openText(node.beginNs, node.totalNs));
  else if (node.how == SpanEnd::Missing)
    out_.print(" {}[no exit recorded]{}", palette_.warn, palette_.reset);
  if (const std::string off = offCpuText(node.selfOff, true); !off.empty())
    out_.print(" {}[{}]{}", palette_.warn, off, palette_.reset);
  if (options_.names.source && !group)
    if (const std::string place = names_.source(node.function); !place.empty())
      out_.print("  {}{}{}", palette_.dim, place, palette_.reset);
  out_.write("\n");
  if (!node.isLoop() && node.selfOff.recorderNs > 0) // shown like a call that it made
    out_.print("{}{}{:>11}{:>{}}{}recorder{}\n", options_.begin ? fmt::format("{:>13} ", "") : "", palette_.number,
               formatDuration(node.selfOff.recorderNs), "", 14 + 2 * std::min(depth + 1, analysis::kDeepestIndent),
               palette_.error, palette_.reset);
}

//===--- rows -------------------------------------------------------------===//

namespace {

struct TreeRow {
  const CallNode *node;
  uint32_t depth, threadNumber;
  const TraceInput *input;
  FunctionNames *names;

  const model::Thread &thread() const { return input->table().threads[threadNumber]; }
  SymbolKind kind() const {
    return node->isLoop() ? SymbolKind::Function : input->table().functions[node->function].kind;
  }
  std::string name() const { return node->isLoop() ? std::string() : names->name(node->function); }
  Value unlessLoop(uint64_t number) const { return knownIf(!node->isLoop(), number); }
  Value ifSched(uint64_t ns) const { return knownIf(!node->isLoop() && thread().knowsSched(), ns); }
};

constexpr Column<TreeRow> kTree[] = {
    {analysis::kPid, [](const TreeRow &row) -> Value { return row.input->table().processOf(row.thread()).pid; }},
    {analysis::kProcessInOther,
     [](const TreeRow &row) -> Value { return row.input->table().processOf(row.thread()).name; }},
    {analysis::kThread, [](const TreeRow &row) -> Value { return row.thread().number; }},
    {analysis::kTid, [](const TreeRow &row) -> Value { return row.thread().tid; }},
    {ColumnInfo{"depth", Holds::Number, "lines around this one"},
     [](const TreeRow &row) -> Value { return row.depth; }},
    {ColumnInfo{"function", Holds::Text,
                "in the style of `--names`; `null` for a loop, whose body is the lines inside it"} |
         kOrNull | inText("call", 0, 9) | Look::Tree,
     [](const TreeRow &row) -> Value { return row.name(); },
     [](const TreeRow &row) { return analysis::indentOf(row.depth) + (row.node->isLoop() ? "repeated" : row.name()); }},
    {ColumnInfo{"source", Holds::Text, "file and line of the function"} | kOrNull,
     [](const TreeRow &row) -> Value { return row.node->isLoop() ? "" : row.names->source(row.node->function); }},
    {ColumnInfo{"count", Holds::Count,
                "how often it occurred, in all of the calls around it; for a loop, the number of iterations"} |
         inText("count", 8, 4),
     [](const TreeRow &row) -> Value { return row.node->count; }},
    {ColumnInfo{
         "calls", Holds::Count,
         "calls that the line stands for: `count`, or with folded recursion the calls of all levels; 0 for a loop"},
     [](const TreeRow &row) -> Value { return row.node->isLoop() ? 0 : row.node->calls; }},
    {ColumnInfo{"nested", Holds::Count, "levels of recursion that are folded into the line; 1 if there are none"},
     [](const TreeRow &row) -> Value { return row.node->isLoop() ? uint64_t(1) : row.node->nested; }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when the first of the calls began; `null` for a loop"} | kOrNull |
         inText("begin", 13),
     [](const TreeRow &row) { return row.unlessLoop(row.node->beginNs); },
     [](const TreeRow &row) { return row.node->isLoop() ? "" : formatTime(row.node->beginNs, row.input->originNs()); }},
    {ColumnInfo{"total_ns", Holds::Duration, "time between entry and exit, added up"} | inText("total", 11, 1) |
         Look::Number,
     [](const TreeRow &row) -> Value { return row.node->totalNs; }},
    {ColumnInfo{"self_ns", Holds::Duration,
                "the part of `total_ns` spent in no other traced function, without the recorder's time"} |
         inText("self", 11, 2) | Look::Number,
     [](const TreeRow &row) -> Value { return row.node->isLoop() ? 0 : row.node->selfNs; }},
    {ColumnInfo{"end", Holds::Text,
                "`return`, `exception`, `missing` (no exit was recorded), `open` (it had not ended when the trace "
                "did); `null` for a loop"} |
         kOrNull,
     [](const TreeRow &row) -> Value { return row.node->isLoop() ? "" : spanEndName(row.node->how); }},
    {ColumnInfo{"open_ns", Holds::Duration, "open calls: time from `begin_ns` to the last event of the trace"} |
         kOrNull,
     [](const TreeRow &row) {
       const bool isOpen = !row.node->isLoop() && row.node->how == SpanEnd::Open;
       return knownIf(isOpen, isOpen ? row.input->openNs(row.node->beginNs) : 0);
     }},
    {ColumnInfo{"arguments", Holds::Text, "with `--args`: `(n=10)`"} | kOrNull,
     [](const TreeRow &row) -> Value { return row.node->texts ? row.node->texts->arguments : std::string(); }},
    {ColumnInfo{"result", Holds::Text, "with `--args`: `55`"} | kOrNull,
     [](const TreeRow &row) -> Value { return row.node->texts ? row.node->texts->result : std::string(); }},
    {ColumnInfo{"earlier", Holds::Flag,
                "the call began before the first event that was kept (`max_size`, `max_time`, `flight`), or before the "
                "first event of the part (`rotate`); `self_ns` counts from there"},
     [](const TreeRow &row) -> Value { return row.node->isEarlier; }},
    {ColumnInfo{
         "self_waiting_ns", Holds::Duration,
         "the parts of `self_ns` in which the thread was off-CPU because it waited, or because another thread ran on "
         "its core; `null` for a loop, and if that was not recorded ([sched.md](formats/sched.md)). For an open call, "
         "this time counts until the end of what is known, which may be later than the end of its `total_ns`"} |
         kOrNull,
     [](const TreeRow &row) { return row.ifSched(row.node->selfOff.waitingNs); }},
    {ColumnInfo{"self_preempted_ns", Holds::Duration} | kOrNull,
     [](const TreeRow &row) { return row.ifSched(row.node->selfOff.preemptedNs); }},
    {ColumnInfo{"self_recorder_ns", Holds::Duration,
                "how long the recorder held the thread up in the call, without the calls it made: part of `total_ns`, "
                "not of `self_ns`; `null` for a loop, and if nothing is known"} |
         kOrNull,
     [](const TreeRow &row) {
       return knownIf(!row.node->isLoop() && row.thread().offCpu, row.node->selfOff.recorderNs);
     }},
    {ColumnInfo{"self_unknown_ns", Holds::Duration,
                "the part of `self_ns` for which it is not known whether the thread ran; `null` in the same cases as "
                "`self_waiting_ns`"} |
         kOrNull,
     [](const TreeRow &row) { return row.ifSched(row.node->selfOff.unknownNs); }},
    {ColumnInfo{"annotation", Holds::Text, "only for [annotations](reference/annotations.md): as in `dump`"},
     [](const TreeRow &row) -> Value {
       return row.kind() == SymbolKind::Function ? Value(Absent()) : Value(kindName(row.kind()));
     }},
    {ColumnInfo{"inlined", Holds::Flag, "only for copies that were inlined: `true`, as in `dump`"},
     [](const TreeRow &row) -> Value {
       const bool isInlined = !row.node->isLoop() && row.input->table().functions[row.node->function].isInlined;
       return isInlined ? Value(true) : Value(Absent());
     }},
};

} // namespace

ColumnList treeTable() { return infoOf(Columns<TreeRow>(kTree)); }

TreeRows::TreeRows(Output &out, const TraceInput &input, const TreeLineOptions &options, const Palette &palette)
    : TreeLines(out, input, options),
      rows_(out, palette, treeTable(), options.table, analysis::processFacts(input.table())) {}

void TreeRows::print(const CallNode &node, uint32_t depth) {
  rows_.write(Columns<TreeRow>(kTree), {&node, depth, thread_, &input_, &names_});
}

} // namespace ada::cli
