// Adatrace outliers: shows what sets slow calls of a function apart from its ordinary ones.
#include "analysis/report/report.h"
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/function_names.h"
#include "output/outlier_lines.h"

#include <algorithm>
#include <unistd.h>

namespace ada::cli {

namespace outliers_command {
namespace {

struct Options {
  InputOptions input;
  std::vector<std::string> functions;
  std::string slowest;
  TableOptions table;
  uint64_t limit = 0;
};

constexpr uint64_t kFunctions = 3, kRows = 20; // shown unless --limit says otherwise

// Functions by the time that their calls took beyond the median, from the distributions of a report.
std::vector<analysis::TailRow> tailsOf(const analysis::Report &report) {
  std::vector<analysis::TailRow> rows;
  for (const analysis::ReportRow &row : report.rows) {
    const Distribution &durations = row.figures.durations;
    if (durations.count() < 2 || !row.function)
      continue;
    analysis::TailRow tail;
    tail.function = nameOf(*row.function, NameStyle::Short);
    tail.calls = durations.count(), tail.medianNs = durations.percentile(50), tail.p99Ns = durations.percentile(99);
    tail.maxNs = durations.max();
    for (const Distribution::Bin &bin : durations.bins(64))
      if (bin.count > 0 && bin.from > tail.medianNs)
        tail.aboveMedianNs += bin.count * (std::min((bin.from + bin.to) / 2, tail.maxNs) - tail.medianNs);
    rows.push_back(std::move(tail));
  }
  std::ranges::stable_sort(rows, std::greater(), &analysis::TailRow::aboveMedianNs);
  return rows;
}

int listTails(const Options &options, TraceInput &input, const Invocation &invocation) {
  analysis::ReportOptions wanted;
  input.setRange(wanted.filter);
  auto report = need(analysis::makeReport(input.source(), input.table(), input.threads(), wanted));
  std::vector<analysis::TailRow> rows = tailsOf(report);
  const size_t all = rows.size();
  rows.resize(std::min<size_t>(all, options.limit ? options.limit : kRows));
  Output out;
  const Palette palette = invocation.palette();
  printTails(out, palette, rows, options.table);
  if (options.table.isText()) {
    if (rows.size() < all)
      out.print("{}... and {} more{}\n", palette.dim, formatCount(all - rows.size()), palette.reset);
    if (!rows.empty())
      out.print("Why some calls are slow: adatrace outliers --function='{}' {}\n", rows[0].function, input.name());
  }
  out.flush();
  return input.close(report.damage);
}

int explain(const Options &options, TraceInput &input, const Invocation &invocation) {
  analysis::SlowestOf slowest;
  if (!options.slowest.empty())
    slowest = *analysis::SlowestOf::parse(options.slowest);
  analysis::Damage damage;
  auto times = need(analysis::callTimes(input.source(), input.table(), input.threads(), options.functions,
                                        input.fromNs(), input.toNs(), damage));
  if (times.empty()) {
    complain(fmt::format("outliers: {} has no complete call of such a function", input.name()));
    warnAboutUnmatched("--function", options.functions, input.table().functions);
    return kCantRead;
  }
  std::ranges::stable_sort(times, std::greater(), [](const analysis::CallTimes &of) { return of.aboveMedianNs(); });
  const size_t all = times.size();
  times.resize(std::min<size_t>(all, options.limit ? options.limit : kFunctions));
  const Palette palette = invocation.palette();
  Output out;
  const bool isJson = options.table.isJson(), isList = all > 1;
  for (size_t i = 0; i < times.size(); ++i) {
    const auto found = need(analysis::findOutliers(input.source(), input.table(), input.threads(), (times)[i], slowest,
                                                   input.fromNs(), input.toNs(), damage));
    const bool isLast = i + 1 == times.size();
    if (!isJson) {
      out.write(i > 0 ? "\n" : "");
      printOutliers(out, palette, input, found);
    } else { // one object, or an array if there are several functions
      out.write(i == 0 && isList ? "[\n" : "");
      out.write(jsonOf(analysis::outlierColumns(), analysis::OutlierLine{&found, &input.table()}));
      out.write(!isLast ? ",\n" : isList ? "\n]\n" : "\n");
    }
  }
  if (!isJson && times.size() < all)
    out.print("{}... and {} more functions; --limit shows more{}\n", palette.dim, formatCount(all - times.size()),
              palette.reset);
  out.flush();
  return input.close(damage);
}

int run(Options &options, const Invocation &invocation) {
  if (options.functions.empty() && !options.slowest.empty())
    return fail(kWrongUsage, "outliers: --slowest needs --function");
  if (!options.functions.empty() && !options.table.isText() && !options.table.isJson())
    return fail(kWrongUsage, "outliers: --function goes with --format=text or json");
  options.table.check("outliers", infoOf(analysis::tailColumns()));
  TraceInput input = TraceInput::open(options.input);
  return options.functions.empty() ? listTails(options, input, invocation) : explain(options, input, invocation);
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  addGlobs(line, "-f,--function", options.functions,
           "Explain the slow calls of these functions (globs, separated by '|'); without it, list the functions with "
           "the most time above their median");
  line.option("--slowest", options.slowest,
              "Which calls are slow: a share (1%), a number (25) or a duration (>5ms) [1%, without those that are no "
              "slower than the rest]")
      .type("WHICH")
      .check([](const std::string &text) {
        return analysis::SlowestOf::parse(text) ? std::string()
                                                : "'" + text + "' is not a share up to 50%, a number or >DURATION";
      });
  addCount(line, "--limit", options.limit, "At most this many functions [3 with --function, otherwise 20]");
  addTableOptions(line, options.table, "function");
}

} // namespace
} // namespace outliers_command

const Command kOutliers = {
    "outliers",
    "Show what sets slow calls of a function apart from its ordinary ones",
    "adatrace outliers\n"
    "adatrace outliers --function='Server::handle'\n"
    "adatrace outliers --function='parse*' --slowest='>5ms' --format=json",
    withOptions<outliers_command::declare, outliers_command::run>,
};

} // namespace ada::cli
