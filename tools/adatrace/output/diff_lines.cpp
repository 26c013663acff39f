// Prints what changed between two groups of runs.
#include "diff_lines.h"
#include "table_writer.h"

#include "analysis/diff/diff_judge.h"
#include "analysis/diff/verdicts.h"
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
  const DiffPair &cause = row[row.changed];
  RowNotes notes;
  notes.verdict = !row.isShown() ? palette.dim : cause.meanB() > cause.meanA() ? palette.error : palette.good;
  if (row.changed == DiffValue::P50 || row.changed == DiffValue::OnCpu || row.changed == DiffValue::SelfP50)
    notes.after.push_back({palette.dim, fmt::format(" ({} {})", analysis::nameOf(row.changed), fromTo(cause))});
  if (const std::string source = sourceOf(*row.function); names.source && !source.empty())
    notes.after.push_back({palette.dim, " " + source});
  return notes;
}

// "Different in every run, but that may be chance: f(..) (+12.0 %), g(..) (calls -3.1 %)"
void printApart(Output &out, const analysis::NamedDiff &all, const char *before) {
  constexpr size_t kMax = 5;
  std::string list;
  size_t number = 0;
  for (const DiffRow &row : all.diff.rows) {
    if (!row.isApart || number++ >= kMax)
      continue;
    const DiffValue value = areApart(row[DiffValue::Self]) ? DiffValue::Self : DiffValue::Calls;
    list += fmt::format("{}{} ({} {})", list.empty() ? "" : ", ", analysis::pathText({&row, &all}),
                        analysis::nameOf(value), analysis::changeText(row[value]));
  }
  if (number > kMax)
    list += fmt::format(", and {} more", formatCount(number - kMax));
  if (number > 0)
    out.print("{}Different in every run, but that may be chance: {}\n", before, list);
}

} // namespace

void printDiff(Output &out, const Palette &palette, const analysis::Diff &diff, const DiffLineOptions &options) {
  const bool isMarkdown = options.table.format == Format::Markdown, isForPeople = isMarkdown || options.table.isText();
  const analysis::NamedDiff all = namedDiff(diff, options.names.style);
  std::vector<DiffLine> lines;
  for (const DiffRow &row : diff.rows)
    if (!isForPeople || options.all || row.isShown())
      lines.push_back({&row, &all});
  if (isForPeople)
    out.print("{} before, {} after; self time of all functions {} ({})\n{}", formatCount(diff.whole.a.size(), "run"),
              formatCount(diff.whole.b.size(), "run"), fromTo(diff.whole), analysis::changeText(diff.whole),
              isMarkdown && !lines.empty() ? "\n" : "");
  printTable(out, palette, analysis::diffColumns(), lines, options.table, analysis::diffFacts(options.byPath),
             [&](const DiffLine &line) { return notesOf(palette, *line.row, options.names); });
  if (!isForPeople)
    return;
  const char *what = options.byPath ? "path" : "function", *before = isMarkdown ? "\n" : "";
  if (lines.size() < diff.rows.size())
    out.print("{}{}no change of {} is shown; --all lists {}\n", before, lines.empty() ? "" : "... ",
              formatCount(diff.rows.size() - lines.size(), lines.empty() ? what : fmt::format("other {}", what)),
              diff.rows.size() - lines.size() == 1 ? "it" : "them");
  printApart(out, all, before);
  if (diff.runs() < analysis::kEnoughRuns)
    out.print("{}{}\n", before, analysis::kRunsNeeded);
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
  const std::span names = std::span(analysis::kDiffNames).first(analysis::kRuledValues);
  const auto found = std::ranges::find(names, name);
  if (found == names.end() || rule.glob.empty())
    return std::nullopt;
  rule.value = static_cast<DiffValue>(found - names.begin());
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
    answer.fault = fmt::format("'{}' can't be decided for {}: {} against {} don't show that; {} per side are enough",
                               rule.text, listed(verdict.undecided), diff.whole.a.size(),
                               formatCount(diff.whole.b.size(), "run"), analysis::kEnoughRuns);
  return answer;
}

} // namespace ada::cli
