// The columns of a report, and of lists of single calls.
#include "report_table.h"

#include "analysis/calls/value_texts.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ada::analysis {

namespace {

//===--- rows of a report -------------------------------------------------===//

enum : Facts {
  kThreads = kSeveralProcesses << 1,
  kFunctions = kThreads << 1,
  kModules = kFunctions << 1,
  kFiles = kModules << 1,
  kArguments = kFiles << 1,
  kCoarse = kArguments << 1, // clock=tick
  kOffCpu = kCoarse << 1,
  kRecorder = kOffCpu << 1, // rows have such times that are worth a column in text
  kUnknown = kRecorder << 1,
  kHistogram = kUnknown << 1,
  kFolded = kHistogram << 1, // rows of several processes
};

Value ifSched(const ReportLine &line, uint64_t ns) { return knownIf(line.row->knowsSched, ns); }
Value ifLane(const ReportLine &line, uint64_t ns) { return knownIf(line.row->hasLane, ns); }

// The largest error, nineteen times out of twenty, of a sum of times read from a clock that advances every
// P = `resolution`. An interval of length d that starts at a random moment is measured as a multiple of P that is right
// on average. Its variance is P² f (1 - f), where f is the fractional part of d/P: at most P²/4, and at most P d. So
// two standard deviations are at most P √n for n intervals, and at most 2 √(P · sum).
uint64_t errorOf(const ReportLine &line, uint64_t sum, std::optional<uint64_t> stretches) {
  const double p = static_cast<double>(line.trace->processes[line.row->process].resolutionNs);
  double error = 2 * std::sqrt(p * (static_cast<double>(sum) + p));
  if (stretches)
    error = std::min(error, p * std::sqrt(static_cast<double>(*stretches)));
  return static_cast<uint64_t>(error);
}

const FunctionStatistics &figuresOf(const ReportLine &line) { return line.row->figures; }
const model::Thread &threadOf(const ReportLine &line) { return line.trace->threads[*line.row->thread]; }
SymbolKind kindOf(const ReportLine &line) {
  return line.row->function ? line.row->function->kind : SymbolKind::Function;
}

// Calls without an exit have no duration.
Value minOf(const ReportLine &line) { return figuresOf(line).durations.min(); }
Value maxOf(const ReportLine &line) { return figuresOf(line).durations.max(); }
template <unsigned kPercent> Value percentileOf(const ReportLine &line) {
  return figuresOf(line).durations.percentile(kPercent);
}
template <Value (*kGet)(const ReportLine &)> std::string ifAny(const ReportLine &line) {
  return figuresOf(line).durations.count() ? formatDuration(kGet(line).number()) : "-";
}

Value nameOfRow(const ReportLine &line) { return line.name; }
std::string shownName(const ReportLine &line) { return withArguments(line.name, line.row->arguments, kindOf(line)); }

using Bin = Distribution::Bin;
constexpr Column<Bin> kBins[] = {
    {ColumnInfo{"from_ns", Holds::Duration, "its calls took at least that long"},
     [](const Bin &bin) -> Value { return bin.from; }},
    {ColumnInfo{"to_ns", Holds::Duration, "and less than that"}, [](const Bin &bin) -> Value { return bin.to; }},
    {ColumnInfo{"calls", Holds::Count, "how many there are"}, [](const Bin &bin) -> Value { return bin.count; }},
};
Value histogramOf(const ReportLine &line) {
  std::vector<Bin> bins = figuresOf(line).durations.bins(4);
  std::erase_if(bins, [](const Bin &bin) { return bin.count == 0; });
  return jsonList(Columns<Bin>(kBins), bins);
}

using Row = ReportLine;
constexpr Column<Row> kReport[] = {
    {kPid,
     [](const Row &row) -> Value {
       return row.row->processes > 1 ? Value() : Value(row.trace->processes[row.row->process].pid);
     }},
    {kProcess,
     [](const Row &row) -> Value {
       const model::Process &process = row.trace->processes[row.row->process];
       return row.row->processes > 0 ? foldedName(process) : process.label;
     }},
    {ColumnInfo{"processes", Holds::Count, "only for a trace of many processes: how many with this program there are"} |
         needs(kFolded) | inText("processes", 9, 0, 2),
     [](const Row &row) -> Value { return uint64_t{row.row->processes}; }},
    {ColumnInfo{"thread", Holds::Number, "only with `--by=thread`: see above"} | needs(kThreads) | inText("thread"),
     [](const Row &row) -> Value { return threadOf(row).number; }},
    {ColumnInfo{"tid", Holds::Number} | needs(kThreads) | inText("tid", 8, 0, 7),
     [](const Row &row) -> Value { return threadOf(row).tid; }},
    {ColumnInfo{"thread_name", Holds::Text, "only with `--by=thread`"} | needs(kThreads) | inText("name", 15, 0, 9),
     [](const Row &row) -> Value { return threadOf(row).label; }},
    {ColumnInfo{"function", Holds::Text,
                "in the style of `--names`; with `--by=module` the key is `module`, with `--by=file` it is `file`"} |
         needs(kFunctions) | inText("function", 0, 9) | Look::Name,
     nameOfRow, shownName},
    {ColumnInfo{"module", Holds::Text, "only with `--by=module`: the module's path"} | needs(kModules) |
         inText("module", 0, 9) | Look::Name,
     nameOfRow},
    {ColumnInfo{"file", Holds::Text, "only with `--by=file`: the source file"} | needs(kFiles) | inText("file", 0, 9) |
         Look::Name,
     nameOfRow},
    {ColumnInfo{"arguments", Holds::Text,
                "only with `--args`: `(n=10)`; `(…)` for a function with too many lists of arguments"} |
         kOrNull | needs(kArguments),
     [](const Row &row) -> Value { return row.row->arguments; }},
    {ColumnInfo{"result", Holds::Text, "only with `--args`: `55`; `55, …` if not all calls returned the same"} |
         kOrNull | needs(kArguments),
     [](const Row &row) -> Value { return row.row->result; }},
    {ColumnInfo{"source", Holds::Text, "file and line of a function"} | kOrNull,
     [](const Row &row) -> Value { return row.source; }},
    {ColumnInfo{"calls", Holds::Count, "all calls, however they ended"} | inText("calls", 12) | kSorts,
     [](const Row &row) -> Value { return figuresOf(row).calls; }},
    {ColumnInfo{"exceptions", Holds::Count, "how many of them were left by an exception or longjmp"},
     [](const Row &row) -> Value { return figuresOf(row).exceptions; }},
    {ColumnInfo{"inferred", Holds::Count, "how many of them ended unseen: a later event proves that they are over"},
     [](const Row &row) -> Value { return figuresOf(row).inferred; }},
    {ColumnInfo{"missing", Holds::Count, "how many of them have no recorded exit"},
     [](const Row &row) -> Value { return figuresOf(row).missing; }},
    {ColumnInfo{"open", Holds::Count, "how many of them had not ended when the trace did"},
     [](const Row &row) -> Value { return figuresOf(row).open; }},
    {ColumnInfo{"total_ns", Holds::Duration, "time in which at least one call was running"} | inText("total", 11, 1) |
         kSorts | Look::Number,
     [](const Row &row) -> Value { return figuresOf(row).totalNs; }},
    {ColumnInfo{"self_ns", Holds::Duration,
                "the part of `total_ns` spent in no other traced function, without the recorder's time"} |
         inText("self", 11, 3) | kSorts | Look::Number,
     [](const Row &row) -> Value { return figuresOf(row).selfNs; }},
    {ColumnInfo{"min_ns", Holds::Duration, "durations of single calls whose exit was recorded; 0 if there are none"} |
         inText("min", 11, 6, 2) | kSorts,
     minOf, ifAny<minOf>},
    {ColumnInfo{"p50_ns", Holds::Duration} | inText("p50", 11, 6, 5) | kSorts, percentileOf<50>,
     ifAny<percentileOf<50>>},
    {ColumnInfo{"p90_ns", Holds::Duration} | inText("p90", 11, 6, 1) | kSorts, percentileOf<90>,
     ifAny<percentileOf<90>>},
    {ColumnInfo{"p99_ns", Holds::Duration} | inText("p99", 11, 6, 8) | kSorts, percentileOf<99>,
     ifAny<percentileOf<99>>},
    {ColumnInfo{"max_ns", Holds::Duration} | inText("max", 11, 6, 6) | kSorts, maxOf, ifAny<maxOf>},
    {ColumnInfo{
         "total_error_ns", Holds::Duration,
         "only with `clock=tick`: the largest error of `total_ns` and `self_ns`, in nineteen cases out of twenty"} |
         needs(kCoarse) | inText("+/-", 11, 2, 3),
     [](const Row &row) -> Value { return errorOf(row, figuresOf(row).totalNs, figuresOf(row).calls); }},
    // Self time is cut into an unknown number of pieces by the calls that the function makes.
    {ColumnInfo{"self_error_ns", Holds::Duration} | needs(kCoarse) | inText("+/-", 11, 4, 3),
     [](const Row &row) -> Value { return errorOf(row, figuresOf(row).selfNs, std::nullopt); }},
    {ColumnInfo{"earlier", Holds::Count,
                "calls that began before the first event that was kept (`max_size`, `max_time`, `flight`), or before "
                "the first event of the part (`rotate`); `self_ns` counts from there"},
     [](const Row &row) -> Value { return figuresOf(row).earlier; }},
    {ColumnInfo{"on_cpu_self_ns", Holds::Duration,
                "the on-CPU part of `self_ns`; like the next four, `null` if that was not recorded "
                "([sched.md](formats/sched.md))"} |
         kOrNull | csvNeeds(kOffCpu) | inText("on-cpu", 11, 5, 4) | textNeeds(kOffCpu) | kSorts,
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).onCpuSelfNs()); }},
    {ColumnInfo{"waiting_ns", Holds::Duration,
                "the parts of `total_ns` in which a thread was off-CPU: because it waited, or because another thread "
                "ran on its core"} |
         kOrNull | csvNeeds(kOffCpu) | inText("waiting", 11, 5, 10) | textNeeds(kOffCpu) | kSorts,
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).off.waitingNs); }},
    {ColumnInfo{"preempted_ns", Holds::Duration} | kOrNull | csvNeeds(kOffCpu) | inText("preempted", 11, 5, 4) |
         textNeeds(kOffCpu) | kSorts,
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).off.preemptedNs); }},
    {ColumnInfo{"self_waiting_ns", Holds::Duration, "the same parts of `self_ns`"} | kOrNull | kNotInCsv,
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).selfOff.waitingNs); }},
    {ColumnInfo{"self_preempted_ns", Holds::Duration} | kOrNull | kNotInCsv,
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).selfOff.preemptedNs); }},
    {ColumnInfo{"recorder_ns", Holds::Duration,
                "the part of `total_ns` in which the recorder held threads up: neither running nor waiting; `null` if "
                "nothing is known"} |
         kOrNull | csvNeeds(kOffCpu) | inText("recorder", 11, 5) | textNeeds(kRecorder) | kSorts,
     [](const Row &row) -> Value { return ifLane(row, figuresOf(row).off.recorderNs); }},
    {ColumnInfo{"self_recorder_ns", Holds::Duration,
                "the same without the calls that they made; not part of `self_ns`"} |
         kOrNull | kNotInCsv,
     [](const Row &row) -> Value { return ifLane(row, figuresOf(row).selfOff.recorderNs); }},
    {ColumnInfo{"unknown_ns", Holds::Duration,
                "the parts of `total_ns` and `self_ns` for which it is not known whether a thread ran: the system's "
                "scheduling records are missing. `self_ns` = `on_cpu_self_ns` + `self_waiting_ns` + "
                "`self_preempted_ns` + `self_unknown_ns`"} |
         kOrNull | csvNeeds(kOffCpu) | inText("unknown", 11, 5) | textNeeds(kUnknown) | kSorts,
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).off.unknownNs); }},
    {ColumnInfo{"self_unknown_ns", Holds::Duration} | kOrNull | kNotInCsv,
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).selfOff.unknownNs); }},
    {ColumnInfo{
         "annotation", Holds::Text,
         "only for [annotations](reference/annotations.md): as in `dump`. Counters have no rows: see `--counters`"} |
         kNotInCsv,
     [](const Row &row) -> Value {
       return kindOf(row) == SymbolKind::Function ? Value(Absent()) : Value(kindName(kindOf(row)));
     }},
    {ColumnInfo{"histogram", Holds::Objects,
                "only with `--histogram`: the bins that have calls; there are four per power of two"} |
         needs(kHistogram) | kNotInCsv,
     histogramOf},
};

//===--- single calls -----------------------------------------------------===//

Value ifCallSched(const CallLine &line, uint64_t OffCpuTimes::*ns) {
  return knownIf(line.thread().knowsSched(), offCpuOf(line).value_or(OffCpuTimes()).*ns);
}

std::string whereOf(const CallLine &line) {
  std::string where = std::to_string(line.thread().number);
  if (line.trace->processes.size() > 1)
    where = line.trace->processOf(line.thread()).label + "/" + where;
  return line.thread().label.empty() ? where : where + " " + line.thread().label;
}

constexpr Column<CallLine> kCalls[] = {
    {kPid, [](const CallLine &line) -> Value { return line.trace->processOf(line.thread()).pid; }},
    {kProcessInOther, [](const CallLine &line) -> Value { return line.trace->processOf(line.thread()).label; }},
    {ColumnInfo{"thread", Holds::Number} | inText("thread", 24, 3, 1) | kLeft,
     [](const CallLine &line) -> Value { return line.thread().number; }, whereOf},
    {kTid, [](const CallLine &line) -> Value { return line.thread().tid; }},
    {ColumnInfo{"seq", Holds::Number,
                "number of the event with which the call began; `null` if that event was not kept"} |
         kOrNull,
     [](const CallLine &line) -> Value { return knownIf(!line.call->span.isEarlier, line.call->span.beginSeq); }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when the call began"} | inText("begin", 13, 2, 2),
     [](const CallLine &line) -> Value { return line.call->span.beginNs; },
     [](const CallLine &line) {
       return formatDuration(line.call->span.beginNs - std::min(line.originNs, line.call->span.beginNs));
     }},
    {ColumnInfo{"duration_ns", Holds::Duration,
                "time between entry and exit; for an open call, until its thread's last event"} |
         inText("duration", 11) | Look::Number,
     [](const CallLine &line) -> Value { return line.call->span.durationNs(); }},
    {ColumnInfo{"self_ns", Holds::Duration,
                "the part of `duration_ns` spent in no other traced function, without the recorder's time"} |
         inText("self", 11, 1, 3) | Look::Number,
     [](const CallLine &line) -> Value { return line.call->span.selfNs(); }},
    {ColumnInfo{"end", Holds::Text, "`return`, `exception`, `inferred`, `missing`, `open`"},
     [](const CallLine &line) -> Value { return spanEndName(line.call->span.how); }},
    {ColumnInfo{"function", Holds::Text, "in the style of `--names`"} | inText("call", 0, 9) | Look::Name,
     [](const CallLine &line) -> Value { return line.name; },
     [](const CallLine &line) {
       return withArguments(line.name, line.call->arguments, line.trace->functions[line.call->span.functionIndex].kind);
     }},
    {ColumnInfo{"arguments", Holds::Text, "with `--args`: `(n=10)`"} | kOrNull,
     [](const CallLine &line) -> Value { return line.call->arguments; }},
    {ColumnInfo{"result", Holds::Text, "with `--args`: `55`"} | kOrNull,
     [](const CallLine &line) -> Value { return line.call->result; }},
    {kSource, [](const CallLine &line) -> Value { return line.source; }},
    {ColumnInfo{"earlier", Holds::Flag, "as in `tree`"},
     [](const CallLine &line) -> Value { return line.call->span.isEarlier; }},
    {ColumnInfo{"waiting_ns", Holds::Duration,
                "the parts of `duration_ns` in which the thread was off-CPU; `null` if that was not recorded"} |
         kOrNull | kNotInCsv,
     [](const CallLine &line) -> Value { return ifCallSched(line, &OffCpuTimes::waitingNs); }},
    {ColumnInfo{"preempted_ns", Holds::Duration} | kOrNull | kNotInCsv,
     [](const CallLine &line) -> Value { return ifCallSched(line, &OffCpuTimes::preemptedNs); }},
    {ColumnInfo{"recorder_ns", Holds::Duration,
                "the parts of `duration_ns` in which the recorder held the thread up, and for which it is not known "
                "whether the thread ran"} |
         kOrNull | kNotInCsv,
     [](const CallLine &line) -> Value {
       const auto off = offCpuOf(line);
       return off ? Value(off->recorderNs) : Value();
     }},
    {ColumnInfo{"unknown_ns", Holds::Duration} | kOrNull | kNotInCsv,
     [](const CallLine &line) -> Value { return ifCallSched(line, &OffCpuTimes::unknownNs); }},
};

} // namespace

Columns<ReportLine> reportColumns() { return kReport; }
Columns<Distribution::Bin> binColumns() { return kBins; }

std::vector<ReportLine> sortedLines(const Report &report, const TraceTable &trace, NameStyle style,
                                    std::string_view sort) {
  const Column<ReportLine> *column = sort == "name" ? nullptr : findColumn(reportColumns(), sort);
  std::vector<ReportLine> lines;
  std::vector<std::pair<uint64_t, size_t>> keys;
  for (const ReportRow &row : report.rows) {
    if (row.function && row.function->kind == SymbolKind::Counter) // counters have their own, more detailed table
      continue;
    lines.push_back({&row, &trace, row.function ? nameOf(*row.function, style) : row.group,
                     row.function ? sourceOf(*row.function) : ""});
    keys.emplace_back(column ? column->get(lines.back()).number() : 0, lines.size() - 1);
  }
  std::ranges::sort(keys, [&](const auto &a, const auto &b) {
    if (a.first != b.first)
      return a.first > b.first;
    const auto key = [&](const ReportLine &line) {
      return std::tie(line.name, line.row->arguments, line.row->process, line.row->thread, line.source);
    };
    const ReportLine &left = lines[a.second], &right = lines[b.second];
    if (key(left) != key(right))
      return key(left) < key(right);
    return left.row->function && right.row->function && left.row->function->id < right.row->function->id;
  });
  std::vector<ReportLine> sorted;
  for (const auto &[key, line] : keys)
    sorted.push_back(std::move(lines[line]));
  return sorted;
}

Facts reportFacts(const std::vector<ReportLine> &lines, const TraceTable &trace, const ReportOptions &options,
                  bool histogram) {
  // At least a thousandth of a row's total justifies a column.
  const auto isNeeded = [&](uint64_t OffCpuTimes::*ns) {
    return std::ranges::any_of(lines, [&](const ReportLine &line) {
      return figuresOf(line).off.*ns > 0 && figuresOf(line).off.*ns >= figuresOf(line).totalNs / 1000;
    });
  };
  Facts facts = processFacts(trace) | (options.by == ReportBy::Module ? kModules
                                       : options.by == ReportBy::File ? kFiles
                                                                      : kFunctions);
  const auto add = [&](Facts fact, bool isTrue) { facts |= isTrue ? fact : 0; };
  add(kThreads, options.by == ReportBy::Thread);
  add(kFolded, options.foldsProcesses);
  add(kArguments, options.arguments);
  add(kHistogram, histogram);
  add(kCoarse, std::ranges::any_of(trace.processes, [](const auto &process) { return process.resolutionNs > 0; }));
  add(kOffCpu, std::ranges::any_of(trace.threads, [](const auto &thread) { return thread.knowsSched(); }));
  add(kRecorder, isNeeded(&OffCpuTimes::recorderNs));
  add(kUnknown, isNeeded(&OffCpuTimes::unknownNs));
  return facts;
}

Columns<CallLine> callColumns() { return kCalls; }

std::optional<OffCpuTimes> offCpuOf(const CallLine &line) {
  const OffCpuLane *lane = line.thread().offCpu.get();
  return lane ? std::optional(lane->timesBetween(line.call->span.beginNs, line.call->span.endNs)) : std::nullopt;
}

} // namespace ada::analysis
