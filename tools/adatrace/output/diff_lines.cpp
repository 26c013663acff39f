// Prints what changed between two groups of runs.
#include "diff_lines.h"
#include "table_writer.h"

#include "analysis/diff/diff_judge.h"
#include "analysis/tree/path_views.h"
#include "trace/base/quantities.h"

#include <charconv>
#include <cmath>

namespace ada::cli {

using analysis::DiffLine, analysis::DiffPair, analysis::DiffRow, analysis::DiffValue;

namespace {

std::string meanText(double ns) { return formatDuration(static_cast<uint64_t>(std::llround(ns))); }
std::string fromTo(const DiffPair &pair) { return meanText(pair.meanA()) + " → " + meanText(pair.meanB()); }

RowNotes notesOf(const Palette &palette, const DiffRow &row, const NameOptions &names) {
  const DiffPair &cause = row[row.isByMedian ? DiffValue::P50 : DiffValue::Self];
  RowNotes notes;
  notes.verdict = !row.isSignificant() ? palette.dim : cause.meanB() > cause.meanA() ? palette.error : palette.good;
  if (!row.isSignificant())
    notes.after.push_back({palette.dim, " (noise)"});
  if (row.isByMedian)
    notes.after.push_back({palette.dim, fmt::format(" (p50 {}, {})", fromTo(cause), analysis::changeText(cause))});
  if (const std::string source = sourceOf(*row.function); names.source && !source.empty())
    notes.after.push_back({palette.dim, " " + source});
  return notes;
}

} // namespace

void printDiff(Output &out, const Palette &palette, const analysis::Diff &diff, const DiffLineOptions &options) {
  const bool isMarkdown = options.table.format == Format::Markdown, isForPeople = isMarkdown || options.table.isText();
  const analysis::NamedDiff all = namedDiff(diff, options.names.style);
  std::vector<DiffLine> lines;
  for (const DiffRow &row : diff.rows)
    if (!isForPeople || options.all || row.isSignificant())
      lines.push_back({&row, &all});
  if (isForPeople)
    out.print("{} against {}; self time of all functions {} ({})\n{}", formatCount(diff.whole.a.size(), "run"),
              formatCount(diff.whole.b.size(), "run"), fromTo(diff.whole), analysis::changeText(diff.whole),
              isMarkdown && !lines.empty() ? "\n" : "");
  printTable(out, palette, analysis::diffColumns(), lines, options.table, analysis::diffFacts(options.byPath),
             [&](const DiffLine &line) { return notesOf(palette, *line.row, options.names); });
  if (!isForPeople)
    return;
  const char *what = options.byPath ? "path" : "function", *before = isMarkdown ? "\n" : "";
  if (lines.size() < diff.rows.size())
    out.print("{}{}{} did not change beyond noise; --all shows them\n", before, lines.empty() ? "" : "... and ",
              formatCount(diff.rows.size() - lines.size(), what));
  if (diff.undecided > 0)
    out.print("{}{} {} in every run, but {} against {} are too few to tell that from noise; {} per side would do\n",
              before, formatCount(diff.undecided, what), diff.undecided == 1 ? "differs" : "differ",
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
  const auto *found = std::ranges::find(analysis::kDiffNames, name);
  if (found == std::end(analysis::kDiffNames) || rule.glob.empty())
    return std::nullopt;
  rule.value = static_cast<DiffValue>(found - analysis::kDiffNames);
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
  const analysis::NamedDiff all = namedDiff(diff, style);
  const auto listed = [&](const std::vector<const DiffRow *> &which) {
    std::string list;
    for (const DiffRow *row : which)
      list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", analysis::pathText({row, &all}),
                          analysis::changeText((*row)[rule.value]));
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
