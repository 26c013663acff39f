// Prints how threads ended.
#include "stack_lines.h"
#include "death_lines.h"
#include "process/recover_process.h"
#include "report_lines.h"
#include "table_writer.h"
#include "trace/base/boot_time.h"
#include "trace/base/quantities.h"
#include "wait_lines.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace ada::cli {

using analysis::EndCall;
using analysis::ThreadEnd;

//===--- the table --------------------------------------------------------===//

// Whether the process is recording now. The trace may be its directory or the session that contains it.
static bool isLive(const std::string &trace, const std::string &process) {
  std::error_code error;
  const std::string inside = trace + "/" + process;
  const std::string &directory = std::filesystem::is_directory(inside, error) ? inside : trace;
  return std::filesystem::exists(directory + "/manifest.json", error) && stateOf(directory) == ProcessState::Running;
}

StackTable StackTable::read(TraceInput &input, const analysis::FilterOptions &filter, size_t recent) {
  StackTable table(input);
  for (const model::Process &process : input.table().processes) {
    table.areAlive_.push_back(isLive(input.name(), process.name));
    table.processEnds_.push_back(table.areAlive_.back() ? std::max(bootTimeNs(), input.endNs()) : input.endNs());
  }
  table.ends_ = need(analysis::readThreadEnds(input.source(), input.table(), input.threads(), filter, recent));
  return table;
}

void StackTable::readValues(uint32_t thread, std::vector<EndCall> &calls, size_t most) {
  analysis::ValueReader reader(input_->source(), input_->table());
  for (size_t i = 0; i < calls.size(); ++i) {
    if (i >= most && i + most < calls.size())
      continue;
    calls[i].values = need(reader.of(thread, calls[i].span));
  }
}

uint64_t StackTable::lastEventNs(uint32_t thread) const {
  const auto &extent = input_->table().threads[thread].extent;
  return extent ? extent->lastNs : 0;
}

//===--- text -------------------------------------------------------------===//

namespace {

std::string callText(const StackTable &table, const EndCall &call, NameStyle style) {
  const model::Function &function = table.functions()[call.span.functionIndex];
  return analysis::withArguments(nameOf(function, style), call.values.arguments, function.kind);
}

// How long before the end of the trace, or before now.
std::string ageText(const StackTable &table, uint32_t thread, uint64_t ns) {
  const uint64_t end = table.endNs(thread);
  return formatDuration(end > ns ? end - ns : 0) + (table.isAlive(thread) ? " ago" : " before the end");
}

uint64_t openNs(const StackTable &table, uint32_t thread, const Span &span) {
  const uint64_t end = table.endNs(thread);
  return end > span.beginNs ? end - span.beginNs : 0;
}

void printFrame(Output &out, const Palette &palette, const StackTable &table, uint32_t thread, const EndCall &call,
                size_t number, const StackLineOptions &options) {
  out.print("  #{:<3} {}{}{}  {}open for {}{}{}", number, palette.name, callText(table, call, options.names.style),
            palette.reset, palette.dim, call.span.isEarlier ? "more than " : "",
            formatDuration(openNs(table, thread, call.span)), palette.reset);
  const std::string place = sourceOf(table.functions()[call.span.functionIndex]);
  if (!place.empty())
    out.print("  {}{}{}", palette.dim, place, palette.reset);
  out.write("\n");
}

std::string ending(const EndCall &call) {
  std::string text = call.values.result.empty() ? "" : " → " + call.values.result;
  return call.span.how == SpanEnd::Return ? text : text + " " + endNote(call.span.how);
}

} // namespace

void printStack(Output &out, const Palette &palette, const StackTable &table, const ThreadEnd &end,
                const StackLineOptions &options) {
  out.print("{}: {}, last event {}\n", table.input().label(end.thread),
            end.open.empty() ? "no call is open" : formatCount(end.open.size(), "open call"),
            ageText(table, end.thread, table.lastEventNs(end.thread)));
  // In a very deep stack, the middle is the least informative part.
  const size_t head = end.open.size() <= options.mostFrames ? end.open.size() : options.mostFrames * 3 / 4;
  const size_t tail = end.open.size() <= options.mostFrames ? 0 : options.mostFrames - head;
  for (size_t i = 0; i < head; ++i)
    printFrame(out, palette, table, end.thread, end.open[i], i, options);
  if (tail)
    out.print("  {}... {}; --frames shows more{}\n", palette.dim,
              formatCount(end.open.size() - head - tail, "more open call"), palette.reset);
  for (size_t i = end.open.size() - tail; i < end.open.size(); ++i)
    printFrame(out, palette, table, end.thread, end.open[i], i, options);
  if (end.finished.empty())
    return;
  out.write("  finished calls, latest first:\n");
  for (const EndCall &call : end.finished)
    out.print("  {}{:>11}{}  {}{}{}{}  {}ended {}{}\n", palette.number, formatDuration(call.span.durationNs()),
              palette.reset, palette.name, callText(table, call, options.names.style), palette.reset, ending(call),
              palette.dim, ageText(table, end.thread, call.span.endNs), palette.reset);
}

void printStackLine(Output &out, const Palette &palette, const StackTable &table, const ThreadEnd &end,
                    const StackLineOptions &options) {
  constexpr size_t kShown = 3;
  out.print("{}: ", table.input().label(end.thread));
  if (end.open.empty())
    out.write("no call is open");
  for (size_t i = 0; i < std::min(kShown, end.open.size()); ++i)
    out.print("{}{}{}{}", i ? " < " : "", palette.name,
              nameOf(table.functions()[end.open[i].span.functionIndex], options.names.style), palette.reset);
  if (end.open.size() > kShown)
    out.print(" < {}", formatCount(end.open.size() - kShown, "more"));
  if (!end.open.empty())
    out.print("  {}for {}{}", palette.dim, formatDuration(openNs(table, end.thread, end.open.front().span)),
              palette.reset);
  out.write("\n");
}

//===--- rows -------------------------------------------------------------===//

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
               if (const std::string text = ending(*row.call); !text.empty())
                 notes.after.push_back({{}, text.substr(1)});
               return notes;
             });
}

void explainDeath(const std::string &directory, When color) try {
  constexpr size_t kCalls = 8, kFrames = 30, kOthers = 20;
  InputOptions place;
  place.path = directory;
  TraceInput input = TraceInput::open(place);
  StackTable table = StackTable::read(input, {}, kCalls);
  const auto manifest = Manifest::read(directory + "/manifest.json");
  Output out(STDERR_FILENO);
  const Palette palette(color, STDERR_FILENO);
  if (manifest)
    printDeath(out, palette, *manifest);
  // If it is not known which thread was hit, it is one of those that recorded last: all stop at the same moment.
  const uint64_t hitTid = manifest && manifest->exit.death ? manifest->exit.death->tid : 0;
  const auto isHit = [&](const analysis::ThreadEnd &end) { return input.table().threads[end.thread].tid == hitTid; };
  std::vector<analysis::ThreadEnd> &ends = table.threads();
  std::erase_if(ends, [](const analysis::ThreadEnd &end) { return end.open.empty() && end.finished.empty(); });
  std::ranges::stable_sort(ends, [&](const analysis::ThreadEnd &a, const analysis::ThreadEnd &b) {
    return std::tuple(isHit(a), !a.open.empty(), table.lastEventNs(a.thread)) >
           std::tuple(isHit(b), !b.open.empty(), table.lastEventNs(b.thread));
  });
  if (ends.empty())
    return;
  table.readValues(ends[0].thread, ends[0].open);
  table.readValues(ends[0].thread, ends[0].finished);
  const StackLineOptions options{.names = {}, .mostFrames = kFrames};
  if (ends.size() > 1)
    out.write(isHit(ends[0]) ? "the thread that it hit:\n" : "the thread that recorded last:\n");
  printStack(out, palette, table, ends[0], options);
  if (ends.size() > 1)
    out.write("other threads:\n");
  for (size_t i = 1; i < std::min(ends.size(), kOthers + 1); ++i) {
    out.write("  ");
    printStackLine(out, palette, table, ends[i], options);
  }
  if (ends.size() > kOthers + 1)
    out.print("  ... and {}; adatrace stacks shows them\n", formatCount(ends.size() - kOthers - 1, "more thread"));
} catch (const Exit &) {
  return; // what can't be read has been reported
}

} // namespace ada::cli
