// Adatrace check: says whether a trace keeps rules, and proposes rules.
#include "analysis/report/report.h"
#include "base/file_bytes.h"
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/check_lines.h"
#include "output/function_names.h"
#include "output/table_writer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <unistd.h>

namespace ada::cli {

namespace check_command {
namespace {

struct Options {
  std::string rules, suggest;
  std::vector<std::string> sessions;
  InputOptions input;
  std::string format = "text"; // or json, junit
  bool isVerbose = false;
};

constexpr size_t kSuggested = 10; // functions

// Twice the figure, with one digit: room for noise, and a number that people remember.
std::string roomyLimit(uint64_t ns) {
  const double twice = 2 * static_cast<double>(std::max<uint64_t>(ns, 1));
  const double digit = std::pow(10, std::floor(std::log10(twice)));
  const auto limit = static_cast<uint64_t>(std::ceil(twice / digit) * digit);
  if (limit % 1'000'000'000 == 0)
    return fmt::format("{}s", limit / 1'000'000'000);
  if (limit % 1'000'000 == 0)
    return fmt::format("{}ms", limit / 1'000'000);
  return limit % 1000 == 0 ? fmt::format("{}us", limit / 1000) : fmt::format("{}ns", limit);
}

// The name as a glob, in quotes if it needs them. Characters with a meaning in globs are left to "?".
std::string globOf(const model::Function &function) {
  std::string name = nameOf(function, NameStyle::Short);
  for (size_t at; (at = name.find("<..>")) != std::string::npos;)
    name.erase(at, 4);
  if (name.ends_with("()") || name.ends_with("(..)"))
    name.resize(name.rfind('('));
  for (char &c : name)
    if (std::string_view("*?[]{}|\\'\"").find(c) != std::string_view::npos)
      c = '?';
  return name.find_first_of(" ,()#") == std::string::npos ? name : "\"" + name + "\"";
}

int suggest(const Options &options) {
  InputOptions input = options.input;
  input.path = options.suggest;
  int exitCode = kOk;
  std::optional<TraceInput> trace = TraceInput::open(input, exitCode);
  if (!trace)
    return exitCode;
  analysis::ReportOptions wanted;
  trace->setRange(wanted.filter);
  auto report = analysis::makeReport(trace->source(), trace->table(), trace->threads(), wanted);
  if (!report)
    return fail(kCantRead, "{}", report.error().text());
  std::vector<const analysis::ReportRow *> rows;
  for (const analysis::ReportRow &row : report->rows)
    if (row.function && !row.function->isExternal && row.figures.durations.count() > 0)
      rows.push_back(&row);
  std::ranges::stable_sort(rows, std::greater(), [](const analysis::ReportRow *row) { return row->figures.totalNs; });
  rows.resize(std::min(rows.size(), kSuggested));
  std::string text;
  for (const analysis::ReportRow *row : rows) {
    const std::string glob = globOf(*row->function);
    const FunctionStatistics &figures = row->figures;
    constexpr uint64_t kMany = 100; // fewer calls have no 99th percentile to speak of
    const bool isMany = figures.durations.count() >= kMany;
    text += fmt::format("{}({}) < {}\n", isMany ? "p99" : "max", glob,
                        roomyLimit(isMany ? figures.durations.percentile(99) : figures.durations.max()));
    if (figures.exceptions == 0)
      text += fmt::format("exceptions({}) == 0\n", glob);
  }
  // A glob may match other functions as well, so the rules are tried.
  const auto parsed = analysis::parseRules(text);
  const auto *rules = std::get_if<std::vector<analysis::Rule>>(&parsed);
  if (!rules)
    return fail(kCantRead, "check: a rule that is suggested can't be read: {}", text);
  analysis::Damage damage;
  const auto answers = analysis::checkRules(trace->source(), trace->table(), trace->threads(), *rules, trace->fromNs(),
                                            trace->toNs(), damage);
  if (!answers)
    return fail(kCantRead, "{}", answers.error().text());
  Output out;
  out.print("# from {}: limits are twice what was measured\n", trace->name());
  for (size_t i = 0; i < rules->size(); ++i)
    if ((*answers)[i].verdict == analysis::CheckAnswer::Verdict::Kept)
      out.print("{}\n", (*rules)[i].text);
  out.flush();
  return trace->close(report->damage);
}

int run(const Options &options, const Invocation &invocation) {
  if (!options.suggest.empty())
    return options.rules.empty() ? suggest(options) : fail(kWrongUsage, "check: --suggest needs no rules");
  if (options.rules.empty())
    return fail(kWrongUsage, "check: name a file of rules, or --suggest=SESSION to get some");
  const auto text = FileBytes::open(options.rules);
  if (!text)
    return fail(kCantRead, "{}", text.error().text());
  const auto bytes = text->bytes();
  const auto parsed = analysis::parseRules({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (const auto *fault = std::get_if<analysis::RuleFault>(&parsed))
    return fail(kWrongUsage, "{}:{}:{}: {}", options.rules, fault->line, fault->column, fault->message);
  const auto &rules = std::get<std::vector<analysis::Rule>>(parsed);
  if (rules.empty())
    return fail(kWrongUsage, "{} has no rules", options.rules);

  std::vector<std::string> sessions = options.sessions;
  if (sessions.empty())
    sessions.emplace_back(); // the newest
  Output out;
  const Palette palette(invocation.color, STDOUT_FILENO);
  TableOptions json;
  json.format = Format::Json;
  TableWriter list(out, palette, infoOf(analysis::ruleColumns()), json, /*facts=*/0);
  if (options.format == "junit")
    out.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  int exitCode = kOk;
  bool isBroken = false, isUndecided = false;
  for (const std::string &session : sessions) {
    InputOptions input = options.input;
    input.path = session;
    int fault = kOk;
    std::optional<TraceInput> trace = TraceInput::open(input, fault);
    if (!trace)
      return fault;
    analysis::Damage damage;
    const auto answers = analysis::checkRules(trace->source(), trace->table(), trace->threads(), rules, trace->fromNs(),
                                              trace->toNs(), damage);
    if (!answers)
      return fail(kCantRead, "{}", answers.error().text());
    const CheckedSession checked = {*trace, options.rules, rules, *answers};
    if (options.format == "text")
      printCheck(out, palette, checked, options.isVerbose);
    else if (options.format == "junit")
      out.write(checkJunit(checked));
    else
      for (const analysis::RuleLine &row : checkRows(checked))
        list.write(analysis::ruleColumns(), row);
    for (size_t i = 0; i < answers->size(); ++i) {
      const analysis::CheckAnswer &answer = (*answers)[i];
      if (answer.verdict == analysis::CheckAnswer::Verdict::Kept && !answer.missing.empty())
        complain(fmt::format("{}:{}: kept, because no call of '{}' is in {}", options.rules, rules[i].line,
                             answer.missing, trace->name()));
      isBroken |= answer.verdict == analysis::CheckAnswer::Verdict::Broken;
      isUndecided |= answer.verdict == analysis::CheckAnswer::Verdict::Undecided;
    }
    exitCode = std::max(exitCode, trace->close(damage));
  }
  if (options.format == "junit")
    out.write("</testsuites>\n");
  if (options.format == "json")
    list.finish();
  out.flush();
  if (isBroken)
    return std::max<int>(exitCode, kProblemsFound);
  return isUndecided ? std::max<int>(exitCode, kWrongUsage) : exitCode;
}

std::function<int()> declare(CommandLine &line, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  line.option("rules", options->rules, "A file of rules, one per line").type("");
  line.option("sessions", options->sessions, "The traces to check [the newest session]").type("");
  line.option("--suggest", options->suggest, "Propose rules from a good run instead").type("SESSION");
  addThreads(line, options->input.threads);
  line.flag("-v,--verbose", options->isVerbose, "Also print the rules that are kept");
  line.option("--format", options->format, "text, json (one array), or junit (XML for build servers) [text]")
      .type("FORMAT")
      .oneOf({"text", "json", "junit"});
  return [options, &invocation] { return run(*options, invocation); };
}

} // namespace
} // namespace check_command

const Command kCheck = {
    "check",
    "Check rules about a trace, such as 'p99(handle) < 5ms', for use in builds",
    "adatrace check --suggest=ada-traces/session_20261121_101500 > rules\n"
    "adatrace check rules\n"
    "adatrace check rules before after --format=junit",
    check_command::declare,
};

} // namespace ada::cli
