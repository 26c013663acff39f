// What each column of the table of processes holds.
#include "process_table.h"

#include "analysis/events/trace_columns.h"
#include "trace/base/quantities.h"

#include <algorithm>

namespace ada::analysis {

namespace {

using Line = ProcessLine;

// The only value that `get(run)` has for the processes of a line.
template <class Get> Value commonOf(const Line &line, const Get &get) {
  const std::optional<uint64_t> first = get(line.first());
  for (const uint32_t run : line.node->runs)
    if (get(line.list->all[run]) != first)
      return {};
  return first;
}

std::string exitText(const ProcessNode &node) {
  std::vector<std::pair<std::string, uint64_t>> exits(node.exits.begin(), node.exits.end());
  std::ranges::stable_sort(exits, std::greater(), [](const auto &exit) { return exit.second; });
  std::string text;
  for (size_t i = 0; i < exits.size(); ++i) {
    if (i == 3)
      return text + ", …";
    text += (i ? ", " : "") + (exits[i].first.empty() ? "unknown" : exits[i].first);
    if (exits.size() > 1)
      text += " ×" + formatCount(exits[i].second);
  }
  return text;
}

bool isSeveral(const Line &line) { return line.node->count() > 1; }
std::string durationIf(bool isShown, uint64_t ns) { return isShown ? formatDuration(ns) : std::string(); }

constexpr Column<Line> kProcessColumns[] = {
    {ColumnInfo{"depth", Holds::Number, "0 for a process whose parent is not in the trace"},
     [](const Line &line) -> Value { return line.node->depth; }},
    {ColumnInfo{"program", Holds::Text, "its file name; `sh → git` if one process executed both"},
     [](const Line &line) -> Value { return line.first().program(); }},
    {ColumnInfo{"command", Holds::Text,
                "the command line; of several processes what they have in common, with `…` for the rest"} |
         inText("process, and below it those that it started", 0, 12) | Look::Tree,
     [](const Line &line) -> Value { return line.node->command; },
     [](const Line &line) { return indentOf(line.node->depth) + line.node->command; }},
    {ColumnInfo{"count", Holds::Count, "number of processes"} | inText("count", 6, 6) | Look::Number | kSorts |
         textNeeds(kSomeAreFolded),
     [](const Line &line) -> Value { return line.node->count(); }},
    {ColumnInfo{"pid", Holds::Number, "`null` for several processes"} | inText("pid", 7, 11, 3) | kOrNull,
     [](const Line &line) -> Value { return commonOf(line, [](const ProcessRun &run) { return run.pid; }); },
     [](const Line &line) {
       const std::optional<uint64_t> pid = line.first().pid;
       return isSeveral(line) || !pid ? std::string() : std::to_string(*pid);
     }},
    {ColumnInfo{"ppid", Holds::Number, "number of the parent; `null` if there are several"} | kOrNull,
     [](const Line &line) -> Value { return commonOf(line, [](const ProcessRun &run) { return run.parentPid; }); }},
    {ColumnInfo{"parent_traced", Holds::Flag,
                "the parent is in the trace: it is the line above with a depth less by 1"},
     [](const Line &line) -> Value { return line.node->depth > 0; }},
    {ColumnInfo{
         "begin_ns", Holds::Moment,
         "when the first of them began to be recorded; `null` if none did, because they were killed before that"} |
         kOrNull | inText("begin", 13, 0, 4) | Look::Number,
     [](const Line &line) -> Value { return line.node->beginNs ? Value(line.node->beginNs) : Value(); },
     [](const Line &line) {
       return line.node->beginNs ? formatTime(line.node->beginNs, line.originNs) : std::string();
     }},
    {ColumnInfo{"wall_ns", Holds::Duration, "how long they took; of several, the sum"} | inText("wall", 11, 1) |
         Look::Number | kSorts,
     [](const Line &line) -> Value { return line.node->totalNs; }},
    {ColumnInfo{"min_ns", Holds::Duration, "the shortest, the median and the longest of them"} |
         inText("min", 11, 3, 2) | Look::Number | textNeeds(kSomeAreFolded),
     [](const Line &line) -> Value { return line.node->minNs; },
     [](const Line &line) { return durationIf(isSeveral(line), line.node->minNs); }},
    {ColumnInfo{"median_ns", Holds::Duration} | inText("median", 11, 4, 5) | Look::Number | kSorts |
         textNeeds(kSomeAreFolded),
     [](const Line &line) -> Value { return line.node->medianNs; },
     [](const Line &line) { return durationIf(isSeveral(line), line.node->medianNs); }},
    {ColumnInfo{"max_ns", Holds::Duration} | inText("max", 11, 5, 6) | Look::Number | textNeeds(kSomeAreFolded),
     [](const Line &line) -> Value { return line.node->maxNs; },
     [](const Line &line) { return durationIf(isSeveral(line), line.node->maxNs); }},
    {ColumnInfo{
         "on_cpu_ns", Holds::Duration,
         "for how long all their threads were on-CPU, the recorder's included; `null` if it is not known of each"} |
         inText("on-CPU", 11, 2, 7) | Look::Number | kSorts | kOrNull | textNeeds(kSomeOnCpu),
     [](const Line &line) -> Value { return line.node->onCpuNs; }},
    {ColumnInfo{"events", Holds::Count, "their recorded events"} | inText("events", 10, 7, 8) | Look::Number | kSorts,
     [](const Line &line) -> Value { return line.node->events; }},
    {ColumnInfo{"lost", Holds::Count, "events that were not recorded"} | inText("lost", 8, 8, 9) | Look::Number |
         kSorts | textNeeds(kSomeLost),
     [](const Line &line) -> Value { return line.node->lost; }},
    {ColumnInfo{
         "exit", Holds::Text,
         "exit status, `signal N`, or how it stands ([manifest](formats/manifest.md)): `unfinished` if it is gone and "
         "has not completed its trace; of several processes each with its number"} |
         inText("exit", 4, 10) | kLeft,
     [](const Line &line) -> Value { return exitText(*line.node); }},
    {ColumnInfo{"failed", Holds::Count,
                "how many ended by a signal, with a status other than 0, or in a way that is not known (`unknown`, "
                "`unfinished`)"} |
         kNotInCsv | kSorts | inText("failed", 6, 9, 10) | textNeeds(kNever),
     [](const Line &line) -> Value { return line.node->failed; }},
};

} // namespace

Columns<ProcessLine> processColumns() { return kProcessColumns; }

Facts processTableFacts(const std::vector<ProcessNode> &nodes) {
  Facts facts = 0;
  for (const ProcessNode &node : nodes)
    facts |= (node.count() > 1 ? kSomeAreFolded : 0) | (node.lost ? kSomeLost : 0) | (node.onCpuNs ? kSomeOnCpu : 0);
  return facts;
}

ProcessOrder processOrder(std::string_view word) {
  return word == "wall"     ? ProcessOrder::Wall
         : word == "median" ? ProcessOrder::Median
         : word == "count"  ? ProcessOrder::Count
         : word == "on-CPU" ? ProcessOrder::OnCpu
         : word == "events" ? ProcessOrder::Events
         : word == "lost"   ? ProcessOrder::Lost
         : word == "failed" ? ProcessOrder::Failed
                            : ProcessOrder::Begin;
}

std::string unknownParents(const ProcessLine &line) {
  if (line.node->depth > 0)
    return {};
  const Value ppid = commonOf(line, [](const ProcessRun &run) { return run.parentPid; });
  if (const uint64_t number = ppid.number())
    return "parent " + std::to_string(number) + " not traced";
  return isSeveral(line) ? "parents not traced" : "parent unknown";
}

} // namespace ada::analysis
