// How threads ended, as tables.
#include "stack_rows.h"
#include "report_lines.h"
#include "table_writer.h"
#include "trace/base/quantities.h"
#include "wait_lines.h"

#include <algorithm>

namespace ada::cli {

using analysis::EndCall;
using analysis::ThreadEnd;

namespace {

Value argumentsOf(const EndCall &call) { return call.values.json.empty() ? Value() : Value(Json{call.values.json}); }

// An open call of a thread, or one of the last calls.
struct CallRow {
  const StackTable *table;
  uint32_t threadNumber;
  const EndCall *call;
  NameStyle style;

  const model::Thread &thread() const { return table->input().table().threads[threadNumber]; }
  const model::Process &process() const { return table->input().table().processOf(thread()); }
  const model::Function &function() const { return table->functions()[call->span.functionIndex]; }
  bool isOpen() const { return call->span.how == SpanEnd::Open; }
  uint64_t openFor() const { return openNs(*table, threadNumber, call->span); }
};

constexpr Column<CallRow> kFrames[] = {
    {analysis::kFunction, [](const CallRow &row) -> Value { return nameOf(row.function(), row.style); }},
    {analysis::kSource, [](const CallRow &row) -> Value { return sourceOf(row.function()); }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when the call began"},
     [](const CallRow &row) -> Value { return row.call->span.beginNs; }},
    {ColumnInfo{
         "open_ns", Holds::Duration,
         "how long it has been open: until now if the process is alive, otherwise until the last event of the trace"},
     [](const CallRow &row) -> Value { return row.openFor(); }},
    {ColumnInfo{"args", Holds::Object,
                "its arguments by name; `null` if none were recorded, or if more than `--frames` calls lie on either "
                "side of it"} |
         kOrNull,
     [](const CallRow &row) -> Value { return argumentsOf(*row.call); }},
};

constexpr Column<CallRow> kLastCalls[] = {
    {analysis::kPid, [](const CallRow &row) -> Value { return row.process().pid; }},
    {analysis::kProcessInOther, [](const CallRow &row) -> Value { return row.process().label; }},
    {ColumnInfo{"thread", Holds::Number} | inText("thread", 24, 2, 1) | kLeft,
     [](const CallRow &row) -> Value { return row.thread().number; },
     [](const CallRow &row) {
       const std::string process = row.table->input().severalProcesses() ? row.process().label + "/" : "";
       const std::string &name = row.thread().label;
       return process + std::to_string(row.thread().number) + (name.empty() ? "" : " " + name);
     }},
    {analysis::kTid, [](const CallRow &row) -> Value { return row.thread().tid; }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when the call began"} | inText("began", 13),
     [](const CallRow &row) -> Value { return row.call->span.beginNs; },
     [](const CallRow &row) { return "-" + formatDuration(row.openFor()); }},
    {ColumnInfo{"duration_ns", Holds::Duration,
                "time between entry and exit; for an open call, like `open_ns` of `stacks`"} |
         inText("duration", 11, 1) | Look::Number,
     [](const CallRow &row) -> Value { return row.isOpen() ? row.openFor() : row.call->span.durationNs(); },
     [](const CallRow &row) { return row.isOpen() ? "open" : formatDuration(row.call->span.durationNs()); }},
    {ColumnInfo{"depth", Holds::Number, "number of calls around it"},
     [](const CallRow &row) -> Value { return row.call->span.depth; }},
    {ColumnInfo{"end", Holds::Text, "`return`, `exception`, `inferred`, `missing`, `open`"},
     [](const CallRow &row) -> Value { return spanEndName(row.call->span.how); }},
    {ColumnInfo{"function", Holds::Text, "in the style of `--names`"} | inText("call", 0, 9) | Look::Tree,
     [](const CallRow &row) -> Value { return nameOf(row.function(), row.style); },
     [](const CallRow &row) {
       return std::string(2 * std::min(row.call->span.depth, 20U), ' ') + callText(*row.table, *row.call, row.style);
     }},
    {analysis::kSource, [](const CallRow &row) -> Value { return sourceOf(row.function()); }},
    {ColumnInfo{"args", Holds::Object, "its arguments by name; `null` if none were recorded"} | kOrNull,
     [](const CallRow &row) -> Value { return argumentsOf(*row.call); }},
    {ColumnInfo{"result", Holds::Text, "`55`; `null` if none was recorded"} | kOrNull,
     [](const CallRow &row) -> Value { return row.call->values.result; }},
};

struct StackRow {
  const StackTable *table;
  const ThreadEnd *end;
  const std::vector<analysis::DeadlockCycle> *deadlocks;
  const analysis::NamedTrace *trace;
  NameStyle style;

  const model::Thread &thread() const { return trace->table.threads[end->thread]; }
  std::vector<CallRow> frames() const {
    std::vector<CallRow> rows;
    for (const EndCall &call : end->open)
      rows.push_back({table, end->thread, &call, style});
    return rows;
  }
};

constexpr Column<StackRow> kStacks[] = {
    {analysis::kPid, [](const StackRow &row) -> Value { return row.trace->table.processOf(row.thread()).pid; }},
    {analysis::kProcess, [](const StackRow &row) -> Value { return row.trace->table.processOf(row.thread()).label; }},
    {ColumnInfo{"thread", Holds::Number} | inText("thread"),
     [](const StackRow &row) -> Value { return row.thread().number; }},
    {ColumnInfo{"tid", Holds::Number} | inText("tid"), [](const StackRow &row) -> Value { return row.thread().tid; }},
    {ColumnInfo{"name", Holds::Text, "the thread's name"} | kOrNull | inText("name"),
     [](const StackRow &row) -> Value { return row.thread().label; }},
    {ColumnInfo{"alive", Holds::Flag, "its process was recording when the command ran"},
     [](const StackRow &row) -> Value { return row.table->isAlive(row.end->thread); }},
    {ColumnInfo{"last_ns", Holds::Moment, "the time of its last event; `null` if it has none"} | kOrNull,
     [](const StackRow &row) {
       const auto &extent = row.thread().extent;
       return knownIf(extent && extent->events, row.table->lastEventNs(row.end->thread));
     }},
    {ColumnInfo{"frames", Holds::Objects, "its open calls, the innermost first"} | inText("open calls", 0, 9) |
         Look::Name,
     [](const StackRow &row) -> Value { return jsonList(Columns<CallRow>(kFrames), row.frames()); },
     [](const StackRow &row) {
       std::string text;
       for (const CallRow &frame : row.frames())
         text += (text.empty() ? "" : " < ") + nameOf(frame.function(), frame.style);
       return text;
     }},
    {ColumnInfo{"deadlock", Holds::Objects,
                "the threads of the deadlock that it is part of, each of which waits for the next; otherwise `null`"} |
         kOrNull | kNotInCsv,
     [](const StackRow &row) {
       return deadlockValue(*row.trace, *row.deadlocks,
                            [&](const analysis::DeadlockThread &thread) { return thread.thread == row.end->thread; });
     }},
};

} // namespace

ColumnList stackTable() { return infoOf(Columns<StackRow>(kStacks)); }
ColumnList frameTable() { return infoOf(Columns<CallRow>(kFrames)); }
ColumnList lastCallTable() { return infoOf(Columns<CallRow>(kLastCalls)); }

void printStackRows(Output &out, const Palette &palette, const StackTable &table, const std::vector<ThreadEnd> &ends,
                    const std::vector<analysis::DeadlockCycle> &deadlocks, const StackLineOptions &options) {
  const analysis::NamedTrace trace = namedTrace(table.input(), options.names.style);
  std::vector<StackRow> rows;
  for (const ThreadEnd &end : ends)
    rows.push_back({&table, &end, &deadlocks, &trace, options.names.style});
  printTable(out, palette, Columns<StackRow>(kStacks), rows, options.table,
             analysis::processFacts(table.input().table()));
}

void printLastCalls(Output &out, const Palette &palette, const StackTable &table, const std::vector<LastCall> &calls,
                    const StackLineOptions &options) {
  std::vector<CallRow> rows;
  for (const auto &[thread, call] : calls)
    rows.push_back({&table, thread, call, options.names.style});
  printTable(out, palette, Columns<CallRow>(kLastCalls), rows, options.table,
             analysis::processFacts(table.input().table()), [](const CallRow &row) {
               RowNotes notes;
               if (const std::string text = endingText(*row.call); !text.empty())
                 notes.after.push_back({{}, text.substr(1)});
               return notes;
             });
}

} // namespace ada::cli
