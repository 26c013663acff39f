// Fits the call trees of a trace into a number of lines.
#include "tree_fit.h"

#include "analysis/report/report.h"
#include "base/try.h"

#include <algorithm>

namespace ada::analysis {

namespace {

struct LineCounter : TreeOutput {
  explicit LineCounter(uint64_t most) : most_(most) {}
  void beginThread(uint32_t) override {}
  bool line(const CallNode &, uint32_t) override { return ++lines_ <= most_; }
  bool isTooLong() const { return lines_ > most_; }

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
Expected<uint64_t> safeDuration(model::TraceSource &source, const TraceTable &table,
                                const std::vector<uint32_t> &threads, const FilterOptions &filter, uint64_t mostLines) {
  const auto report = ADA_TRY(makeReport(source, table, threads, {.filter = filter}));
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

Expected<uint64_t> fitTrees(model::TraceSource &source, TraceTable &table, const std::vector<uint32_t> &threads,
                            const FilterOptions &filter, const TreeWalkOptions &options, uint64_t mostLines,
                            uint64_t mostEvents) {
  uint64_t events = 0;
  for (const uint32_t thread : threads)
    events += table.threads[thread].extent->events;
  FilterOptions tried = filter;
  const auto isTooLong = [&]() -> Expected<bool> {
    LineCounter lines(mostLines);
    const auto walked = walkTrees(source, table, threads, tried, options, lines);
    return walked ? Expected<bool>(lines.isTooLong()) : walked.error();
  };
  auto tooLong = isTooLong(); // stops early if (so)
  if (!tooLong)
    return tooLong.error();
  if (!*tooLong || events > mostEvents)
    return filter.minDurationNs;
  const auto safe = ADA_TRY(safeDuration(source, table, threads, filter, mostLines));
  // Folding makes fewer lines from more calls.
  constexpr unsigned kTries = 3;
  constexpr uint64_t kStep = 8;
  uint64_t best = std::max(safe, filter.minDurationNs);
  for (unsigned i = 0; i < kTries && best / kStep > filter.minDurationNs; ++i) {
    tried.minDurationNs = roundUp(best / kStep);
    if (tooLong = isTooLong(); !tooLong)
      return tooLong.error();
    if (*tooLong)
      break;
    best = tried.minDurationNs;
  }
  return best;
}

} // namespace ada::analysis
