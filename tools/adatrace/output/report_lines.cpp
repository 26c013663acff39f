// Prints the rows of a report and lists of single calls.
#include "report_lines.h"
#include "base/quantities.h"
#include "json_fields.h"
#include "off_cpu_text.h"

#include "analysis/values/value_texts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ada::cli {

using analysis::ReportBy;
using analysis::ReportRow;
using analysis::SlowCall;

namespace {

// A column by which rows can be sorted, and its value.
struct Column {
  const char *name;
  uint64_t (*value)(const FunctionStatistics &figures);
};
constexpr Column kColumns[] = {
    {"calls", [](const FunctionStatistics &figures) { return figures.calls; }},
    {"total", [](const FunctionStatistics &figures) { return figures.totalNs; }},
    {"self", [](const FunctionStatistics &figures) { return figures.selfNs; }},
    {"min", [](const FunctionStatistics &figures) { return figures.durations.min(); }},
    {"p50", [](const FunctionStatistics &figures) { return figures.durations.percentile(50); }},
    {"p90", [](const FunctionStatistics &figures) { return figures.durations.percentile(90); }},
    {"p99", [](const FunctionStatistics &figures) { return figures.durations.percentile(99); }},
    {"max", [](const FunctionStatistics &figures) { return figures.durations.max(); }},
};

// Only for traces with scheduling records.
constexpr Column kOffCpuColumns[] = {
    {"on-cpu", [](const FunctionStatistics &figures) { return figures.onCpuSelfNs(); }},
    {"waiting", [](const FunctionStatistics &figures) { return figures.off.waitingNs; }},
    {"preempted", [](const FunctionStatistics &figures) { return figures.off.preemptedNs; }},
};
// Shown only if a trace has such values. Text only: CSV always has these columns.
constexpr Column kOtherColumns[] = {
    {"recorder", [](const FunctionStatistics &figures) { return figures.off.recorderNs; }},
    {"unknown", [](const FunctionStatistics &figures) { return figures.off.unknownNs; }},
};
bool hasOffCpu(const TraceInput &input) {
  return std::ranges::any_of(input.table().threads, [](const model::Thread &thread) { return thread.knowsSched(); });
}
bool hasOffCpu(const ReportRow &row, const TraceInput &input) {
  const std::vector<model::Thread> &threads = input.table().threads;
  if (row.thread)
    return threads[*row.thread].knowsSched();
  return std::ranges::any_of(
      threads, [&](const model::Thread &thread) { return thread.process == row.process && thread.knowsSched(); });
}
bool hasLane(const ReportRow &row, const TraceInput &input) {
  const std::vector<model::Thread> &threads = input.table().threads;
  if (row.thread)
    return threads[*row.thread].offCpu != nullptr;
  return std::ranges::any_of(
      threads, [&](const model::Thread &thread) { return thread.process == row.process && thread.offCpu; });
}
// Whether a row has a value that justifies the column: at least a thousandth of the row's total.
bool isNeeded(const Column &column, std::span<const ReportLine> lines) {
  return std::ranges::any_of(lines, [&](const ReportLine &line) {
    const uint64_t ns = column.value(line.row->figures);
    return ns > 0 && ns >= line.row->figures.totalNs / 1000;
  });
}

// The largest error, nineteen times out of twenty, of a sum of times read from a clock that advances every
// P = `resolution`. An interval of length d that starts at a random moment is measured as a multiple of P that is right
// on average. Its variance is P² f (1 - f), where f is the fractional part of d/P: at most P²/4, and at most P d. So
// two standard deviations are at most P √n for n intervals, and at most 2 √(P · sum).
uint64_t errorOf(uint64_t sum, std::optional<uint64_t> stretches, uint64_t resolution) {
  const double p = static_cast<double>(resolution);
  double error = 2 * std::sqrt(p * (static_cast<double>(sum) + p));
  if (stretches)
    error = std::min(error, p * std::sqrt(static_cast<double>(*stretches)));
  return static_cast<uint64_t>(error);
}
struct Errors {
  uint64_t total, self;
};
Errors errorsOf(const ReportRow &row, const TraceInput &input) {
  const uint64_t resolution = input.table().processes[row.process].resolutionNs;
  // Self time is cut into an unknown number of pieces by the calls that the function makes.
  return resolution ? Errors{errorOf(row.figures.totalNs, row.figures.calls, resolution),
                             errorOf(row.figures.selfNs, std::nullopt, resolution)}
                    : Errors{};
}
bool isCoarse(const TraceInput &input) {
  return std::ranges::any_of(input.table().processes, [](const model::Process &p) { return p.resolutionNs > 0; });
}

// The columns of a row before its figures.
struct Place {
  std::string process;
  uint64_t number = 0, tid = 0;
  std::string threadName;
};
Place placeOf(const ReportRow &row, const TraceInput &input) {
  Place place{input.table().processes[row.process].name, 0, 0, {}};
  if (row.thread) {
    const model::Thread &thread = input.table().threads[*row.thread];
    place.number = thread.number;
    place.tid = thread.tid;
    place.threadName = thread.name;
  }
  return place;
}

SymbolKind kindOf(const ReportRow &row) { return row.function ? row.function->kind : SymbolKind::Function; }

std::string withArguments(const std::string &name, const ReportRow &row) {
  return analysis::withArguments(name, row.arguments, kindOf(row));
}

// Prints the notes after a row's name.
void printEnds(Output &out, const Palette &palette, const ReportLine &line, const ReportLineOptions &options) {
  const FunctionStatistics &figures = line.row->figures;
  if (figures.exceptions)
    out.print(" {}[{} left by exception]{}", palette.error, formatCount(figures.exceptions), palette.reset);
  if (figures.earlier)
    out.print(" {}[{} began before the trace]{}", palette.dim, formatCount(figures.earlier), palette.reset);
  if (figures.open)
    out.print(" {}[{} still open]{}", palette.warn, formatCount(figures.open), palette.reset);
  if (options.names.source && !line.source.empty())
    out.print("  {}{}{}", palette.dim, line.source, palette.reset);
  out.write("\n");
}

// Bins as fine as fit on half a screen. Only the first of consecutive empty bins is kept.
std::vector<Distribution::Bin> binsOf(const Distribution &durations) {
  constexpr size_t kMostLines = 24;
  for (unsigned perOctave = 16;; perOctave /= 2) {
    std::vector<Distribution::Bin> bins = durations.bins(perOctave);
    const auto isEmpty = [](const Distribution::Bin &bin) { return bin.count == 0; };
    bins.erase(std::unique(bins.begin(), bins.end(),
                           [&](const auto &left, const auto &right) { return isEmpty(left) && isEmpty(right); }),
               bins.end());
    if (bins.size() <= kMostLines || perOctave == 1)
      return bins;
  }
}

// `width` is in eighths of a column.
std::string barOf(size_t width) {
  static constexpr const char *kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  std::string bar;
  for (size_t i = 0; i < width / 8; ++i)
    bar += "█";
  return bar + kEighths[width % 8];
}

void printText(Output &out, const Palette &palette, std::span<const ReportLine> lines, const TraceInput &input,
               const ReportLineOptions &options) {
  const bool processes = input.severalProcesses(), threads = options.by == ReportBy::Thread, coarse = isCoarse(input),
             offCpu = hasOffCpu(input);
  std::vector<const Column *> others;
  for (const Column &column : kOtherColumns)
    if (isNeeded(column, lines))
      others.push_back(&column);
  out.print("{}", palette.dim);
  if (processes)
    out.print("{:<12}", "process");
  if (threads)
    out.print("{:>6} {:>8}  {:<15} ", "thread", "tid", "name");
  out.print("{:>12}", "calls");
  for (size_t i = 1; i < std::size(kColumns); ++i) {
    out.print(" {:>11}{}", kColumns[i].name, coarse && i < 3 ? "         +/-" : "");
    for (const Column &column : kOffCpuColumns)
      if (offCpu && i == 2)
        out.print(" {:>11}", column.name);
    for (const Column *column : others)
      if (i == 2)
        out.print(" {:>11}", column->name);
  }
  out.print("  {}{}\n", headingOf(options.by), palette.reset);
  for (const ReportLine &line : lines) {
    const ReportRow &row = *line.row;
    const Place place = placeOf(row, input);
    if (processes)
      out.print("{:<12}", place.process);
    if (threads)
      out.print("{:>6} {:>8}  {:<15} ", place.number, place.tid, place.threadName);
    out.print("{:>12}", formatCount(row.figures.calls));
    for (size_t i = 1; i < std::size(kColumns); ++i) {
      // Calls without an exit have no duration.
      const bool known = i < 3 || row.figures.durations.count() > 0;
      out.print(" {}{:>11}{}", i < 3 ? palette.number : Escape(),
                known ? formatDuration(kColumns[i].value(row.figures)) : "-", i < 3 ? palette.reset : Escape());
      if (coarse && i < 3)
        out.print(" {:>11}", formatDuration(i == 1 ? errorsOf(row, input).total : errorsOf(row, input).self));
      for (const Column &column : kOffCpuColumns)
        if (offCpu && i == 2)
          out.print(" {:>11}", hasOffCpu(row, input) ? formatDuration(column.value(row.figures)) : "-");
      for (const Column *column : others)
        if (i == 2)
          out.print(" {:>11}", hasLane(row, input) ? formatDuration(column->value(row.figures)) : "-");
    }
    out.print("  {}{}{}{}{}", palette.name, withArguments(line.name, row), palette.reset,
              row.result.empty() ? "" : " → ", row.result);
    printEnds(out, palette, line, options);
  }
  for (const model::Process &process : input.table().processes)
    if (process.resolutionNs)
      out.print("{}{}the clock advanced every {} (clock=tick): single durations are off by up to that, sums by at most "
                "+/- in 19 of 20 cases{}\n",
                palette.dim, processes ? process.name + ": " : "", formatDuration(process.resolutionNs), palette.reset);
}

void printCsv(Output &out, std::span<const ReportLine> lines, const TraceInput &input,
              const ReportLineOptions &options) {
  const bool threads = options.by == ReportBy::Thread, coarse = isCoarse(input), offCpu = hasOffCpu(input);
  out.print("{},{}", "process", threads ? "thread,tid,thread_name," : "");
  out.print(
      "{},{}source,calls,exceptions,missing,open,total_ns,self_ns,min_ns,p50_ns,p90_ns,p99_ns,max_ns{},earlier{}\n",
      headingOf(options.by), options.arguments ? "arguments,result," : "",
      coarse ? ",total_error_ns,self_error_ns" : "",
      offCpu ? ",on_cpu_self_ns,waiting_ns,preempted_ns,recorder_ns,unknown_ns" : "");
  for (const ReportLine &line : lines) {
    const ReportRow &row = *line.row;
    const Place place = placeOf(row, input);
    out.print("{},", input.severalProcesses() ? place.process : "");
    if (threads)
      out.print("{},{},{},", place.number, place.tid, csvField(place.threadName));
    out.print("{},", csvField(line.name));
    if (options.arguments)
      out.print("{},{},", csvField(row.arguments), csvField(row.result));
    out.print("{},{},{},{},{}", csvField(line.source), row.figures.calls, row.figures.exceptions, row.figures.missing,
              row.figures.open);
    for (size_t i = 1; i < std::size(kColumns); ++i)
      out.print(",{}", kColumns[i].value(row.figures));
    if (coarse)
      out.print(",{},{}", errorsOf(row, input).total, errorsOf(row, input).self);
    out.print(",{}", row.figures.earlier);
    for (const Column &column : kOffCpuColumns)
      if (offCpu)
        out.print(",{}", hasOffCpu(row, input) ? std::to_string(column.value(row.figures)) : "");
    for (const Column &column : kOtherColumns)
      if (offCpu)
        out.print(",{}", hasLane(row, input) ? std::to_string(column.value(row.figures)) : "");
    out.write("\n");
  }
}

std::string jsonOf(const ReportLine &line, const TraceInput &input, const ReportLineOptions &options) {
  const ReportRow &row = *line.row;
  JsonMembers json = processFields(input.table().processes[row.process]);
  if (row.thread) {
    const Place place = placeOf(row, input);
    json.number("thread", place.number).number("tid", place.tid).text("thread_name", place.threadName);
  }
  json.text(headingOf(options.by), line.name);
  if (options.arguments)
    json.textOrNull("arguments", row.arguments).textOrNull("result", row.result);
  json.textOrNull("source", line.source).number("calls", row.figures.calls);
  json.number("exceptions", row.figures.exceptions).number("missing", row.figures.missing);
  json.number("open", row.figures.open);
  for (size_t i = 1; i < std::size(kColumns); ++i)
    json.number(kColumns[i].name + std::string("_ns"), kColumns[i].value(row.figures));
  if (isCoarse(input))
    json.number("total_error_ns", errorsOf(row, input).total).number("self_error_ns", errorsOf(row, input).self);
  json.number("earlier", row.figures.earlier);
  const auto ifKnown = [isKnown = hasOffCpu(row, input)](uint64_t ns) {
    return isKnown ? std::optional(ns) : std::nullopt;
  };
  json.number("on_cpu_self_ns", ifKnown(row.figures.onCpuSelfNs()));
  json.number("waiting_ns", ifKnown(row.figures.off.waitingNs));
  json.number("preempted_ns", ifKnown(row.figures.off.preemptedNs));
  json.number("self_waiting_ns", ifKnown(row.figures.selfOff.waitingNs));
  json.number("self_preempted_ns", ifKnown(row.figures.selfOff.preemptedNs));
  const bool hasRecorder = hasLane(row, input);
  json.number("recorder_ns", hasRecorder ? std::optional(row.figures.off.recorderNs) : std::nullopt);
  json.number("self_recorder_ns", hasRecorder ? std::optional(row.figures.selfOff.recorderNs) : std::nullopt);
  json.number("unknown_ns", ifKnown(row.figures.off.unknownNs));
  json.number("self_unknown_ns", ifKnown(row.figures.selfOff.unknownNs));
  if (kindOf(row) != SymbolKind::Function)
    json.text("annotation", kindName(kindOf(row)));
  if (options.histogram) {
    json.beginArray("histogram");
    for (const Distribution::Bin &bin : row.figures.durations.bins(4))
      if (bin.count)
        json.beginObject().number("from_ns", bin.from).number("to_ns", bin.to).number("calls", bin.count).endObject();
    json.endArray();
  }
  return json.object();
}

template <class List, class Make> void printJson(Output &out, const List &list, bool isArray, Make make) {
  JsonList lines(out, isArray);
  for (const auto &entry : list) {
    lines.next();
    out.write(make(entry));
  }
  lines.finish();
}

//===--- single calls -----------------------------------------------------===//

// The off-CPU times of the call and all calls that it made; nothing if they are not known.
std::optional<OffCpuTimes> offCpuOf(const SlowCall &call, const TraceInput &input) {
  const OffCpuLane *lane = input.table().threads[call.thread].offCpu.get();
  return lane ? std::optional(lane->timesBetween(call.span.beginNs, call.span.endNs)) : std::nullopt;
}

// The note on a call that did not return.
std::string endOf(const Span &span) {
  switch (span.how) {
  case SpanEnd::Return:
    return "";
  case SpanEnd::Exception:
    return " [left by exception]";
  case SpanEnd::Missing:
    return " [no exit recorded]";
  case SpanEnd::Open:
    break;
  }
  return " [still open]";
}

void printCall(Output &out, const Palette &palette, const SlowCall &call, const TraceInput &input,
               const ReportLineOptions &options, const std::string &name, const std::string &source) {
  const model::Thread &thread = input.table().threads[call.thread];
  std::string where = std::to_string(thread.number);
  if (input.severalProcesses())
    where = fmt::format("{}/{}", input.table().processOf(thread).name, where);
  if (!thread.name.empty())
    where += " " + thread.name;
  out.print("{}{:>11} {:>11}{} {:>13}  {:<24}  {}{}{}{}{}{}", palette.number, formatDuration(call.span.durationNs()),
            formatDuration(call.span.selfNs()), palette.reset,
            formatDuration(call.span.beginNs - std::min(input.originNs(), call.span.beginNs)), where, palette.name,
            analysis::withArguments(name, call.arguments, input.table().functions[call.span.functionIndex].kind),
            palette.reset, call.result.empty() ? "" : " → ", call.result, endOf(call.span));
  if (const auto off = offCpuOf(call, input); off && off->notRunningNs() > 0)
    out.print(" {}[{}]{}", palette.warn, offCpuText(*off), palette.reset);
  if (call.span.isEarlier)
    out.write(" [began before the trace]");
  if (call.span.how == SpanEnd::Open)
    out.write(input.openText(call.span.beginNs, call.span.durationNs()));
  if (options.names.source && !source.empty())
    out.print("  {}{}{}", palette.dim, source, palette.reset);
  out.write("\n");
}

} // namespace

std::vector<std::string> reportColumns() {
  std::vector<std::string> names;
  for (const Column &column : kColumns)
    names.push_back(column.name);
  for (const Column &column : kOffCpuColumns)
    names.push_back(column.name);
  for (const Column &column : kOtherColumns)
    names.push_back(column.name);
  return names;
}

const char *headingOf(ReportBy by) {
  switch (by) {
  case ReportBy::Module:
    return "module";
  case ReportBy::File:
    return "file";
  default:
    return "function";
  }
}

std::vector<ReportLine> sortedLines(const analysis::Report &report, const ReportLineOptions &options) {
  uint64_t (*value)(const FunctionStatistics &) = nullptr;
  for (const Column &column : kColumns)
    if (options.sort == column.name)
      value = column.value;
  for (const Column &column : kOffCpuColumns)
    if (options.sort == column.name)
      value = column.value;
  for (const Column &column : kOtherColumns)
    if (options.sort == column.name)
      value = column.value;
  std::vector<ReportLine> lines;
  std::vector<std::pair<uint64_t, size_t>> keys;
  for (const ReportRow &row : report.rows) {
    if (row.function && row.function->kind == SymbolKind::Counter) // counters have their own, more detailed table
      continue;
    keys.emplace_back(value ? value(row.figures) : 0, lines.size());
    if (row.function)
      lines.push_back({&row, nameOf(*row.function, options.names.style), sourceOf(*row.function)});
    else
      lines.push_back({&row, row.group, {}});
  }
  std::ranges::sort(keys, [&](const auto &a, const auto &b) {
    if (a.first != b.first)
      return a.first > b.first;
    const auto key = [&](const ReportLine &line) {
      const ReportRow &row = *line.row;
      return std::tie(line.name, row.arguments, row.process, row.thread, line.source);
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

std::string csvField(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

void printReport(Output &out, const Palette &palette, std::span<const ReportLine> lines, const TraceInput &input,
                 const ReportLineOptions &options) {
  if (options.format == "text")
    return printText(out, palette, lines, input, options);
  if (options.format == "csv")
    return printCsv(out, lines, input, options);
  printJson(out, lines, options.format == "json", [&](const ReportLine &line) { return jsonOf(line, input, options); });
}

void printHistograms(Output &out, const Palette &palette, std::span<const ReportLine> lines, const TraceInput &input,
                     const ReportLineOptions &options) {
  constexpr size_t kColumns = 40;
  for (const ReportLine &line : lines) {
    const Distribution &durations = line.row->figures.durations;
    if (input.severalProcesses())
      out.print("{}: ", placeOf(*line.row, input).process);
    if (line.row->thread)
      out.print("{}: ", input.label(*line.row->thread));
    out.print("{}{}{}: {}", palette.name, withArguments(line.name, *line.row), palette.reset,
              formatCount(line.row->figures.calls, "call"));
    if (durations.count() > 0)
      out.print(", p50 {}, p99 {}, longest {}", formatDuration(durations.percentile(50)),
                formatDuration(durations.percentile(99)), formatDuration(durations.max()));
    printEnds(out, palette, line, options);
    const std::vector<Distribution::Bin> bins = binsOf(durations);
    uint64_t most = 1;
    for (const Distribution::Bin &bin : bins)
      most = std::max(most, bin.count);
    for (const Distribution::Bin &bin : bins) {
      if (bin.count == 0) {
        out.print("{:>11}\n", "...");
        continue;
      }
      // A non-empty bin shows at least an eighth of a column.
      const auto width = static_cast<size_t>(static_cast<double>(bin.count) / static_cast<double>(most) * kColumns * 8);
      out.print("{:>11} {}{}{} {}\n", formatDuration(bin.from), palette.number, barOf(std::max<size_t>(width, 1)),
                palette.reset, formatCount(bin.count));
    }
    out.write("\n");
  }
}

void printCalls(Output &out, const Palette &palette, const std::vector<SlowCall> &calls, const TraceInput &input,
                const ReportLineOptions &options) {
  FunctionNames names(input.table().functions, options.names.style);
  if (options.format == "text") {
    out.print("{}{:>11} {:>11} {:>13}  {:<24}  call{}\n", palette.dim, "duration", "self",
              input.isAbsolute() ? "at" : "after", "thread", palette.reset);
    for (const SlowCall &call : calls)
      printCall(out, palette, call, input, options, names.name(call.span.functionIndex),
                names.source(call.span.functionIndex));
    return;
  }
  if (options.format == "csv") {
    out.write("process,thread,tid,seq,begin_ns,duration_ns,self_ns,end,function,arguments,result,source,earlier\n");
    for (const SlowCall &call : calls) {
      const Span &span = call.span;
      const model::Thread &thread = input.table().threads[call.thread];
      out.print("{},{},{},{},{},{},{},{},{},{},{},{},{:d}\n",
                input.severalProcesses() ? input.table().processOf(thread).name : "", thread.number, thread.tid,
                span.isEarlier ? "" : std::to_string(span.beginSeq), span.beginNs, span.durationNs(), span.selfNs(),
                spanEndName(span.how), csvField(names.name(span.functionIndex)), csvField(call.arguments),
                csvField(call.result), csvField(names.source(span.functionIndex)), span.isEarlier);
    }
    return;
  }
  printJson(out, calls, options.format == "json", [&](const SlowCall &call) {
    const Span &span = call.span;
    JsonMembers json = threadFields(input, call.thread);
    json.number("seq", span.isEarlier ? std::nullopt : std::optional(span.beginSeq));
    json.number("begin_ns", span.beginNs).number("duration_ns", span.durationNs());
    json.number("self_ns", span.selfNs()).text("end", spanEndName(span.how));
    json.text("function", names.name(span.functionIndex)).textOrNull("arguments", call.arguments);
    json.textOrNull("result", call.result).textOrNull("source", names.source(span.functionIndex));
    const auto off = offCpuOf(call, input);
    json.boolean("earlier", span.isEarlier);
    const auto ifKnown = [isKnown = input.table().threads[call.thread].knowsSched()](uint64_t ns) {
      return isKnown ? std::optional(ns) : std::nullopt;
    };
    const OffCpuTimes times = off.value_or(OffCpuTimes());
    json.number("waiting_ns", ifKnown(times.waitingNs)).number("preempted_ns", ifKnown(times.preemptedNs));
    json.number("recorder_ns", off ? std::optional(times.recorderNs) : std::nullopt);
    return json.number("unknown_ns", ifKnown(times.unknownNs)).object();
  });
}

} // namespace ada::cli
