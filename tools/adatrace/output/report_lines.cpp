// Prints the rows of a report and lists of single calls.
#include "report_lines.h"
#include "off_cpu_text.h"
#include "table_writer.h"

#include "analysis/calls/value_texts.h"
#include "analysis/values/counters.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ada::cli {

using analysis::CallLine;
using analysis::ReportLine;
using analysis::SlowCall;

namespace {

// The notes after a row's name.
std::vector<Styled> notesOf(const Palette &palette, const ReportLine &line, const ReportLineOptions &options) {
  const FunctionStatistics &figures = line.row->figures;
  std::vector<Styled> notes;
  const auto add = [&](uint64_t count, const Escape &style, const char *what) {
    if (count)
      notes.push_back({style, fmt::format("[{} {}]", formatCount(count), what)});
  };
  if (!line.row->result.empty())
    notes.push_back({{}, "→ " + line.row->result});
  add(figures.exceptions, palette.error, "left by exception");
  add(figures.inferred, palette.warn, "exit inferred");
  add(figures.missing, palette.warn, "no exit recorded");
  add(figures.earlier, palette.dim, "began before the trace");
  add(figures.open, palette.warn, "still open");
  if (options.names.source && !line.source.empty())
    notes.push_back({palette.dim, " " + line.source});
  return notes;
}

// Bins as fine as fit on half a screen. Only the first of consecutive empty bins is kept.
std::vector<Distribution::Bin> binsOf(const Distribution &durations) {
  constexpr size_t kMaxLines = 24;
  for (unsigned perOctave = 16;; perOctave /= 2) {
    std::vector<Distribution::Bin> bins = durations.bins(perOctave);
    const auto isEmpty = [](const Distribution::Bin &bin) { return bin.count == 0; };
    bins.erase(std::unique(bins.begin(), bins.end(),
                           [&](const auto &left, const auto &right) { return isEmpty(left) && isEmpty(right); }),
               bins.end());
    if (bins.size() <= kMaxLines || perOctave == 1)
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

//===--- single calls -----------------------------------------------------===//

std::vector<Styled> notesOf(const Palette &palette, const CallLine &line, const TraceInput &input,
                            const ReportLineOptions &options) {
  const Span &span = line.call->span;
  std::vector<Styled> notes;
  if (!line.call->result.empty())
    notes.push_back({{}, "→ " + line.call->result});
  if (span.how != SpanEnd::Return)
    notes.push_back({{}, endNote(span.how)});
  if (const auto off = offCpuOf(line); off && off->notRunningNs() > 0)
    notes.push_back({palette.warn, "[" + offCpuText(*off) + "]"});
  if (span.isEarlier)
    notes.push_back({{}, "[began before the trace]"});
  if (span.how == SpanEnd::Open)
    if (const std::string open = input.openText(span.beginNs, span.durationNs()); !open.empty())
      notes.push_back({{}, open.substr(1)});
  if (options.names.source && !line.source.empty())
    notes.push_back({palette.dim, " " + line.source});
  return notes;
}

} // namespace

const char *endNote(SpanEnd how) {
  return how == SpanEnd::Exception  ? "[left by exception]"
         : how == SpanEnd::Inferred ? "[exit inferred]"
         : how == SpanEnd::Missing  ? "[no exit recorded]"
         : how == SpanEnd::Open     ? "[still open]"
                                    : "";
}

void printReport(Output &out, const Palette &palette, const std::vector<ReportLine> &lines, const TraceInput &input,
                 const ReportLineOptions &options) {
  printTable(out, palette, analysis::reportColumns(), lines, options.table,
             analysis::reportFacts(
                 lines, input.table(),
                 {.by = options.by, .arguments = options.arguments, .foldsProcesses = options.foldsProcesses},
                 options.histogram),
             [&](const ReportLine &line) { return RowNotes{notesOf(palette, line, options), {}}; });
  std::set<uint64_t> told; // where the processes are not shown
  for (const model::Process &process : input.table().processes)
    if (process.resolutionNs && options.table.isText() &&
        (!options.foldsProcesses || told.insert(process.resolutionNs).second))
      out.print("{}{}the clock advanced every {} (clock=tick): single durations are off by up to that, sums by at most "
                "+/- in 19 of 20 cases{}\n",
                palette.dim, input.severalProcesses() && !options.foldsProcesses ? oneLine(process.label) + ": " : "",
                formatDuration(process.resolutionNs), palette.reset);
}

void printHistograms(Output &out, const Palette &palette, const std::vector<ReportLine> &lines, const TraceInput &input,
                     const ReportLineOptions &options) {
  constexpr size_t kColumns = 40;
  for (const ReportLine &line : lines) {
    const Distribution &durations = line.row->figures.durations;
    if (const model::Process &process = input.table().processes[line.row->process]; input.severalProcesses())
      out.print("{}: ", oneLine(line.row->processes > 0 ? analysis::foldedName(process) : process.label));
    if (line.row->thread)
      out.print("{}: ", input.label(*line.row->thread));
    out.print("{}{}{}: {}", palette.name, findColumn(analysis::reportColumns(), "function")->text(line), palette.reset,
              formatCount(line.row->figures.calls, "call"));
    if (durations.count() > 0)
      out.print(", p50 {}, p99 {}, longest {}", formatDuration(durations.percentile(50)),
                formatDuration(durations.percentile(99)), formatDuration(durations.max()));
    for (const Styled &note : notesOf(palette, line, options))
      out.print(" {}{}{}", note.style, note.text, palette.reset);
    out.write("\n");
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
  std::vector<CallLine> lines;
  for (const SlowCall &call : calls)
    lines.push_back({&call, &input.table(), input.originNs(), names.name(call.span.functionIndex),
                     names.source(call.span.functionIndex)});
  printTable(out, palette, analysis::callColumns(), lines, options.table, analysis::processFacts(input.table()),
             [&](const CallLine &line) { return RowNotes{notesOf(palette, line, input, options), {}}; });
}

using analysis::CounterLine;

void printCounters(Output &out, const Palette &palette, const analysis::Counters &counters, const TraceInput &input,
                   const ReportLineOptions &options) {
  std::vector<CounterLine> lines;
  for (const analysis::CounterRow &row : counters.rows)
    lines.push_back({&row, &input.table(), nameOf(*row.function, options.names.style), sourceOf(*row.function)});
  printTable(out, palette, analysis::counterColumns(), lines, options.table, analysis::processFacts(input.table()),
             [&](const CounterLine &line) {
               const bool shows = options.names.source && !line.source.empty();
               return shows ? RowNotes{{{palette.dim, " " + line.source}}, {}} : RowNotes();
             });
}

} // namespace ada::cli
