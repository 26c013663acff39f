// adatrace diff: shows what changed between two groups of one or more runs.
#include "command.h"
#include "fleet/loaded_sessions.h"
#include "input/trace_input.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/diff_lines.h"
#include "output/explain_lines.h"
#include "output/flow_lines.h"

#include "analysis/diff/diff.h"
#include "analysis/diff/explain.h"
#include "analysis/tree/call_paths.h"

#include "trace/base/quantities.h"
#include "trace/names.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <type_traits>
#include <unistd.h>

namespace ada::cli {

namespace diff_command {
namespace {

struct Options {
  std::vector<Option> filters; // the options that choose calls
  std::vector<std::string> sessions, with;
  InputOptions input; ///< without the path
  FilterArguments filter;
  DiffLineOptions lines;
  std::vector<std::string> failIf;
  bool flow = false, values = false, explain = false;
  analysis::Statistic statistic = analysis::Statistic::Mean;
  Option statisticOption, progressOption;
  When progress = When::Auto;
  std::optional<uint64_t> limit;
  std::string database, credentials; ///< if given, `sessions` and `with` are labels of sessions in the database
};

constexpr uint64_t kFlowLimit = 20, kExplainLimit = 3;
constexpr const char *kAny = "any"; // value of --fail-if with --flow

// Reads all runs with use(input) and compares them with compare(a, b).
template <class Use, class Compare>
analysis::Diff compareRuns(const Options &options, int &exitCode, const Use &use, const Compare &compare) {
  std::vector<std::decay_t<decltype(*use(std::declval<TraceInput &>()))>> a, b;
  for (const auto &[paths, runs] : {std::pair(&options.sessions, &a), std::pair(&options.with, &b)})
    for (const std::string &path : *paths) {
      InputOptions place = options.input;
      place.path = path;
      TraceInput input = TraceInput::open(place);
      runs->push_back(need(use(input)));
      exitCode = std::max(exitCode, input.close(runs->back().damage));
    }
  return compare(a, b);
}

analysis::Diff compareByFunction(const Options &options, int &exitCode) {
  return compareRuns(
      options, exitCode,
      [&](TraceInput &input) {
        analysis::ReportOptions report{.filter = options.filter.options,
                                       .foldsProcesses = input.table().hasManyProcesses(),
                                       .selfDurations = true};
        input.setRange(report.filter);
        return analysis::makeReport(input.trace(), report);
      },
      [](const auto &a, const auto &b) { return analysis::makeDiff(a, b); });
}

analysis::Diff compareByPath(const Options &options, int &exitCode) {
  constexpr size_t kMaxPaths = 100'000;
  return compareRuns(
      options, exitCode,
      [&](TraceInput &input) {
        analysis::CallPathsOptions paths{.filter = options.filter.options, .mostNodes = kMaxPaths};
        input.setRange(paths.filter);
        return analysis::readCallPaths(input.trace(), paths);
      },
      [](const auto &a, const auto &b) { return analysis::makePathDiff(a, b); });
}

// Compares sessions in a database.
analysis::Diff compareLoaded(const Options &options) {
  Server server = need("diff", openDatabase(options.database, options.credentials));
  std::vector<analysis::Report> reports[2];
  std::vector<analysis::CallPaths> paths[2];
  for (const int side : {0, 1})
    for (const std::string &label : side ? options.with : options.sessions) {
      const auto sessions = need("diff", sessionsWith(server, label));
      if (options.lines.byPath)
        for (const std::string &session : sessions)
          paths[side].push_back(need("diff", callPathsOf(server, {session})));
      else
        std::ranges::move(need("diff", reportsOf(server, sessions)), std::back_inserter(reports[side]));
    }
  if (options.lines.byPath)
    return analysis::makePathDiff(paths[0], paths[1]);
  // With one session per side, all its durations would be needed to show a change.
  if (std::min(reports[0].size(), reports[1].size()) < 2)
    stop(kWrongUsage, "diff: in a database, at least two sessions per side are needed to show a change; "
                      "for one per side, compare the files");
  return analysis::makeDiff(reports[0], reports[1]);
}

int runFlow(const Options &options, const Invocation &invocation) {
  if (options.sessions.size() != 1 || options.with.size() != 1)
    return fail(kWrongUsage, "diff: --flow compares two sessions");
  InputOptions place = options.input;
  place.path = options.sessions[0];
  TraceInput a = TraceInput::open(place);
  place.path = options.with[0];
  TraceInput b = TraceInput::open(place);
  FlowLineOptions lines{options.lines.names, options.lines.table, options.limit.value_or(kFlowLimit)};
  Output out;
  const Palette palette = invocation.palette();
  FlowLines flow(out, palette, a, b, lines);
  const auto compared =
      need(analysis::compareFlows({&a.source(), &a.table(), a.threads()}, {&b.source(), &b.table(), b.threads()},
                                  {options.filter.options, options.values}, flow));
  flow.finish(compared);
  out.flush();
  int exitCode = std::max(a.close(), b.close());
  if (!options.failIf.empty() && flow.differences() > 0) {
    complain(fmt::format("the control flow of {} and {} differs", a.name(), b.name()));
    exitCode = std::max<int>(exitCode, kProblemsFound);
  }
  return exitCode;
}

// Explains one function in all runs.
analysis::Explanation explainFunction(const Options &options, const std::string &function,
                                      std::vector<TraceInput> &before, std::vector<TraceInput> &after,
                                      analysis::Damage &damage) {
  constexpr size_t kMaxSampled = 8000, kLeastSampled = 1000; // calls of each side, or run
  const size_t mostSampled = std::max(kLeastSampled, kMaxSampled / std::max(before.size(), after.size()));
  std::vector<analysis::ExplainRun> runs[2];
  for (const int side : {0, 1})
    for (TraceInput &input : side ? after : before)
      runs[side].push_back(
          need(analysis::readExplainRun(input.trace(), function, mostSampled, input.fromNs(), input.toNs(), damage)));
  return analysis::explainChange(function, options.statistic, runs[0], runs[1]);
}

// Most of what changed in this function is explained by another one that calls it.
bool isPartOf(const analysis::Explanation &found, const analysis::Explanation &other) {
  const double perRun = static_cast<double>(found.calls[analysis::kAfter]) / static_cast<double>(found.runs[1]);
  const double change = found.statistic == analysis::Statistic::Total ? static_cast<double>(found.changeNs)
                                                                      : static_cast<double>(found.changeNs) * perRun;
  const auto part = other.ofNames.find(found.function);
  return part != other.ofNames.end() && part->second * change > 0 && std::abs(part->second) >= std::abs(change) / 2;
}

// A line on standard error that says which function is being explained, once that takes longer than a moment.
class ExplainProgress {
public:
  explicit ExplainProgress(When when)
      : isWanted_(when == When::Always || (when == When::Auto && isTerminal(STDERR_FILENO))),
        isShort_(when != When::Always) {}
  ~ExplainProgress() {
    if (isDrawn_)
      drawLive("\r\x1b[K");
  }
  void show(const std::string &what) {
    constexpr std::chrono::milliseconds kMoment(500);
    if (!isWanted_ || (isShort_ && std::chrono::steady_clock::now() - begin_ < kMoment))
      return;
    std::string line = oneLine(what);
    line.resize(std::min<size_t>(line.size(), terminalColumns(STDERR_FILENO) - 1));
    drawLive("\r\x1b[K" + line);
    isDrawn_ = true;
  }

private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const bool isWanted_, isShort_;
  bool isDrawn_ = false;
};

// Functions of which some value is known to have changed, by display name. With one run a side only that of what a
// function does itself is known, so those whose calls took longer or less long by half of that count, too.
std::set<std::string> changedFunctions(const analysis::Diff &diff) {
  const auto perRun = [](const analysis::DiffRow &row, analysis::DiffValue value) {
    return std::abs(row[value].meanB() - row[value].meanA());
  };
  double least = INFINITY;
  for (const analysis::DiffRow &row : diff.rows)
    if (row.isShown())
      least = std::min(least, perRun(row, analysis::DiffValue::Self) / 2);
  std::set<std::string> names;
  for (const analysis::DiffRow &row : diff.rows)
    if (std::ranges::any_of(row.values, [](const auto &of) { return of.verdict != analysis::Verdict::NotShown; }) ||
        (diff.runs() == 1 && perRun(row, analysis::DiffValue::Total) >= least))
      names.insert(row.function->displayName);
  return names;
}

int runExplain(const Options &options, const Invocation &invocation) {
  ExplainProgress progress(options.progress);
  std::vector<TraceInput> inputs[2];
  std::vector<analysis::Report> reports[2];
  for (const int side : {0, 1})
    for (const std::string &path : side ? options.with : options.sessions) {
      InputOptions place = options.input;
      place.path = path;
      progress.show("reading " + path);
      TraceInput &input = inputs[side].emplace_back(TraceInput::open(place));
      analysis::ReportOptions wanted{.foldsProcesses = input.table().hasManyProcesses(), .selfDurations = true};
      input.setRange(wanted.filter);
      reports[side].push_back(need(analysis::makeReport(input.trace(), wanted)));
    }
  const std::vector<std::string> &globs = options.filter.options.functions;
  std::vector<std::string> functions = analysis::mostChanged(reports[0], reports[1], globs, options.statistic);
  if (functions.empty()) {
    complain(globs.empty() ? "diff: the two sides have no function in common whose calls are complete"
                           : "diff: neither side has a call of such a function");
    (void)warnAboutUnmatched("--function", globs, {reports[0][0].functions.begin(), reports[0][0].functions.end()});
    return globs.empty() ? kCantRead : kProblemsFound;
  }
  const std::set<std::string> changed = changedFunctions(analysis::makeDiff(reports[0], reports[1]));
  if (globs.empty())
    std::erase_if(functions, [&](const std::string &name) { return !changed.contains(name); });
  const uint64_t limit = options.limit.value_or(kExplainLimit);
  std::vector<analysis::Explanation> all;
  analysis::Damage damage;
  // Nobody chose functions: then those whose change is not shown say nothing, and nor do parts of others.
  const bool isChosen = !globs.empty();
  const uint64_t mostTried = isChosen || limit == 0 ? functions.size() : 2 * limit + 4;
  size_t tried = 0;
  for (; tried < std::min<uint64_t>(functions.size(), mostTried) && (limit == 0 || all.size() < limit); ++tried) {
    progress.show(fmt::format("explaining {} ({} of {})", shortName(functions[tried]), tried + 1, functions.size()));
    analysis::Explanation found = explainFunction(options, functions[tried], inputs[0], inputs[1], damage);
    found.isMoreThanNoise = found.isMoreThanNoise && changed.contains(functions[tried]);
    if (!isChosen) {
      if (!found.isMoreThanNoise || std::ranges::any_of(all, [&](const auto &other) { return isPartOf(found, other); }))
        continue;
      std::erase_if(all, [&](const auto &other) { return isPartOf(other, found); });
    }
    all.push_back(std::move(found));
  }
  Output out;
  if (all.empty() && (options.lines.table.isText() || options.lines.table.format == Format::Markdown))
    out.print("no change is shown; --function explains one all the same\n");
  // Those that nobody asked for, and that were not among the first, are hardly worth a line.
  const size_t more = isChosen || all.size() == limit ? functions.size() - tried : 0;
  printExplanations(out, invocation.palette(), all, more, options.lines.table);
  out.flush();
  int exitCode = kOk;
  for (auto &side : inputs)
    for (TraceInput &input : side)
      exitCode = std::max(exitCode, input.close(std::exchange(damage, {})));
  return exitCode;
}

// Checks which options are combined with --explain. Returns a complaint, or an empty string if there is none.
std::string faultOfExplain(const Options &options) {
  const analysis::FilterOptions &filter = options.filter.options;
  if (!options.explain)
    return options.statisticOption.isGiven()  ? "--statistic needs --explain"
           : options.progressOption.isGiven() ? "--progress needs --explain"
                                              : "";
  if (options.flow || options.lines.all || options.lines.byPath || !options.failIf.empty() || !options.database.empty())
    return "--explain can't be combined with --flow, --all, --by=path, --fail-if or --from";
  if (!filter.pruned.empty() || !filter.included.empty() || !filter.excluded.empty() || filter.noExternal ||
      filter.depth != ~uint32_t(0) || filter.minDurationNs)
    return "--explain takes --function only, because causes may be anywhere in it";
  return "";
}

// Checks which options are combined with --flow. Returns a complaint, or an empty string if there is none.
std::string faultOfFlow(const Options &options) {
  const analysis::FilterOptions &filter = options.filter.options;
  if (!options.flow)
    return options.values                      ? "--args needs --flow"
           : options.limit && !options.explain ? "--limit needs --flow or --explain"
                                               : "";
  if (filter.minDurationNs || options.lines.all || options.lines.byPath)
    return "--flow can't be combined with --min-duration, --all or --by=path";
  for (const std::string &rule : options.failIf)
    if (rule != kAny)
      return fmt::format("with --flow, --fail-if accepts only '{}', not '{}'", kAny, rule);
  return "";
}

int run(Options &options, const Invocation &invocation) {
  options.filter.settle("diff");
  options.lines.table.check("diff", options.explain ? infoOf(analysis::causeColumns())
                                    : options.flow  ? flowTable()
                                                    : infoOf(analysis::diffColumns()));
  for (const Option &filter : options.filters)
    if (!options.database.empty() && (filter.isGiven() || options.flow))
      return fail(kWrongUsage, "diff: {} can't be used with sessions in a database",
                  options.flow ? "--flow" : filter.name());
  for (const std::string &fault : {faultOfExplain(options), faultOfFlow(options)})
    if (!fault.empty())
      return fail(kWrongUsage, "diff: {}", fault);
  if (options.with.empty() && options.sessions.size() == 2) {
    options.with = {options.sessions[1]};
    options.sessions.pop_back();
  }
  if (options.sessions.empty() || options.with.empty())
    return fail(kWrongUsage, "diff: name two sessions, or A1 A2 ... --with B1 B2 ...");
  if (options.flow)
    return runFlow(options, invocation);
  if (options.explain)
    return runExplain(options, invocation);
  std::vector<DiffRule> rules;
  for (const std::string &text : options.failIf) {
    const std::optional<DiffRule> rule = parseDiffRule(text);
    if (!rule)
      return fail(kWrongUsage, "diff: --fail-if '{}' is not a rule like 'handle*: p99 > +5%'", text);
    if (options.lines.byPath && rule->value >= analysis::DiffValue::P50)
      return fail(kWrongUsage, "diff: --by=path has no p50 and p99, which --fail-if '{}' needs", text);
    rules.push_back(*rule);
  }
  int exitCode = kOk;
  const analysis::Diff diff = !options.database.empty() ? compareLoaded(options)
                              : options.lines.byPath    ? compareByPath(options, exitCode)
                                                        : compareByFunction(options, exitCode);
  Output out;
  printDiff(out, invocation.palette(), diff, options.lines);
  out.flush();
  exitCode = std::max(exitCode, warnAboutUnmatched(options.filter.options, diff.functions));
  bool isBroken = false, isUndecided = false;
  for (const DiffRule &rule : rules) {
    const RuleAnswer answer = answerTo(rule, diff, options.lines.names.style);
    for (const std::string &text : {answer.broken, answer.fault})
      if (!text.empty())
        complain(text);
    isBroken = isBroken || !answer.broken.empty();
    isUndecided = isUndecided || !answer.fault.empty();
  }
  if (isBroken) // takes precedence over undecided rules
    return std::max<int>(exitCode, kProblemsFound);
  if (isUndecided)
    return std::max<int>(exitCode, kWrongUsage);
  return exitCode;
}

void declare(CommandLine &line, Options &options) {
  line.option("sessions", options.sessions,
              "The session before and the session after; with --with, all sessions before")
      .type("");
  line.option("--with,--against", options.with, "The sessions after; several runs per side show smaller changes")
      .type("SESSION...");
  line.option(
          "--from", options.database,
          "Compare sessions in this database, chosen by a label such as release=1.3: clickhouse://HOST:PORT/DATABASE")
      .type("ADDRESS");
  line.option("--credentials", options.credentials, "With --from: as for `load`").type("FILE");
  const size_t before = line.all().size();
  addThreads(line, options.input.threads);
  declareFilter(line, options.filter);
  const std::vector<Option> declared = line.all();
  options.filters.assign(declared.begin() + static_cast<ptrdiff_t>(before), declared.end());
  declareNames(line, options.lines.names);
  line.choice("--by", options.lines.byPath, {{"function", false}, {"path", true}},
              "One row per function, or per path of calls to it [function]")
      .type("WHAT");
  line.flag("--flow", options.flow, "Instead: list the places where the threads of two sessions made different calls");
  line.flag("--args", options.values, "With --flow: also compare arguments and results (`record --detail`)");
  line.flag("--explain", options.explain,
            "Instead: divide the change of functions (--function, or those that changed most) into causes: more calls, "
            "slower code, new callees, waiting, preemption, other arguments");
  options.statisticOption = line.choice("--statistic", options.statistic,
                                        {{"mean", analysis::Statistic::Mean},
                                         {"total", analysis::Statistic::Total},
                                         {"median", analysis::Statistic::Median},
                                         {"p50", analysis::Statistic::Median},
                                         {"p99", analysis::Statistic::P99}},
                                        "With --explain: the change of what [mean]");
  options.progressOption = addWhen(line, "--progress", options.progress,
                                   "With --explain: show on standard error which function is being read");
  addLimit(line, options.limit,
           fmt::format("Stop after this many differences (--flow) or functions (--explain); 0: never [{} or {}]",
                       kFlowLimit, kExplainLimit));
  line.flag("--all", options.lines.all, "Also show functions of which no change is shown");
  line.option("--fail-if", options.failIf,
              "Exit with status 1 if a function's calls, total, self, p50 or p99 changed by more than this: 'GLOB: p99 "
              "> +5%'; may be repeated. With --flow: 'any' difference")
      .type("RULE")
      .repeatable();
  addTableOptions(line, options.lines.table);
}

} // namespace
} // namespace diff_command

const Command kDiff = {
    "diff",
    "Compare two sessions, or several runs of each: what changed, and how sure that is",
    "adatrace diff before after\n"
    "adatrace diff --explain --function='Server::handle' --statistic=p99 before after\n"
    "adatrace diff --flow --args good bad\n"
    "adatrace diff before1 before2 before3 before4 --with after1 after2 after3 after4 --fail-if 'handle*: p99 > +5%'",
    withOptions<diff_command::declare, diff_command::run>,
};

} // namespace ada::cli
