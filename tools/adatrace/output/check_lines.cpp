// Prints whether rules were kept.
#include "check_lines.h"

#include "base/quantities.h"
#include "model/names.h"

#include <algorithm>

namespace ada::cli {

using analysis::Rule, analysis::CheckAnswer, analysis::RuleExample;
using Verdict = CheckAnswer::Verdict;

namespace {

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
  const model::Thread &thread = session.input.table().threads[example.thread];
  if (example.endNs <= example.beginNs)
    return fmt::format("adatrace tree --thread={} --from=@{} --to=@{} {}", thread.number,
                       example.beginNs - std::min<uint64_t>(example.beginNs, 1000), example.beginNs + 1000,
                       session.input.name());
  return fmt::format("adatrace why --call={} {}", session.input.callName(example.thread, example.seq),
                     session.input.name());
}

std::string violationText(const Rule &rule, const CheckAnswer &answer) {
  const auto count = static_cast<uint64_t>(answer.measured);
  if (rule.form == Rule::Form::Never)
    return formatCount(count, "such call");
  if (rule.form == Rule::Form::Each)
    return fmt::format("{} not followed", formatCount(count, "call"));
  return measuredText(rule.unit, answer.measured);
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

} // namespace

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

std::vector<analysis::RuleLine> checkRows(const CheckedSession &session) {
  std::vector<analysis::RuleLine> rows;
  for (size_t i = 0; i < session.rules.size(); ++i) {
    const CheckAnswer &answer = session.answers[i];
    rows.push_back({&session.rules[i], &answer, &session.input.table(), session.input.name(),
                    answer.worst ? commandOf(session, *answer.worst) : std::string()});
  }
  return rows;
}

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

} // namespace ada::cli
