//===- cmd_report.cpp - adatrace report: what each function cost ----------===//
#include "command.h"
#include "json_text.h"
#include "quantities.h"
#include "report_slowest.h"
#include "report_table.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <unistd.h>

namespace ada::cli {

namespace {

struct Options {
  InputOptions input;
  FilterOptions filter;
  NameOptions names;
  ReportBy by = ReportBy::Function;
  std::string sort = "self", format = "text";
  uint64_t limit = 0, slowest = 0;
  bool arguments = false;
};

// The columns that can be sorted by, and what they hold.
struct Column {
  const char *name;
  uint64_t (*value)(const ReportRow &row);
};
constexpr Column kColumns[] = {
    {"calls", [](const ReportRow &row) { return row.figures.calls; }},
    {"total", [](const ReportRow &row) { return row.figures.totalNs; }},
    {"self", [](const ReportRow &row) { return row.figures.selfNs; }},
    {"min", [](const ReportRow &row) { return row.figures.durations.min(); }},
    {"p50", [](const ReportRow &row) { return row.figures.durations.percentile(50); }},
    {"p90", [](const ReportRow &row) { return row.figures.durations.percentile(90); }},
    {"p99", [](const ReportRow &row) { return row.figures.durations.percentile(99); }},
    {"max", [](const ReportRow &row) { return row.figures.durations.max(); }},
};

// Largest first; by name where that is the same, so that the order never depends on
// which thread was read first.
void sortRows(std::vector<ReportRow> &rows, const std::string &by) {
  uint64_t (*value)(const ReportRow &) = nullptr;
  for (const Column &column : kColumns)
    if (by == column.name)
      value = column.value;
  std::vector<std::pair<uint64_t, size_t>> keys(rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    keys[i] = {value ? value(rows[i]) : 0, i};
  std::sort(keys.begin(), keys.end(), [&](const auto &a, const auto &b) {
    if (a.first != b.first)
      return a.first > b.first;
    const ReportRow &left = rows[a.second], &right = rows[b.second];
    return std::tie(left.name, left.arguments, left.process, left.tid, left.thread,
                    left.source, left.figures.functionId) <
           std::tie(right.name, right.arguments, right.process, right.tid, right.thread,
                    right.source, right.figures.functionId);
  });
  std::vector<ReportRow> sorted;
  sorted.reserve(rows.size());
  for (const auto &[key, row] : keys)
    sorted.push_back(std::move(rows[row]));
  rows = std::move(sorted);
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

void printText(Output &out, const std::vector<ReportRow> &rows, const Options &options,
               const Palette &palette) {
  const bool processes = !rows.empty() && !rows[0].process.empty();
  const bool threads = options.by == ReportBy::Thread;
  out.print("{}", palette.dim);
  if (processes)
    out.print("{:<12}", "process");
  if (threads)
    out.print("{:>6} {:>8}  {:<15} ", "thread", "tid", "name");
  out.print("{:>12}", "calls");
  for (size_t i = 1; i < std::size(kColumns); ++i)
    out.print(" {:>11}", kColumns[i].name);
  out.print("  {}{}\n", headingOf(options.by), palette.reset);
  for (const ReportRow &row : rows) {
    if (processes)
      out.print("{:<12}", row.process);
    if (threads)
      out.print("{:>6} {:>8}  {:<15} ", row.thread, row.tid, row.threadName);
    out.print("{:>12}", formatCount(row.figures.calls));
    for (size_t i = 1; i < std::size(kColumns); ++i) {
      // A call without an exit has no duration.
      const bool known = i < 3 || row.figures.durations.count() > 0;
      out.print(" {}{:>11}{}", i < 3 ? palette.number : std::string_view(),
                known ? formatDuration(kColumns[i].value(row)) : "-",
                i < 3 ? palette.reset : std::string_view());
    }
    out.print("  {}{}{}{}", palette.name, withArguments(row.name, row.arguments),
              palette.reset, row.result);
    if (row.figures.exceptions)
      out.print(" {}[{} left by exception]{}", palette.error,
                formatCount(row.figures.exceptions), palette.reset);
    if (row.figures.open)
      out.print(" {}[{} still open]{}", palette.warn, formatCount(row.figures.open),
                palette.reset);
    if (options.names.source && !row.source.empty())
      out.print("  {}{}{}", palette.dim, row.source, palette.reset);
    out.write("\n");
  }
}

// " → 55" without the arrow.
std::string resultOf(const ReportRow &row) {
  constexpr std::string_view kArrow = " → ";
  return row.result.starts_with(kArrow) ? row.result.substr(kArrow.size()) : row.result;
}

// Quoted if it has to be (RFC 4180).
std::string csvField(const std::string &text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

void printCsv(Output &out, const std::vector<ReportRow> &rows, const Options &options) {
  const bool threads = options.by == ReportBy::Thread;
  out.print("{},{}", "process", threads ? "thread,tid,thread_name," : "");
  out.print("{},{}source,calls,exceptions,missing,open,total_ns,self_ns,min_ns,p50_ns,"
            "p90_ns,p99_ns,max_ns\n",
            headingOf(options.by), options.arguments ? "arguments,result," : "");
  for (const ReportRow &row : rows) {
    out.print("{},", row.process);
    if (threads)
      out.print("{},{},{},", row.thread, row.tid, csvField(row.threadName));
    out.print("{},", csvField(row.name));
    if (options.arguments)
      out.print("{},{},", csvField(row.arguments), csvField(resultOf(row)));
    out.print("{},{},{},{},{}", csvField(row.source),
              row.figures.calls, row.figures.exceptions, row.figures.missing,
              row.figures.open);
    for (size_t i = 1; i < std::size(kColumns); ++i)
      out.print(",{}", kColumns[i].value(row));
    out.write("\n");
  }
}

void printJson(Output &out, const std::vector<ReportRow> &rows, const Options &options) {
  for (const ReportRow &row : rows) {
    out.write("{");
    if (!row.process.empty())
      out.print("\"process\":{},", jsonText(row.process));
    if (options.by == ReportBy::Thread)
      out.print("\"thread\":{},\"tid\":{},\"thread_name\":{},", row.thread, row.tid,
                jsonText(row.threadName));
    out.print("\"{}\":{},", headingOf(options.by), jsonText(row.name));
    if (options.arguments)
      out.print("\"arguments\":{},\"result\":{},",
                row.arguments.empty() ? "null" : jsonText(row.arguments),
                row.result.empty() ? "null" : jsonText(resultOf(row)));
    out.print("\"source\":{},\"calls\":{},\"exceptions\":{},\"missing\":{},"
              "\"open\":{}",
              row.source.empty() ? "null" : jsonText(row.source), row.figures.calls,
              row.figures.exceptions, row.figures.missing, row.figures.open);
    for (size_t i = 1; i < std::size(kColumns); ++i)
      out.print(",\"{}_ns\":{}", kColumns[i].name, kColumns[i].value(row));
    out.write("}\n");
  }
}

void warnWithoutDetail(const TraceInput &input) {
  for (const InputThread &thread : input.threads())
    if (thread.thread->detail && *thread.thread->detail)
      return;
  if (input.eventCount() > 0)
    warning("{} has no arguments: record them with `adatrace record --detail GLOB`",
            input.session().path());
}

int run(const Options &options, const Invocation &invocation) {
  int exitCode = kOk;
  const std::optional<TraceInput> input = TraceInput::open(options.input, exitCode);
  if (!input)
    return exitCode;
  std::optional<SessionTypes> types;
  if (options.arguments) {
    types.emplace(*input);
    warnWithoutDetail(*input);
  }
  const SessionTypes *values = types ? &*types : nullptr;
  if (options.slowest) {
    Output out;
    printSlowest(out, Palette(invocation.color, STDOUT_FILENO), *input,
                 {options.slowest, options.filter, options.names, options.format}, values);
    out.flush();
    return input->exitCode();
  }
  ReportFlaws flaws;
  std::vector<ReportRow> rows = makeReport(*input, options.filter, options.by,
                                           options.names.style, values, flaws);
  sortRows(rows, options.sort);
  const size_t all = rows.size();
  if (options.limit && rows.size() > options.limit)
    rows.resize(options.limit);

  Output out;
  if (options.format == "csv")
    printCsv(out, rows, options);
  else if (options.format == "jsonl")
    printJson(out, rows, options);
  else {
    const Palette palette(invocation.color, STDOUT_FILENO);
    if (input->eventCount() == 0)
      out.print("there are no events in {}\n", input->session().path());
    else if (rows.empty())
      out.write("no call is left by the filters\n");
    else
      printText(out, rows, options, palette);
    if (rows.size() < all)
      out.print("{}... and {} more; --limit=0 shows all{}\n", palette.dim,
                formatCount(all - rows.size()), palette.reset);
  }
  out.flush();
  if (flaws.strayExits || flaws.missingExits)
    warning("{} exits without a call and {} calls without an exit; their durations are "
            "left out",
            formatCount(flaws.strayExits), formatCount(flaws.missingExits));
  return input->exitCode();
}

std::function<int()> declare(CLI::App &app, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  declareInput(app, options->input);
  declareFilter(app, options->filter);
  declareNames(app, options->names);
  app.add_flag("--args", options->arguments,
               "One line for each function and its arguments, where they were recorded "
               "(`record --detail`)");
  app.add_option("--slowest", options->slowest,
                 "Instead: the N calls that took longest, one by one")
      ->type_name("N");
  app.add_option("--sort", options->sort,
                 "Largest first: calls, total, self, min, p50, p90, p99, max; or name [self]")
      ->type_name("COLUMN")
      ->check(CLI::IsMember({"calls", "total", "self", "min", "p50", "p90", "p99", "max",
                             "name"})
                  .description(""));
  app.add_option_function<std::string>(
         "--by",
         [options = options.get()](const std::string &value) {
           options->by = value == "thread"   ? ReportBy::Thread
                         : value == "module" ? ReportBy::Module
                         : value == "file"   ? ReportBy::File
                                             : ReportBy::Function;
         },
         "One line for each function, function and thread, module, or source file "
         "[function]")
      ->type_name("WHAT")
      ->check(CLI::IsMember({"function", "thread", "module", "file"}).description(""));
  app.add_option("--limit", options->limit, "At most this many lines; 0: all [0]")
      ->type_name("N");
  app.add_option("--format", options->format,
                 "text, csv or jsonl (one JSON object a line); times in the latter two "
                 "are nanoseconds [text]")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "csv", "jsonl"}).description(""));
  return [options, &invocation] {
    if (options->filter.only && options->filter.functions.empty())
      return fail(kWrongUsage, "report: --only needs --function");
    if (options->arguments &&
        (options->by == ReportBy::Module || options->by == ReportBy::File))
      return fail(kWrongUsage, "report: --args goes with functions, not with --by={}",
                  headingOf(options->by));
    options->input.detail = options->arguments;
    return run(*options, invocation);
  };
}

} // namespace

const Command kReport = {
    "report",
    "Count and time the calls of each function",
    "adatrace report --sort=p99 --limit=20\n"
    "adatrace report --by=thread --format=csv ada-traces/session_20261121_101500\n"
    "adatrace report --slowest=10 --args --function='net::*' --only",
    declare,
};

} // namespace ada::cli
