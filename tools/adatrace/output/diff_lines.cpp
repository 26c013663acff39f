// Prints what changed between two groups of runs.
#include "diff_lines.h"
#include "base/quantities.h"
#include "json_fields.h"

#include "analysis/diff/diff_judge.h"
#include "analysis/tree/path_views.h"

#include <charconv>
#include <cmath>
#include <span>

namespace ada::cli {

using analysis::DiffPair;
using analysis::DiffRow;
using analysis::DiffValue;

namespace {

constexpr const char *kNames[] = {"calls", "total", "self", "p50", "p99"};

uint64_t rounded(double value) { return static_cast<uint64_t>(std::llround(value)); }

std::string changeText(const DiffPair &pair) {
  const double change = pair.change();
  return std::isinf(change)                      ? "new"
         : pair.meanB() == 0 && pair.meanA() > 0 ? "gone"
                                                 : fmt::format("{:+.1f} %", 100 * change);
}
std::string pText(const DiffPair &pair) { return pair.p < 1 ? fmt::format("{:.2g}", pair.p) : "-"; }

std::string runsText(const analysis::Diff &diff) {
  return fmt::format("{} against {}; self time of all functions {} → {} ({})", formatCount(diff.whole.a.size(), "run"),
                     formatCount(diff.whole.b.size(), "run"), formatDuration(rounded(diff.whole.meanA())),
                     formatDuration(rounded(diff.whole.meanB())), changeText(diff.whole));
}

// "main > handle > parse": only the innermost calls, which are the most informative.
std::string pathText(const DiffRow &row, const analysis::Diff &diff, NameStyle style) {
  constexpr size_t kMost = 6;
  const size_t first = row.callers.size() > kMost ? row.callers.size() - kMost : 0;
  std::string text = first ? "... > " : "";
  for (size_t i = first; i < row.callers.size(); ++i)
    text += nameOf(diff.functions[row.callers[i]], style) + " > ";
  return text + nameOf(*row.function, style);
}

void printText(Output &out, const Palette &palette, const analysis::Diff &diff, std::span<const DiffRow> rows,
               const DiffLineOptions &options) {
  const NameOptions &names = options.names;
  out.print("{}\n", runsText(diff));
  if (!rows.empty())
    out.print("{}{:>11} {:>11} {:>9} {:>11} {:>11} {:>9} {:>11} {:>11} {:>9} {:>9}  function{}\n", palette.dim,
              "self a", "self b", "", "total a", "total b", "", "calls a", "calls b", "p99", "chance", palette.reset);
  for (const DiffRow &row : rows) {
    const DiffPair &self = row[DiffValue::Self], &total = row[DiffValue::Total], &calls = row[DiffValue::Calls];
    const DiffPair &cause = row.isByMedian ? row[DiffValue::P50] : self;
    const Escape colour = !row.isSignificant()            ? palette.dim
                          : cause.meanB() > cause.meanA() ? palette.error
                                                          : palette.good;
    out.print("{:>11} {:>11} {}{:>9}{} {:>11} {:>11} {}{:>9}{} {:>11} {:>11} {:>9} {:>9}  {}{}{}",
              formatDuration(rounded(self.meanA())), formatDuration(rounded(self.meanB())), colour, changeText(self),
              palette.reset, formatDuration(rounded(total.meanA())), formatDuration(rounded(total.meanB())), colour,
              changeText(total), palette.reset, formatCount(rounded(calls.meanA())),
              formatCount(rounded(calls.meanB())), options.byPath ? "-" : changeText(row[DiffValue::P99]), pText(self),
              palette.name, pathText(row, diff, names.style), palette.reset);
    if (!row.isSignificant())
      out.print("  {}(noise){}", palette.dim, palette.reset);
    if (row.isByMedian)
      out.print("  {}(p50 {} → {}, {}){}", palette.dim, formatDuration(rounded(cause.meanA())),
                formatDuration(rounded(cause.meanB())), changeText(cause), palette.reset);
    if (const std::string source = sourceOf(*row.function); names.source && !source.empty())
      out.print("  {}{}{}", palette.dim, source, palette.reset);
    out.write("\n");
  }
}

// Escapes characters that Markdown would interpret.
std::string escaped(const std::string &text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>()#+-.!|&~").find(c) != std::string_view::npos)
      safe += '\\';
    safe += c;
  }
  return safe;
}

void printMarkdown(Output &out, const analysis::Diff &diff, std::span<const DiffRow> rows, NameStyle style) {
  out.print("{}\n", runsText(diff));
  if (rows.empty())
    return;
  out.write(
      "\n| function | self a | self b | change | total a | total b | change | calls a | calls b | beyond noise |\n"
      "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n");
  for (const DiffRow &row : rows) {
    const DiffPair &self = row[DiffValue::Self], &total = row[DiffValue::Total], &calls = row[DiffValue::Calls];
    out.print("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", escaped(pathText(row, diff, style)),
              formatDuration(rounded(self.meanA())), formatDuration(rounded(self.meanB())), changeText(self),
              formatDuration(rounded(total.meanA())), formatDuration(rounded(total.meanB())), changeText(total),
              formatCount(rounded(calls.meanA())), formatCount(rounded(calls.meanB())),
              row.isByMedian        ? "p50 " + changeText(row[DiffValue::P50])
              : row.isSignificant() ? "yes"
                                    : "no");
  }
}

void printJson(Output &out, const analysis::Diff &diff, const DiffLineOptions &options) {
  JsonList list(out, options.format == "json");
  for (const DiffRow &row : diff.rows) {
    list.next();
    JsonMembers json;
    json.text("function", nameOf(*row.function, options.names.style)).textOrNull("source", sourceOf(*row.function));
    if (options.byPath) {
      json.beginArray("callers");
      for (const uint32_t caller : row.callers)
        json.text({}, nameOf(diff.functions[caller], options.names.style));
      json.endArray();
    }
    for (size_t i = 0; i < (options.byPath ? size_t(3) : analysis::kDiffValues); ++i) {
      const std::string name = kNames[i] + std::string(i ? "_ns" : "");
      json.number(name + "_a", rounded(row.values[i].meanA())).number(name + "_b", rounded(row.values[i].meanB()));
    }
    json.boolean("significant", row.isSignificant());
    std::vector<std::string> significant;
    for (size_t i = 0; i < analysis::kDiffValues; ++i)
      if (row.values[i].isSignificant)
        significant.push_back(kNames[i]);
    out.write(json.texts("significant_values", significant).object());
  }
  list.finish();
}

} // namespace

void printDiff(Output &out, const Palette &palette, const analysis::Diff &diff, const DiffLineOptions &options) {
  if (options.format.starts_with("json"))
    return printJson(out, diff, options);
  size_t shown = 0;
  while (shown < diff.rows.size() && (options.all || diff.rows[shown].isSignificant()))
    ++shown;
  const std::span<const DiffRow> rows(diff.rows.data(), shown);
  if (options.format == "markdown")
    printMarkdown(out, diff, rows, options.names.style);
  else
    printText(out, palette, diff, rows, options);
  if (shown < diff.rows.size())
    out.print("{}{}{} did not change beyond noise; --all shows them\n", options.format == "markdown" ? "\n" : "",
              shown ? "... and " : "", formatCount(diff.rows.size() - shown, options.byPath ? "path" : "function"));
  if (diff.undecided > 0)
    out.print("{}{} in every run, but {} against {} are too few to tell that from noise; {} per side would do\n",
              options.format == "markdown" ? "\n" : "",
              options.byPath ? formatCount(diff.undecided, "path") + (diff.undecided == 1 ? " differs" : " differ")
                             : formatCount(diff.undecided, "function") + (diff.undecided == 1 ? " differs" : " differ"),
              diff.whole.a.size(), formatCount(diff.whole.b.size(), "run"), diff.runsNeeded);
}

std::optional<DiffRule> parseDiffRule(const std::string &text) {
  // Search from the right, because names contain colons.
  const size_t sign = text.find_last_of("<>"), colon = sign == text.npos ? sign : text.rfind(':', sign);
  if (colon == text.npos || colon == 0)
    return std::nullopt;
  const auto trimmed = [](std::string_view part) {
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    return part.substr(0, part.find_last_not_of(' ') + 1);
  };
  DiffRule rule;
  rule.text = text;
  rule.glob = trimmed(std::string_view(text).substr(0, colon));
  const std::string_view name = trimmed(std::string_view(text).substr(colon + 1, sign - colon - 1));
  const auto *found = std::ranges::find(kNames, name);
  if (found == std::end(kNames) || rule.glob.empty())
    return std::nullopt;
  rule.value = static_cast<DiffValue>(found - kNames);
  rule.isMore = text[sign] == '>';
  std::string_view number = trimmed(std::string_view(text).substr(sign + 1));
  if (!number.ends_with('%'))
    return std::nullopt;
  number = trimmed(number.substr(0, number.size() - 1));
  number.remove_prefix(number.starts_with('+'));
  double percent = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), percent);
  if (error != std::errc() || end != number.data() + number.size() || number.empty())
    return std::nullopt;
  rule.change = percent / 100;
  return rule;
}

RuleAnswer answerTo(const DiffRule &rule, const analysis::Diff &diff, NameStyle style) {
  const std::vector<bool> chosen = analysis::chosenFunctions(diff.functions, {rule.glob});
  std::vector<const DiffRow *> rows;
  for (const DiffRow &row : diff.rows)
    if (chosen[row.function->index])
      rows.push_back(&row);
  if (rows.empty())
    return {.fault = fmt::format("'{}' can't fail: no function matches '{}'", rule.text, rule.glob)};
  const analysis::RuleVerdict verdict = analysis::judgeRule(diff, rows, rule.value, rule.isMore, rule.change);
  const auto listed = [&](const std::vector<const DiffRow *> &which) {
    std::string list;
    for (const DiffRow *row : which)
      list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", pathText(*row, diff, style),
                          changeText((*row)[rule.value]));
    return list;
  };
  RuleAnswer answer;
  if (!verdict.broken.empty())
    answer.broken = fmt::format("'{}' holds for {}", rule.text, listed(verdict.broken));
  if (!verdict.undecided.empty())
    answer.fault = fmt::format(
        "'{}' can't be decided for {}: {} against {} are too few to tell that from noise; {} per side would do",
        rule.text, listed(verdict.undecided), diff.whole.a.size(), formatCount(diff.whole.b.size(), "run"),
        verdict.runsNeeded);
  return answer;
}

} // namespace ada::cli
