// Prints what sets slow calls apart.
#include "outlier_lines.h"
#include "table_writer.h"

#include "trace/base/quantities.h"
#include "trace/base/text.h"
#include "trace/names.h"

#include <algorithm>
#include <cmath>

namespace ada::cli {

using analysis::FactorKind, analysis::OutlierFactor, analysis::Outliers, analysis::SlowExample;

namespace {

uint64_t wholeNs(double ns) { return ns > 0 ? static_cast<uint64_t>(ns + 0.5) : 0; }

std::string signedDuration(double ns) { return (ns < 0 ? "-" : "") + formatDuration(wholeNs(ns < 0 ? -ns : ns)); }

// "71 % of the slow calls, 2 % of the ordinary ones"
std::string frequencyText(const OutlierFactor &factor) {
  return fmt::format("{} of the slow calls, {} of the ordinary ones", formatShare(factor.ofSlow),
                     formatShare(factor.ofOrdinary));
}

} // namespace

void printOutliers(Output &out, const Palette &palette, const TraceInput &input, const Outliers &outliers) {
  out.print("{}{}{}: {}", palette.name, shortName(outliers.function), palette.reset,
            formatCount(outliers.calls, "call"));
  if (outliers.callsNeeded) {
    out.print("; too few to tell slow calls from ordinary ones: at least {} are needed\n", outliers.callsNeeded);
    return;
  }
  if (outliers.factors.empty()) {
    out.print("; no call is that slow\n");
    return;
  }
  out.print("\n  {} of {} or more, {}{}{} on average\n", formatCount(outliers.slowCalls, "slow call"),
            formatDuration(outliers.slowFromNs), palette.number, formatDuration(wholeNs(outliers.slowMeanNs)),
            palette.reset);
  out.print("  {} of {} to {}, {}{}{} on average\n", formatCount(outliers.ordinaryCalls, "ordinary call"),
            formatDuration(outliers.ordinaryFromNs), formatDuration(outliers.ordinaryToNs), palette.number,
            formatDuration(wholeNs(outliers.ordinaryMeanNs)), palette.reset);
  if (outliers.preemptedCalls)
    out.print("  {}not compared: {} preempted most of the time, for {} on average{}\n", palette.dim,
              formatCount(outliers.preemptedCalls, "call"), formatDuration(wholeNs(outliers.preemptedMeanNs)),
              palette.reset);
  out.print("  a slow call takes {}{}{} more:\n", palette.number, formatDuration(wholeNs(outliers.extraNs)),
            palette.reset);
  for (const OutlierFactor &factor : outliers.factors) {
    const bool isRest = factor.kind == FactorKind::Unexplained;
    if (isRest && outliers.factors.size() > 1 && std::abs(factor.share) < 0.005)
      continue;
    out.print("  {}{:>11} {:>5}{}  ", palette.number, signedDuration(factor.explainsNs), formatShare(factor.share),
              palette.reset);
    if (isRest) {
      out.write("nothing that is more than chance\n");
      if (!factor.how.empty())
        out.print("{:21}{}{}{}\n", "", palette.dim, factor.how, palette.reset);
      continue;
    }
    out.print("{}{}{}: {}{}\n", palette.name, factorKindText(factor.kind), factor.isCertain() ? "" : " (likely)",
              factor.what, palette.reset);
    out.print("{:21}{}{}; by chance: {}{}\n", "", palette.dim, frequencyText(factor),
              factor.isCertain() ? std::string("less than one in a million") : fmt::format("{:.2g}", factor.pValue),
              palette.reset);
    if (!factor.how.empty())
      out.print("{:21}{}its time: {}{}\n", "", palette.dim, factor.how, palette.reset);
  }
  const analysis::OutlierVerdict verdict = outliers.verdict();
  if (verdict == analysis::OutlierVerdict::TooFew)
    out.print("  {}With {}, it can't be told what sets them apart: any may have something in common by chance.{}\n",
              palette.dim, formatCount(outliers.slowCalls, "slow call"), palette.reset);
  if (verdict == analysis::OutlierVerdict::Nothing)
    out.print("  {}Nothing sets the slow calls apart: they are the tail of the others, were interrupted, or what they "
              "have in common was not recorded.{}\n",
              palette.dim, palette.reset);
  if (!outliers.slowest.empty())
    out.print("The slowest:\n");
  const std::string session = pathForShell(input.path());
  for (const SlowExample &example : outliers.slowest) {
    out.print("  {}{:>11}{}  adatrace why --call={} {}\n", palette.number, formatDuration(example.durationNs),
              palette.reset, input.callName(example.thread, example.seq), session);
    out.print("{:15}adatrace tree --thread={} --from=@{} --to=@{} {}\n", "",
              input.table().threads[example.thread].number, example.beginNs, example.endNs + 1, session);
    const uint64_t from = example.beginNs - std::min(example.beginNs, input.originNs()), took = example.durationNs;
    out.print("{:15}adatrace view --at='time={}~{}&call=0.{}.{}' {}\n", "", from - std::min(from, took / 4),
              from + took + took / 4 + 1, example.thread, example.seq, session);
  }
}

void printTails(Output &out, const Palette &palette, const std::vector<analysis::TailRow> &rows,
                const TableOptions &options) {
  printTable(out, palette, analysis::tailColumns(), rows, options, /*facts=*/0);
}

} // namespace ada::cli
