// The columns of a report, and of lists of single calls.
#include "report_table.h"

#include "analysis/values/value_texts.h"
#include "base/quantities.h"

#include <algorithm>
#include <cmath>

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
};

// Whether `has` holds for the row's thread, or any of its process.
template <class Has> bool anyThread(const ReportLine &line, const Has &has) {
  const std::vector<model::Thread> &threads = line.trace->threads;
  if (line.row->thread)
    return has(threads[*line.row->thread]);
  return std::ranges::any_of(
      threads, [&](const model::Thread &thread) { return thread.process == line.row->process && has(thread); });
}
Value ifSched(const ReportLine &line, uint64_t ns) {
  return knownIf(anyThread(line, [](const model::Thread &thread) { return thread.knowsSched(); }), ns);
}
Value ifLane(const ReportLine &line, uint64_t ns) {
  return knownIf(anyThread(line, [](const model::Thread &thread) { return thread.offCpu != nullptr; }), ns);
}

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
std::string shownName(const ReportLine &line) {
  return withArguments(line.name, line.row->arguments, kindOf(line));
}

using Bin = Distribution::Bin;
constexpr Column<Bin> kBins[] = {
    {{.key = "from_ns", .holds = Holds::Duration, .help = "its calls took at least that long"},
     [](const Bin &bin) -> Value { return bin.from; }},
    {{.key = "to_ns", .holds = Holds::Duration, .help = "and less than that"},
     [](const Bin &bin) -> Value { return bin.to; }},
    {{.key = "calls", .holds = Holds::Count, .help = "how many there are"},
     [](const Bin &bin) -> Value { return bin.count; }},
};
Value histogramOf(const ReportLine &line) {
  std::vector<Bin> bins = figuresOf(line).durations.bins(4);
  std::erase_if(bins, [](const Bin &bin) { return bin.count == 0; });
  return jsonList(Columns<Bin>(kBins), bins);
}

using Row = ReportLine;
constexpr Column<Row> kReport[] = {
    {kPid,
     [](const Row &row) -> Value { return row.trace->processes[row.row->process].pid; }},
    {kProcess,
     [](const Row &row) -> Value { return row.trace->processes[row.row->process].name; }},
    {{.key = "thread", .heading = "thread", .holds = Holds::Number, .help = "only with `--by=thread`: see above",
      .needs = kThreads},
     [](const Row &row) -> Value { return threadOf(row).number; }},
    {{.key = "tid", .heading = "tid", .holds = Holds::Number, .needs = kThreads, .width = 8, .drop = 7},
     [](const Row &row) -> Value { return threadOf(row).tid; }},
    {{.key = "thread_name", .heading = "name", .help = "only with `--by=thread`", .needs = kThreads, .width = 15,
      .drop = 9},
     [](const Row &row) -> Value { return threadOf(row).name; }},
    {{.key = "function", .heading = "function",
      .help = "in the style of `--names`; with `--by=module` the key is `module`, with `--by=file` it is `file`",
      .needs = kFunctions, .look = Look::Name, .order = 9},
     nameOfRow, shownName},
    {{.key = "module", .heading = "module", .help = "only with `--by=module`: the module's path", .needs = kModules,
      .look = Look::Name, .order = 9},
     nameOfRow},
    {{.key = "file", .heading = "file", .help = "only with `--by=file`: the source file", .needs = kFiles,
      .look = Look::Name, .order = 9},
     nameOfRow},
    {{.key = "arguments", .orNull = true,
      .help = "only with `--args`: `(n=10)`; `(…)` for a function with too many lists of arguments",
      .needs = kArguments},
     [](const Row &row) -> Value { return row.row->arguments; }},
    {{.key = "result", .orNull = true,
      .help = "only with `--args`: `55`; `55, …` if not all calls returned the same", .needs = kArguments},
     [](const Row &row) -> Value { return row.row->result; }},
    {{.key = "source", .orNull = true, .help = "file and line of a function"},
     [](const Row &row) -> Value { return row.source; }},
    {{.key = "calls", .heading = "calls", .holds = Holds::Count, .help = "all calls, however they ended",
      .sorts = true, .width = 12},
     [](const Row &row) -> Value { return figuresOf(row).calls; }},
    {{.key = "exceptions", .holds = Holds::Count,
      .help = "how many of them were left by an exception or longjmp"},
     [](const Row &row) -> Value { return figuresOf(row).exceptions; }},
    {{.key = "missing", .holds = Holds::Count, .help = "how many of them have no recorded exit"},
     [](const Row &row) -> Value { return figuresOf(row).missing; }},
    {{.key = "open", .holds = Holds::Count, .help = "how many of them had not ended when the trace did"},
     [](const Row &row) -> Value { return figuresOf(row).open; }},
    {{.key = "total_ns", .heading = "total", .holds = Holds::Duration,
      .help = "time in which at least one call was running", .sorts = true, .look = Look::Number, .width = 11,
      .order = 1},
     [](const Row &row) -> Value { return figuresOf(row).totalNs; }},
    {{.key = "self_ns", .heading = "self", .holds = Holds::Duration,
      .help = "the part of `total_ns` spent in no other traced function, without the recorder's time", .sorts = true,
      .look = Look::Number, .width = 11, .order = 3},
     [](const Row &row) -> Value { return figuresOf(row).selfNs; }},
    {{.key = "min_ns", .heading = "min", .holds = Holds::Duration,
      .help = "durations of single calls whose exit was recorded; 0 if there are none", .sorts = true, .width = 11,
      .order = 6, .drop = 2},
     minOf, ifAny<minOf>},
    {{.key = "p50_ns", .heading = "p50", .holds = Holds::Duration, .sorts = true, .width = 11, .order = 6, .drop = 5},
     percentileOf<50>, ifAny<percentileOf<50>>},
    {{.key = "p90_ns", .heading = "p90", .holds = Holds::Duration, .sorts = true, .width = 11, .order = 6, .drop = 1},
     percentileOf<90>, ifAny<percentileOf<90>>},
    {{.key = "p99_ns", .heading = "p99", .holds = Holds::Duration, .sorts = true, .width = 11, .order = 6, .drop = 8},
     percentileOf<99>, ifAny<percentileOf<99>>},
    {{.key = "max_ns", .heading = "max", .holds = Holds::Duration, .sorts = true, .width = 11, .order = 6, .drop = 6},
     maxOf, ifAny<maxOf>},
    {{.key = "total_error_ns", .heading = "+/-", .holds = Holds::Duration,
      .help = "only with `clock=tick`: the largest error of `total_ns` and `self_ns`, in nineteen cases out of twenty",
      .needs = kCoarse, .width = 11, .order = 2, .drop = 3},
     [](const Row &row) -> Value { return errorOf(row, figuresOf(row).totalNs, figuresOf(row).calls); }},
    // Self time is cut into an unknown number of pieces by the calls that the function makes.
    {{.key = "self_error_ns", .heading = "+/-", .holds = Holds::Duration, .needs = kCoarse, .width = 11, .order = 4,
      .drop = 3},
     [](const Row &row) -> Value { return errorOf(row, figuresOf(row).selfNs, std::nullopt); }},
    {{.key = "earlier", .holds = Holds::Count,
      .help = "calls that began before the first event that was kept (`max_size`, `max_time`, `flight`), or before the "
              "first event of the part (`rotate`); `self_ns` counts from there"},
     [](const Row &row) -> Value { return figuresOf(row).earlier; }},
    {{.key = "on_cpu_self_ns", .heading = "on-cpu", .holds = Holds::Duration, .orNull = true,
      .help = "the on-CPU part of `self_ns`; like the next four, `null` if that was not recorded "
              "([sched.md](formats/sched.md))",
      .text = kOffCpu, .csv = kOffCpu, .sorts = true, .width = 11, .order = 5, .drop = 4},
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).onCpuSelfNs()); }},
    {{.key = "waiting_ns", .heading = "waiting", .holds = Holds::Duration, .orNull = true,
      .help = "the parts of `total_ns` in which a thread was off-CPU: because it waited, or because another thread ran "
              "on its core",
      .text = kOffCpu, .csv = kOffCpu, .sorts = true, .width = 11, .order = 5, .drop = 10},
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).off.waitingNs); }},
    {{.key = "preempted_ns", .heading = "preempted", .holds = Holds::Duration, .orNull = true, .text = kOffCpu,
      .csv = kOffCpu, .sorts = true, .width = 11, .order = 5, .drop = 4},
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).off.preemptedNs); }},
    {{.key = "self_waiting_ns", .holds = Holds::Duration, .orNull = true, .help = "the same parts of `self_ns`",
      .csv = kNever},
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).selfOff.waitingNs); }},
    {{.key = "self_preempted_ns", .holds = Holds::Duration, .orNull = true, .csv = kNever},
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).selfOff.preemptedNs); }},
    {{.key = "recorder_ns", .heading = "recorder", .holds = Holds::Duration, .orNull = true,
      .help = "the part of `total_ns` in which the recorder held threads up: neither running nor waiting; `null` if "
              "nothing is known",
      .text = kRecorder, .csv = kOffCpu, .sorts = true, .width = 11, .order = 5},
     [](const Row &row) -> Value { return ifLane(row, figuresOf(row).off.recorderNs); }},
    {{.key = "self_recorder_ns", .holds = Holds::Duration, .orNull = true,
      .help = "the same without the calls that they made; not part of `self_ns`", .csv = kNever},
     [](const Row &row) -> Value { return ifLane(row, figuresOf(row).selfOff.recorderNs); }},
    {{.key = "unknown_ns", .heading = "unknown", .holds = Holds::Duration, .orNull = true,
      .help = "the parts of `total_ns` and `self_ns` for which it is not known whether a thread ran: the system's "
              "scheduling records were lost, or there are none. `self_ns` = `on_cpu_self_ns` + `self_waiting_ns` + "
              "`self_preempted_ns` + `self_unknown_ns`",
      .text = kUnknown, .csv = kOffCpu, .sorts = true, .width = 11, .order = 5},
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).off.unknownNs); }},
    {{.key = "self_unknown_ns", .holds = Holds::Duration, .orNull = true, .csv = kNever},
     [](const Row &row) -> Value { return ifSched(row, figuresOf(row).selfOff.unknownNs); }},
    {{.key = "annotation",
      .help = "only for [annotations](reference/annotations.md): as in `dump`. Counters have no rows: see `--counters`",
      .csv = kNever},
     [](const Row &row) -> Value {
       return kindOf(row) == SymbolKind::Function ? Value(Absent()) : Value(kindName(kindOf(row)));
     }},
    {{.key = "histogram", .holds = Holds::Objects,
      .help = "only with `--histogram`: the bins that have calls; there are four per power of two",
      .needs = kHistogram, .csv = kNever},
     histogramOf},
};

//===--- single calls -----------------------------------------------------===//

Value ifCallSched(const CallLine &line, uint64_t OffCpuTimes::*ns) {
  return knownIf(line.thread().knowsSched(), offCpuOf(line).value_or(OffCpuTimes()).*ns);
}

std::string whereOf(const CallLine &line) {
  std::string where = std::to_string(line.thread().number);
  if (line.trace->processes.size() > 1)
    where = line.trace->processOf(line.thread()).name + "/" + where;
  return line.thread().name.empty() ? where : where + " " + line.thread().name;
}

constexpr Column<CallLine> kCalls[] = {
    {kPid,
     [](const CallLine &line) -> Value { return line.trace->processOf(line.thread()).pid; }},
    {kProcessInOther,
     [](const CallLine &line) -> Value { return line.trace->processOf(line.thread()).name; }},
    {{.key = "thread", .heading = "thread", .holds = Holds::Number, .width = 24, .order = 3, .drop = 1},
     [](const CallLine &line) -> Value { return line.thread().number; }, whereOf},
    {kTid, [](const CallLine &line) -> Value { return line.thread().tid; }},
    {{.key = "seq", .holds = Holds::Number, .orNull = true,
      .help = "number of the event with which the call began; `null` if that event was not kept"},
     [](const CallLine &line) -> Value {
       return knownIf(!line.call->span.isEarlier, line.call->span.beginSeq);
     }},
    {{.key = "begin_ns", .heading = "begin", .holds = Holds::Moment, .help = "when the call began", .width = 13,
      .order = 2, .drop = 2},
     [](const CallLine &line) -> Value { return line.call->span.beginNs; },
     [](const CallLine &line) {
       return formatDuration(line.call->span.beginNs - std::min(line.originNs, line.call->span.beginNs));
     }},
    {{.key = "duration_ns", .heading = "duration", .holds = Holds::Duration,
      .help = "time between entry and exit; for an open call, until its thread's last event", .look = Look::Number,
      .width = 11},
     [](const CallLine &line) -> Value { return line.call->span.durationNs(); }},
    {{.key = "self_ns", .heading = "self", .holds = Holds::Duration,
      .help = "the part of `duration_ns` spent in no other traced function, without the recorder's time",
      .look = Look::Number, .width = 11, .order = 1, .drop = 3},
     [](const CallLine &line) -> Value { return line.call->span.selfNs(); }},
    {{.key = "end", .help = "`return`, `exception`, `missing`, `open`"},
     [](const CallLine &line) -> Value { return spanEndName(line.call->span.how); }},
    {{.key = "function", .heading = "call", .help = "in the style of `--names`", .look = Look::Name, .order = 9},
     [](const CallLine &line) -> Value { return line.name; },
     [](const CallLine &line) {
       return withArguments(line.name, line.call->arguments,
                            line.trace->functions[line.call->span.functionIndex].kind);
     }},
    {{.key = "arguments", .orNull = true, .help = "with `--args`: `(n=10)`"},
     [](const CallLine &line) -> Value { return line.call->arguments; }},
    {{.key = "result", .orNull = true, .help = "with `--args`: `55`"},
     [](const CallLine &line) -> Value { return line.call->result; }},
    {kSource,
     [](const CallLine &line) -> Value { return line.source; }},
    {{.key = "earlier", .holds = Holds::Flag, .help = "as in `tree`"},
     [](const CallLine &line) -> Value { return line.call->span.isEarlier; }},
    {{.key = "waiting_ns", .holds = Holds::Duration, .orNull = true,
      .help = "the parts of `duration_ns` in which the thread was off-CPU; `null` if that was not recorded",
      .csv = kNever},
     [](const CallLine &line) -> Value { return ifCallSched(line, &OffCpuTimes::waitingNs); }},
    {{.key = "preempted_ns", .holds = Holds::Duration, .orNull = true, .csv = kNever},
     [](const CallLine &line) -> Value { return ifCallSched(line, &OffCpuTimes::preemptedNs); }},
    {{.key = "recorder_ns", .holds = Holds::Duration, .orNull = true,
      .help = "the parts of `duration_ns` in which the recorder held the thread up, and for which it is not known whether "
              "the thread ran",
      .csv = kNever},
     [](const CallLine &line) -> Value {
       const auto off = offCpuOf(line);
       return off ? Value(off->recorderNs) : Value();
     }},
    {{.key = "unknown_ns", .holds = Holds::Duration, .orNull = true, .csv = kNever},
     [](const CallLine &line) -> Value { return ifCallSched(line, &OffCpuTimes::unknownNs); }},
};

} // namespace

Columns<ReportLine> reportColumns() { return kReport; }
Columns<Distribution::Bin> binColumns() { return kBins; }

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
