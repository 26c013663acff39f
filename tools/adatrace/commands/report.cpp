// adatrace report: shows the cost of each function.
#include "command.h"
#include "input/live_input.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/live_screen.h"
#include "output/report_lines.h"
#include "terminal/screen.h"
#include "trace/base/file_tree.h"
#include "trace/base/quantities.h"

#include "analysis/events/trace_table.h"
#include "analysis/report/growing_report.h"
#include "analysis/report/suggestion.h"
#include "analysis/values/counters.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <unistd.h>

namespace ada::cli {

namespace report_command {
namespace {

using analysis::ReportBy;

constexpr uint64_t kHistograms = 10; // unless --limit is given

struct Options {
  InputOptions input;
  FilterArguments filter;
  ReportLineOptions lines;
  std::optional<uint64_t> limit;
  uint64_t slowest = 0;
  bool suggestsFilter = false;
  bool counters = false, each = false;
  analysis::UseSummaries summaries = analysis::UseSummaries::Yes;
  std::string filterFile;
  FollowOptions follow;
};

// Explains an empty table in text output.
void printNothing(Output &out, const TraceInput &input) {
  if (input.eventCount() == 0)
    out.print("there are no events in {}\n", input.name());
  else
    out.write("no calls match the filters\n");
}

int runSlowest(const Options &options, TraceInput &input, const Palette &palette) {
  const auto calls = need(analysis::slowestCalls(input.trace(), options.filter.options,
                                                 static_cast<size_t>(std::min<uint64_t>(options.slowest, 1 << 24)),
                                                 options.lines.arguments));
  Output out;
  if (calls.empty() && options.lines.table.isText())
    printNothing(out, input);
  else
    printCalls(out, palette, calls, input, options.lines);
  out.flush();
  int unmatched = kOk;
  if (input.hasAllThreads())
    unmatched = warnAboutUnmatched(options.filter.options, input.table().functions);
  return std::max(unmatched, input.close());
}

bool hasCounters(const std::vector<model::Function> &functions) {
  return std::ranges::any_of(functions, [](const model::Function &f) { return f.kind == SymbolKind::Counter; });
}

int runCounters(const Options &options, TraceInput &input, const Palette &palette) {
  const auto counters = need(analysis::readCounters(input.trace(), options.filter.options));
  Output out;
  if (counters.rows.empty() && options.lines.table.isText())
    out.print("there are no counter values in {}\n", input.name());
  else
    printCounters(out, palette, counters, input, options.lines);
  out.flush();
  return input.close(counters.damage);
}

// The size of the trace's events, without detail files, which don't change.
uint64_t indexBytes(const std::string &path) {
  if (fileKind(path) != FileKind::Directory)
    return fileBytes(path).value_or(0);
  uint64_t bytes = 0;
  eachFileBelow(path, [&](const std::string &name) {
    if (std::filesystem::path(name).stem().native().ends_with("index")) // index.atf, thread_0.index.atp
      bytes += fileBytes(path + "/" + name).value_or(0);
  });
  return bytes;
}

double part(uint64_t of, uint64_t all) { return all ? static_cast<double>(of) / static_cast<double>(all) : 0; }

int write(const std::string &path, const std::string &text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  return file ? int(kOk) : fail(kCantRead, "{}: cannot be written", path);
}

// `path`: the file for the compiler's ignore list; the globs for `record` go to `path` with ".globs" appended. If it
// is empty, nothing is written. Returns the exit code.
int printSuggestion(Output &out, const Palette &palette, const analysis::Suggestion &suggestion,
                    const TraceInput &input, const std::string &path) {
  const uint64_t bytes = indexBytes(input.name()), events = input.eventCount();
  const auto saved = [&](uint64_t calls) {
    return static_cast<uint64_t>(static_cast<double>(bytes) * std::min(1.0, part(2 * calls, events)));
  };
  const auto line = [&](uint64_t calls, std::string_view name) {
    out.print("{:>12} {:>7.1f}% {}{:>11} {:>11}{}  {}{}{}\n", formatCount(calls),
              part(calls, suggestion.allCalls) * 100, palette.number, formatDuration(calls * suggestion.callCostNs),
              formatBytes(saved(calls)), palette.reset, palette.name, name, palette.reset);
  };
  if (suggestion.leaveOut.empty()) {
    out.write("no function is worth leaving out\n");
    if (path.empty())
      return kOk;
  } else {
    out.print("{}{:>12} {:>8} {:>11} {:>11}  left out{}\n", palette.dim, "calls", "of all", "saves time", "saves size",
              palette.reset);
    for (const analysis::TracedName &name : suggestion.leaveOut)
      line(name.figures.calls, oneLine(name.function->displayName));
    if (suggestion.leaveOut.size() > 1)
      line(suggestion.calls, "together");
    out.print("{}Recording a call takes about {}. The time of these functions becomes their callers' self time; what "
              "they call is still shown.{}\n",
              palette.dim, formatDuration(suggestion.callCostNs), palette.reset);
  }
  if (path.empty()) {
    out.print("{}--filter-file=FILE writes the lists for the compiler and for `record`.{}\n", palette.dim,
              palette.reset);
    return kOk;
  }
  const std::string globs = path + ".globs";
  if (const int code = write(path, analysis::ignoreListOf(suggestion)))
    return code;
  if (const int code = write(globs, analysis::globsOf(suggestion) + "\n"))
    return code;
  out.print("when compiling:  ada-clang --ada-ignorelist={}\nwhen recording:  adatrace record --exclude \"$(cat {})\" "
            "PROGRAM\n",
            quotedForShell(path), pathForShell(globs));
  return kOk;
}

int runSuggestion(const Options &options, TraceInput &input, const Palette &palette) {
  const auto report = need(analysis::makeReport(input.trace(), {.filter = options.filter.options,
                                                                .by = ReportBy::Function,
                                                                .foldsProcesses = input.table().hasManyProcesses(),
                                                                .summaries = options.summaries}));
  if (std::ranges::any_of(input.table().processes, [](const model::Process &p) { return p.timesAreOrder; }))
    return fail(kWrongUsage, "report: {} was recorded with clock=none, so the durations of its calls are unknown",
                input.name());
  uint64_t resolutionNs = 0;
  for (const model::Process &process : input.table().processes)
    resolutionNs = std::max(resolutionNs, process.resolutionNs);
  Output out;
  const int code =
      printSuggestion(out, palette, analysis::suggestFilter(report, resolutionNs), input, options.filterFile);
  out.flush();
  const int closed = input.close(report.damage);
  return code == kOk ? closed : code;
}

// Ends the command if options contradict each other.
void checkOptions(Options &options) {
  options.filter.settle("report");
  if (options.lines.arguments && (options.lines.by == ReportBy::Module || options.lines.by == ReportBy::File))
    stop(kWrongUsage, "report: --args can't be combined with --by={}",
         options.lines.by == ReportBy::Module ? "module" : "file");
  if (options.suggestsFilter && (options.slowest || options.lines.arguments || options.lines.by != ReportBy::Function ||
                                 !options.lines.table.isText()))
    stop(kWrongUsage, "report: --suggest-filter can't be combined with --slowest, --args, --by or --format");
  if (options.counters && (options.slowest || options.suggestsFilter || options.lines.histogram ||
                           options.lines.arguments || options.lines.by != ReportBy::Function))
    stop(kWrongUsage,
         "report: --counters can't be combined with --slowest, --suggest-filter, --histogram, --args or --by");
  if (options.lines.histogram &&
      (options.slowest || options.suggestsFilter || (!options.lines.table.isText() && !options.lines.table.isJson())))
    stop(kWrongUsage,
         "report: --histogram can't be combined with --slowest, --suggest-filter, --format=csv or --format=markdown");
  options.lines.table.check("report", options.slowest    ? infoOf(analysis::callColumns())
                                      : options.counters ? infoOf(analysis::counterColumns())
                                                         : infoOf(analysis::reportColumns()));
}

// The table as the options say, and what text has below it.
void printAll(Output &out, const Palette &palette, const analysis::Report &report, const TraceInput &input,
              const ReportLineOptions &lineOptions, uint64_t limit, const analysis::Counters &counters) {
  std::vector<analysis::ReportLine> lines =
      analysis::sortedLines(report, input.table(), lineOptions.names.style, lineOptions.sort);
  const size_t all = lines.size();
  if (limit && all > limit)
    lines.resize(limit);
  const bool isText = lineOptions.table.isText();
  if (isText && all == 0 && counters.rows.empty())
    printNothing(out, input);
  else if (isText && lineOptions.histogram)
    printHistograms(out, palette, lines, input, lineOptions);
  else if (all > 0 || !isText)
    printReport(out, palette, lines, input, lineOptions);
  if (isText && lines.size() < all)
    out.print("{}... and {} more; --limit=0 shows all{}\n", palette.dim, formatCount(all - lines.size()),
              palette.reset);
  if (!counters.rows.empty()) {
    out.write(all > 0 ? "\n" : "");
    printCounters(out, palette, counters, input, lineOptions);
  }
}

// Reads the trace and prints the whole report.
int runReport(Options &options, TraceInput &input, const Palette &palette) {
  options.lines.foldsProcesses = !options.each && options.lines.by != ReportBy::Thread && !options.lines.arguments &&
                                 input.table().hasManyProcesses();
  const auto report = need(analysis::makeReport(input.trace(), {.filter = options.filter.options,
                                                                .by = options.lines.by,
                                                                .arguments = options.lines.arguments,
                                                                .foldsProcesses = options.lines.foldsProcesses,
                                                                .summaries = options.summaries}));
  const bool isText = options.lines.table.isText(), isHistogram = isText && options.lines.histogram;
  analysis::Counters counters;
  if (isText && !isHistogram && hasCounters(report.metFunctions)) {
    auto found = need(analysis::readCounters(input.trace(), options.filter.options));
    counters = std::move(found);
  }
  Output out;
  printAll(out, palette, report, input, options.lines, options.limit.value_or(isHistogram ? kHistograms : 0), counters);
  if (isText && options.lines.foldsProcesses && !report.rows.empty())
    out.print("{}processes with the same program are one; --each shows each of the {}{}\n", palette.dim,
              formatCount(input.table().processes.size()), palette.reset);
  out.flush();
  int unmatched = kOk;
  if (input.hasAllThreads())
    unmatched = warnAboutUnmatched(options.filter.options, report.metFunctions);
  if (options.lines.arguments && !report.hasValues && input.eventCount() > 0)
    input.warnWithoutArguments();
  if (report.collapsedFunctions)
    warning("there are more than 100,000 different argument lists: all calls of {} are combined in one row (…)",
            report.collapsedFunctions == 1
                ? "the function with the most"
                : fmt::format("each of the {} functions with the most", formatCount(report.collapsedFunctions)));
  if (std::ranges::any_of(input.table().processes, [](const model::Process &p) { return p.timesAreOrder; }))
    warning("{} was recorded with clock=none: times show only the order", input.name());
  uint64_t earlier = 0;
  for (const analysis::ReportRow &row : report.rows)
    earlier += row.figures.earlier;
  if (earlier && isText)
    out.print("{}{} before the first event that was kept: their total time is complete, their self time counts from "
              "that event{}\n",
              palette.dim, formatCount(earlier, "call") + " began", palette.reset);
  if (report.strayExits || report.missingExits)
    warning("{} without a call and {} without an exit; their durations are left out",
            formatCount(report.strayExits, "exit"), formatCount(report.missingExits, "call"));
  return std::max(unmatched, input.close(report.damage));
}

// What one refresh of --follow shows.
class FollowedReport : public LivePage {
public:
  FollowedReport(const Options &options, LiveInput &live, const Palette &palette)
      : options_(options), live_(live), palette_(palette),
        reportOptions_{.filter = options.filter.options, .by = options.lines.by},
        growing_(live.trace(), reportOptions_) {
    sortedBy = options.lines.sort;
  }

  Expected<bool> look() override {
    growing_.beginLook();
    return live_.look(growing_);
  }
  void print(Output &out, const ReportLineOptions &lines, uint64_t limit) {
    printAll(out, palette_, growing_.report(), live_.input(), lines, limit, {});
  }
  /// "ada-traces/session_1: 1,234 events, 3 calls open".
  std::string state() const {
    return fmt::format("{}: {}, {} open{}", oneLine(live_.input().name()),
                       formatCount(live_.input().eventCount(), "event"), formatCount(growing_.openCalls(), "call"),
                       live_.isLive() ? "" : "; recording has ended");
  }
  std::string page(unsigned rows, unsigned columns) override {
    constexpr unsigned kOthers =
        6; // lines: state, headings, columns that did not fit, rows that did not, an empty one, keys
    ReportLineOptions lines = options_.lines;
    lines.sort = sortedBy, lines.table.width = columns;
    std::string page;
    Output out(page);
    out.print("{}{}{}{}\n", palette_.name, state(), isPaused ? "; paused" : "", palette_.reset);
    print(out, lines, std::max(rows, kOthers + 1) - kOthers);
    out.flush();
    return page;
  }
  std::span<const SortKey> sortKeys() const override {
    static constexpr SortKey kKeys[] = {{'c', "calls"}, {'t', "total"}, {'s', "self"}, {'m', "mean"}, {'p', "p99"}};
    return kKeys;
  }
  uint64_t openCalls() const { return growing_.openCalls(); }

private:
  const Options &options_;
  LiveInput &live_;
  const Palette &palette_;
  const analysis::ReportOptions reportOptions_;
  analysis::GrowingReport growing_;
};

// The line between two tables.
void printBetween(Output &out, const Palette &palette, const FollowedReport &page, LiveInput &live, Format format) {
  if (format == Format::JsonLines)
    out.print("{{\"events\":{},\"open_calls\":{},\"is_live\":{}}}\n", live.input().eventCount(), page.openCalls(),
              live.isLive());
  else
    out.print("{}--- {}{}\n", palette.dim, page.state(), palette.reset);
}

int runFollow(Options &options, const Palette &palette) {
  const Format format = options.lines.table.format;
  if (options.slowest || options.suggestsFilter || options.counters || options.lines.arguments ||
      options.lines.histogram)
    return fail(
        kWrongUsage,
        "report: --follow can't be combined with --slowest, --suggest-filter, --counters, --args or --histogram");
  if (format == Format::Json || format == Format::Csv)
    return fail(kWrongUsage, "report: --follow prints one table after another, as text, markdown or jsonl");
  LiveInput live(options.input, options.follow, "report");
  live.input().setRange(options.filter.options);
  FollowedReport page(options, live, palette);
  bool goesOn = need(page.look());
  if (options.lines.table.isText() && Screen::isPossible()) {
    need(showLive(page, goesOn,
                  {.interval = live.interval(),
                   .endsItself = true,
                   .endsOnCtrlC = true,
                   .keys = "c calls  t total  s self  m mean  p p99  ",
                   .palette = palette}));
    options.lines.sort = page.sortedBy;
  } else {
    Output out;
    for (; goesOn; goesOn = need(page.look())) {
      if (live.isLive()) {
        printBetween(out, palette, page, live, format);
        page.print(out, options.lines, options.limit.value_or(0));
        out.flush();
      }
      live.wait();
    }
    printBetween(out, palette, page, live, format);
  }
  if (live.isLive()) { // ^C
    Output out;
    page.print(out, options.lines, options.limit.value_or(0));
    out.flush();
    return live.close();
  }
  // The last table is that of a report which reads everything: it knows the scheduling records that came after the
  // events, and it is quick, because it reads on all cores.
  TraceInput whole = TraceInput::open(live.wholeInput());
  whole.setRange(options.filter.options);
  return runReport(options, whole, palette);
}

int run(Options &options, const Invocation &invocation) {
  checkOptions(options);
  checkFollow(options.follow, options.input, "report");
  const Palette palette = invocation.palette();
  if (options.follow.isWanted)
    return runFollow(options, palette);
  TraceInput input = TraceInput::open(options.input);
  input.setRange(options.filter.options);
  if (options.slowest)
    return runSlowest(options, input, palette);
  if (options.suggestsFilter)
    return runSuggestion(options, input, palette);
  if (options.counters)
    return runCounters(options, input, palette);
  return runReport(options, input, palette);
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  declareFilter(line, options.filter);
  declareNames(line, options.lines.names);
  line.flag("--args", options.lines.arguments,
            "One row per function and argument list, if arguments were recorded (`record --detail`)");
  addCount(line, "--slowest", options.slowest, "Instead: list the N slowest calls");
  line.flag("--histogram", options.lines.histogram,
            "Show how the durations of each function's calls are distributed; in text, each line counts the calls from "
            "its duration up to the next line's");
  line.flag("--each", options.each,
            fmt::format("Separate rows for each process; otherwise, if a trace has {} or more, those with the same "
                        "program share rows (not with --by=thread and --args)",
                        analysis::kMaxListed));
  line.flag(
      "--counters", options.counters,
      "Instead: show the values of the program's counters (ADA_COUNTER), which text also shows below the functions");
  line.flag("--suggest-filter", options.suggestsFilter,
            "Instead: list the functions whose tracing costs most and shows least, and what leaving them out saves");
  line.option("--filter-file", options.filterFile,
              "With --suggest-filter: write an ignore list for the compiler to FILE, and globs for `record --exclude` "
              "to FILE.globs")
      .type("FILE")
      .needs("--suggest-filter");
  addSort(line, options.lines.sort, sortWords(analysis::reportColumns()), "name");
  line.choice("--by", options.lines.by,
              {{"function", ReportBy::Function},
               {"thread", ReportBy::Thread},
               {"module", ReportBy::Module},
               {"file", ReportBy::File}},
              "One row per function, function and thread, module, or source file [function]")
      .type("WHAT");
  line.choice("--keep", options.summaries,
              {{"auto", analysis::UseSummaries::Yes},
               {"always", analysis::UseSummaries::Make},
               {"never", analysis::UseSummaries::No}},
              "Keep the figures of packed threads in the session, and use kept figures instead of reading all events: "
              "auto (keep them for threads with more than 4 million events), always, never [auto]")
      .type("WHEN");
  addLimit(line, options.limit, fmt::format("At most this many lines; 0: all [0; with --histogram {}]", kHistograms));
  addTableOptions(line, options.lines.table);
  declareFollow(line, options.follow,
                "show the report again and again, on a terminal as one page that keys sort; at the end, print it");
}

} // namespace
} // namespace report_command

const Command kReport = {
    "report",
    "Count and time the calls of each function",
    "adatrace report --sort=p99 --limit=20\n"
    "adatrace report --by=thread --format=csv ada-traces/session_20261121_101500\n"
    "adatrace report --slowest=10 --args --include='net::*'",
    withOptions<report_command::declare, report_command::run>,
};

} // namespace ada::cli
