// Fits the call trees of a trace into a number of lines.
#include "tree_fit.h"

#include "analysis/report/report.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::analysis {

namespace {

struct LineCounter : TreeOutput {
  explicit LineCounter(uint64_t most) : most_(most) {}
  void beginThread(uint32_t) override {}
  bool line(const CallNode &, uint32_t) override { return ++lines_ <= most_; }
  uint64_t lines() const { return lines_; }

private:
  uint64_t most_, lines_ = 0;
};

// Two digits are precise enough for a message.
uint64_t roundUp(uint64_t ns) {
  uint64_t unit = 1;
  while (ns / unit >= 100)
    unit *= 10;
  return (ns + unit - 1) / unit * unit;
}

// No more than `mostLines` calls are this long, and each line stands for at least one call.
Expected<uint64_t> safeDuration(const Trace &trace, const FilterOptions &filter, uint64_t mostLines) {
  const auto report = ADA_TRY(makeReport(trace, {.filter = filter, .foldsProcesses = trace.table.hasManyProcesses()}));
  Distribution durations;
  for (const ReportRow &row : report.rows)
    durations.merge(row.figures.durations);
  const std::vector<Distribution::Bin> bins = durations.bins(16);
  uint64_t calls = 0, duration = durations.max() + 1;
  for (size_t i = bins.size(); i-- > 0 && calls + bins[i].count <= mostLines;) {
    calls += bins[i].count;
    duration = bins[i].from;
  }
  return roundUp(duration);
}

} // namespace

Expected<TreeFit> fitTrees(const Trace &trace, const FilterOptions &filter, const TreeWalkOptions &options,
                           uint64_t mostLines, uint64_t mostEvents) {
  uint64_t events = 0;
  for (const uint32_t thread : trace.threads)
    events += trace.table.threads[thread].extent->events;
  // Counts no more lines than `mostLines` + 1.
  const auto linesOf = [&](const TreeFit &fit) -> Expected<uint64_t> {
    FilterOptions tried = filter;
    tried.minDurationNs = fit.minDurationNs, tried.depth = fit.depth;
    LineCounter counter(mostLines);
    ADA_TRY(walkTrees(trace, tried, options, counter));
    return counter.lines();
  };
  const TreeFit all{filter.minDurationNs, filter.depth};
  const uint64_t allLines = ADA_TRY(linesOf(all));
  if (allLines <= mostLines || events > mostEvents)
    return all;
  // Folding makes fewer lines from more calls.
  constexpr unsigned kTries = 3;
  constexpr uint64_t kStep = 8;
  TreeFit best = all;
  const uint64_t safe = ADA_TRY(safeDuration(trace, filter, mostLines));
  best.minDurationNs = std::max(safe, filter.minDurationNs);
  TreeFit tooLong = all;
  for (unsigned i = 0; i < kTries && best.minDurationNs / kStep > filter.minDurationNs; ++i) {
    TreeFit shorter = best;
    shorter.minDurationNs = roundUp(best.minDurationNs / kStep);
    const uint64_t lines = ADA_TRY(linesOf(shorter));
    if (lines > mostLines) {
      tooLong = shorter;
      break;
    }
    best = shorter;
  }
  const uint64_t bestLines = ADA_TRY(linesOf(best));
  if (bestLines > 0)
    return best;
  uint32_t fits = 0, tooDeep = static_cast<uint32_t>(std::min<uint64_t>(mostLines, filter.depth)) + 1;
  while (tooDeep - fits > 1) {
    tooLong.depth = fits + (tooDeep - fits) / 2;
    const uint64_t lines = ADA_TRY(linesOf(tooLong));
    (lines > mostLines ? tooDeep : fits) = tooLong.depth;
  }
  tooLong.depth = std::max(fits, 1u);
  tooLong.isCut = fits == 0;
  return tooLong;
}

} // namespace ada::analysis
