// adatrace check: says whether a trace keeps rules, and proposes rules.
#include "analysis/check/check.h"
#include "analysis/report/report.h"
#include "command.h"
#include "input/trace_input.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/function_names.h"
#include "output/table_writer.h"
#include "trace/base/file_bytes.h"
#include "trace/base/quantities.h"
#include "trace/names.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

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

// The rules and their answers for one session.
struct CheckedSession {
  const TraceInput &input;
  const std::string &rulesPath;
  std::span<const analysis::Rule> rules;
  std::span<const analysis::CheckAnswer> answers;
};

using analysis::Rule, analysis::CheckAnswer, analysis::RuleExample;
using Verdict = CheckAnswer::Verdict;

// "7.200 ms", "12", "14.3 %"
std::string measuredText(analysis::Unit unit, double measured) {
  switch (unit) {
  case analysis::Unit::Duration:
    return formatDuration(static_cast<uint64_t>(std::max(0.0, measured) + 0.5));
  case analysis::Unit::Percent:
    return fmt::format("{:.1f} %", measured);
  case analysis::Unit::Count:
    break;
  }
  return formatCount(static_cast<uint64_t>(std::max(0.0, measured)));
}

// What the rule's figure means for one call: "3 calls", "7.2 ms".
std::string exampleText(const CheckedSession &session, const Rule &rule, const RuleExample &example) {
  std::string text = shortName(example.function) + " on " + session.input.label(example.thread);
  const uint64_t at = example.beginNs - std::min(example.beginNs, session.input.originNs());
  text += ", at " + formatDuration(at);
  if (rule.form == Rule::Form::Bound && example.endNs > example.beginNs)
    text += ": " +
            measuredText(rule.unit == analysis::Unit::Percent ? analysis::Unit::Duration : rule.unit, example.measured);
  return text;
}

std::string commandOf(const CheckedSession &session, const RuleExample &example) {
  return analysis::commandThatShows(example, session.input.table(), session.input.severalProcesses(),
                                    session.input.path());
}

std::string violationText(const Rule &rule, const CheckAnswer &answer) {
  const auto count = static_cast<uint64_t>(answer.measured);
  if (rule.form == Rule::Form::Never)
    return formatCount(count, "such call");
  if (rule.form == Rule::Form::Each)
    return fmt::format("{} not followed", formatCount(count, "call"));
  std::string text = measuredText(rule.unit, answer.measured);
  if (answer.error > 0)
    text += " ± " + formatDuration(static_cast<uint64_t>(std::ceil(answer.error)));
  return text;
}

std::string xmlText(std::string_view text) {
  std::string xml;
  for (const char c : text)
    switch (c) {
    case '<':
      xml += "&lt;";
      break;
    case '>':
      xml += "&gt;";
      break;
    case '&':
      xml += "&amp;";
      break;
    case '"':
      xml += "&quot;";
      break;
    default:
      xml += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
  return xml;
}

// Broken and undecided rules, each with its worst call and the command that shows it, then a summary. `isVerbose`:
// also the rules that were kept.
void printCheck(Output &out, const Palette &palette, const CheckedSession &session, bool isVerbose) {
  size_t kept = 0, broken = 0, undecided = 0;
  for (size_t i = 0; i < session.rules.size(); ++i) {
    const Rule &rule = session.rules[i];
    const CheckAnswer &answer = session.answers[i];
    const std::string place = fmt::format("{}:{}", session.rulesPath, rule.line);
    switch (answer.verdict) {
    case Verdict::Kept:
      ++kept;
      if (isVerbose)
        out.print("{}: {}kept{}: {}: {}\n", place, palette.good, palette.reset, rule.text, violationText(rule, answer));
      continue;
    case Verdict::Undecided:
      ++undecided;
      out.print("{}: {}undecided{}: {}: {}\n", place, palette.warn, palette.reset, rule.text,
                undecidedText(rule, answer));
      continue;
    case Verdict::Broken:
      ++broken;
    }
    out.print("{}: {}broken{}: {}: {}{}{}\n", place, palette.error, palette.reset, rule.text, palette.number,
              violationText(rule, answer), palette.reset);
    if (answer.worst)
      out.print("  {} {}\n    {}{}{}\n",
                rule.form == Rule::Form::Bound ? "worst:" : "first:", exampleText(session, rule, *answer.worst),
                palette.dim, commandOf(session, *answer.worst), palette.reset);
  }
  out.print("{}: {} kept", session.input.name(), formatCount(kept, "rule"));
  if (broken)
    out.print(", {}{} broken{}", palette.error, formatCount(broken), palette.reset);
  if (undecided)
    out.print(", {}{} undecided{}", palette.warn, formatCount(undecided), palette.reset);
  out.write("\n");
}

// A row for each rule, for the columns of check.h.
std::vector<analysis::RuleLine> checkRows(const CheckedSession &session) {
  std::vector<analysis::RuleLine> rows;
  for (size_t i = 0; i < session.rules.size(); ++i) {
    const CheckAnswer &answer = session.answers[i];
    rows.push_back({&session.rules[i], &answer, &session.input.table(), session.input.name(),
                    answer.worst ? commandOf(session, *answer.worst) : std::string()});
  }
  return rows;
}

// A <testsuite> element, one <testcase> per rule.
std::string checkJunit(const CheckedSession &session) {
  const auto countOf = [&](Verdict verdict) {
    return std::ranges::count(session.answers, verdict, &CheckAnswer::verdict);
  };
  std::string xml = fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n",
                                xmlText(session.input.name()), session.rules.size(), countOf(Verdict::Broken),
                                countOf(Verdict::Undecided));
  for (size_t i = 0; i < session.rules.size(); ++i) {
    const Rule &rule = session.rules[i];
    const CheckAnswer &answer = session.answers[i];
    xml += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xmlText(session.rulesPath), xmlText(rule.text));
    if (answer.verdict == Verdict::Kept) {
      xml += "/>\n";
      continue;
    }
    const bool isBroken = answer.verdict == Verdict::Broken;
    const std::string message = isBroken ? violationText(rule, answer) : undecidedText(rule, answer);
    const char *element = isBroken ? "failure" : "error";
    xml += fmt::format(">\n      <{} message=\"{}\">", element, xmlText(message));
    if (answer.worst)
      xml += xmlText(exampleText(session, rule, *answer.worst)) + "\n" + xmlText(commandOf(session, *answer.worst));
    xml += fmt::format("</{}>\n    </testcase>\n", element);
  }
  return xml + "  </testsuite>\n";
}

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
  TraceInput trace = TraceInput::open(input);
  analysis::ReportOptions wanted{.foldsProcesses = trace.table().hasManyProcesses()};
  trace.setRange(wanted.filter);
  auto report = need(analysis::makeReport(trace.trace(), wanted));
  std::vector<const analysis::ReportRow *> rows;
  for (const analysis::ReportRow &row : report.rows)
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
  const auto answers = need(analysis::checkRules(trace.trace(), *rules, trace.fromNs(), trace.toNs(), damage));
  Output out;
  out.print("# from {}: limits are twice what was measured\n", trace.name());
  for (size_t i = 0; i < rules->size(); ++i)
    if (answers[i].verdict == Verdict::Kept)
      out.print("{}\n", (*rules)[i].text);
  out.flush();
  return trace.close(report.damage);
}

int run(const Options &options, const Invocation &invocation) {
  if (!options.suggest.empty())
    return options.rules.empty() ? suggest(options) : fail(kWrongUsage, "check: --suggest needs no rules");
  if (options.rules.empty())
    return fail(kWrongUsage, "check: name a file of rules, or --suggest=SESSION to get some");
  const auto text = need(FileBytes::open(options.rules));
  const auto bytes = text.bytes();
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
  const Palette palette = invocation.palette();
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
    TraceInput trace = TraceInput::open(input);
    analysis::Damage damage;
    const auto answers = need(analysis::checkRules(trace.trace(), rules, trace.fromNs(), trace.toNs(), damage));
    const CheckedSession checked = {trace, options.rules, rules, answers};
    if (options.format == "text")
      printCheck(out, palette, checked, options.isVerbose);
    else if (options.format == "junit")
      out.write(checkJunit(checked));
    else
      for (const analysis::RuleLine &row : checkRows(checked))
        list.write(analysis::ruleColumns(), row);
    for (size_t i = 0; i < answers.size(); ++i) {
      const CheckAnswer &answer = answers[i];
      if (answer.verdict == Verdict::Kept && !answer.missing.empty())
        complain(fmt::format("{}:{}: kept, because no call of '{}' is in {}", options.rules, rules[i].line,
                             answer.missing, trace.name()));
      isBroken |= answer.verdict == analysis::CheckAnswer::Verdict::Broken;
      isUndecided |= answer.verdict == analysis::CheckAnswer::Verdict::Undecided;
    }
    exitCode = std::max(exitCode, trace.close(damage));
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

void declare(CommandLine &line, Options &options) {
  line.option("rules", options.rules, "A file of rules, one per line").type("");
  line.option("sessions", options.sessions, "The traces to check [the newest session]").type("");
  line.option("--suggest", options.suggest, "Propose rules from a good run instead").type("SESSION");
  addThreads(line, options.input.threads);
  line.flag("-v,--verbose", options.isVerbose, "Also print the rules that are kept");
  line.option("--format", options.format, "text, json (one array), or junit (XML for build servers) [text]")
      .type("FORMAT")
      .oneOf({"text", "json", "junit"});
}

} // namespace
} // namespace check_command

const Command kCheck = {
    "check",
    "Check rules about a trace, such as 'p99(handle) < 5ms', for use in builds",
    "adatrace check --suggest=ada-traces/session_20261121_101500 > rules\n"
    "adatrace check rules\n"
    "adatrace check rules before after --format=junit",
    withOptions<check_command::declare, check_command::run>,
};

} // namespace ada::cli
