// Prints what made functions slower.
#include "explain_lines.h"
#include "table_writer.h"

#include "trace/base/quantities.h"
#include "trace/names.h"

#include <cmath>

namespace ada::cli {

using analysis::CauseLine, analysis::Explanation, analysis::kAfter, analysis::kBefore;

namespace {

std::string durationOf(int64_t ns) { return formatDuration(static_cast<uint64_t>(ns < 0 ? -ns : ns)); }

std::string percentText(const Explanation &found) {
  if (found.ns[kBefore] <= 0)
    return "";
  return fmt::format(" ({:+.1f} %)",
                     100 * static_cast<double>(found.changeNs) / static_cast<double>(found.ns[kBefore]));
}

// "handle(..): p99 1.2 ms → 4.3 ms, +3.1 ms (+258.3 %); 4,011 against 3,980 calls"
void printHead(Output &out, const Palette &palette, const Explanation &found) {
  out.print("{}{}{}: ", palette.name, shortName(found.function), palette.reset);
  for (const analysis::Side side : {kBefore, kAfter})
    if (found.calls[side] == 0) {
      out.print("{}, but none {}: nothing to compare\n",
                formatCount(found.calls[side == kBefore ? kAfter : kBefore], "complete call"),
                side == kBefore ? "before" : "after");
      return;
    }
  out.print("{} {} → {}, {}{}{}{}{}; {} against {} calls\n", statisticName(found.statistic),
            durationOf(found.ns[kBefore]), durationOf(found.ns[kAfter]), palette.number, found.changeNs < 0 ? "-" : "+",
            durationOf(found.changeNs), palette.reset, percentText(found), formatCount(found.calls[kBefore]),
            formatCount(found.calls[kAfter]));
  if (!found.isMoreThanNoise)
    out.print("  {}This change is not shown: it may be chance.{}\n", palette.dim, palette.reset);
}

} // namespace

void printExplanations(Output &out, const Palette &palette, const std::vector<Explanation> &all, size_t more,
                       const TableOptions &options) {
  const bool isMarkdown = options.format == Format::Markdown, isForPeople = isMarkdown || options.isText();
  std::vector<CauseLine> lines;
  for (size_t i = 0; i < all.size(); ++i) {
    const Explanation &found = all[i];
    for (const analysis::Cause &cause : found.causes)
      lines.push_back({&cause, &found});
    if (!isForPeople)
      continue;
    out.write(i > 0 ? "\n" : "");
    printHead(out, palette, found);
    if (isMarkdown && !lines.empty())
      out.write("\n");
    if (!lines.empty())
      printTable(out, palette, analysis::causeColumns(), lines, options, /*facts=*/0);
    lines.clear();
    if (!found.note.empty())
      out.print("{}  {}{}{}\n", isMarkdown ? "\n" : "", palette.dim, found.note, palette.reset);
  }
  if (!isForPeople)
    return printTable(out, palette, analysis::causeColumns(), lines, options, /*facts=*/0);
  if (more > 0)
    out.print("{}... and {}; --limit shows more{}\n", palette.dim, formatCount(more, "other function"), palette.reset);
}

} // namespace ada::cli
