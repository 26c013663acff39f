// adatrace outliers: shows what sets slow calls of a function apart from its ordinary ones.
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/outlier_lines.h"
#include "trace/names.h"

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

// Functions by the time that their calls took beyond the median.
std::vector<analysis::TailRow> tailsOf(const std::vector<analysis::FunctionTimes> &functions) {
  std::vector<analysis::TailRow> rows;
  for (const analysis::FunctionTimes &function : functions) {
    const analysis::CallTimes times = function.all();
    const uint64_t calls = times.count();
    if (calls < 2)
      continue;
    analysis::TailRow tail;
    tail.function = shortName(function.function);
    tail.calls = calls, tail.medianNs = times.at((calls - 1) / 2), tail.p99Ns = times.at((calls * 99 - 1) / 100);
    tail.maxNs = function.longestNs, tail.aboveMedianNs = times.aboveMedianNs();
    rows.push_back(std::move(tail));
  }
  std::ranges::stable_sort(rows, std::greater(), &analysis::TailRow::aboveMedianNs);
  return rows;
}

int listTails(const Options &options, TraceInput &input, const Invocation &invocation) {
  analysis::Damage damage;
  const analysis::TimesWanted wanted{
      .globs = {"*"}, .names = {}, .fromNs = input.fromNs(), .toNs = input.toNs(), .mostComplete = 0};
  const auto times = need(analysis::readTimes(input.trace(), wanted, damage));
  std::vector<analysis::TailRow> rows = tailsOf(times.functions);
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
  return input.close(damage);
}

int explain(const Options &options, TraceInput &input, const Invocation &invocation) {
  analysis::SlowestOf slowest;
  if (!options.slowest.empty())
    slowest = *analysis::SlowestOf::parse(options.slowest);
  analysis::Damage damage;
  analysis::TimesWanted wanted{.globs = options.functions,
                               .names = {},
                               .fromNs = input.fromNs(),
                               .toNs = input.toNs(),
                               .longerThanNs = slowest.longerThanNs};
  auto times = need(analysis::readTimes(input.trace(), wanted, damage));
  std::vector<analysis::FunctionTimes> &functions = times.functions;
  if (functions.empty()) {
    complain(fmt::format("outliers: {} has no complete call of such a function", input.name()));
    (void)warnAboutUnmatched("--function", options.functions, input.table().functions);
    return kProblemsFound;
  }
  std::vector<std::pair<uint64_t, size_t>> order; // by the time above the median
  for (size_t i = 0; i < functions.size(); ++i)
    order.emplace_back(functions[i].all().aboveMedianNs(), i);
  std::ranges::stable_sort(order, std::greater(), [](const auto &of) { return of.first; });
  const size_t all = functions.size();
  order.resize(std::min<size_t>(all, options.limit ? options.limit : kFunctions));
  if (std::ranges::any_of(order, [&](const auto &of) { return !functions[of.second].isComplete; })) {
    for (const auto &of : order)
      wanted.names.push_back(functions[of.second].function);
    wanted.mostComplete = wanted.names.size();
    analysis::Damage again; // reported already
    times = need(analysis::readTimes(input.trace(), wanted, again));
    for (size_t i = 0; i < order.size(); ++i)
      order[i].second = static_cast<size_t>(
          std::ranges::find(functions, wanted.names[i], &analysis::FunctionTimes::function) - functions.begin());
  }
  const Palette palette = invocation.palette();
  Output out;
  const bool isJson = options.table.isJson(), isList = all > 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto found =
        need(analysis::findOutliers(input.source(), input.table(), times, functions[order[i].second], slowest, damage));
    const bool isLast = i + 1 == order.size();
    if (!isJson) {
      out.write(i > 0 ? "\n" : "");
      printOutliers(out, palette, input, found);
    } else { // one object, or an array if there are several functions
      out.write(i == 0 && isList ? "[\n" : "");
      out.write(jsonOf(analysis::outlierColumns(), analysis::OutlierLine{&found, &input.table()}));
      out.write(!isLast ? ",\n" : isList ? "\n]\n" : "\n");
    }
  }
  if (!isJson && order.size() < all)
    out.print("{}... and {} more functions; --limit shows more{}\n", palette.dim, formatCount(all - order.size()),
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
  addLimit(line, options.limit, "At most this many functions [3 with --function, otherwise 20]");
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
