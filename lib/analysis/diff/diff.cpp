// Compares two sides of runs.
#include "diff.h"

#include "analysis/events/session_match.h"
#include "diff_judge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ada::analysis {

namespace {

double mean(const std::vector<double> &values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double valueOf(const FunctionStatistics &figures, const SelfDurations &selves, DiffValue value, bool knowsOnCpu) {
  switch (value) {
  case DiffValue::Calls:
    return static_cast<double>(figures.calls);
  case DiffValue::Total:
    return static_cast<double>(figures.totalNs);
  case DiffValue::Self:
    return static_cast<double>(figures.selfNs -
                               (knowsOnCpu ? std::min(figures.selfOff.preemptedNs, figures.selfNs) : 0));
  case DiffValue::P50:
    return static_cast<double>(figures.durations.percentile(50));
  case DiffValue::P99:
    return static_cast<double>(figures.durations.percentile(99));
  case DiffValue::SelfP50:
    return static_cast<double>(selves.in(figures.durations).percentile(50));
  case DiffValue::OnCpu:
    break;
  }
  return static_cast<double>(knowsOnCpu ? figures.onCpuSelfNs() : 0);
}

// Judges and sorts the rows.
void finish(Diff &diff, std::span<const BothDurations> durations) {
  judge(diff, durations);
  const auto key = [](const DiffRow &row) {
    const DiffPair &self = row[DiffValue::Self];
    return std::pair(row.isShown(), std::abs(self.meanB() - self.meanA()));
  };
  std::ranges::stable_sort(diff.rows, std::greater(), key);
}

// The paths of several runs in one tree, with the values of each run.
class JoinedPaths {
public:
  explicit JoinedPaths(size_t runs) : runs_(runs), rows_(1), tree_(~size_t(0)) {}

  // `numbers`: for the run's functions.
  void add(const PathTree &tree, const std::vector<uint32_t> &numbers, size_t run) {
    std::vector<uint32_t> places(tree.size());
    for (uint32_t node = 1; node < tree.size(); ++node) {
      const PathTree::Node &entry = tree[node];
      const uint32_t function = PathTree::isFunction(entry.function) ? numbers[entry.function] : entry.function;
      const uint32_t place = places[node] = tree_.child(places[entry.parent], function);
      if (place >= rows_.size())
        rows_.resize(place + size_t{1});
      Values &values = rows_[place];
      if (values.empty())
        values.resize(runs_);
      values[run] = {entry.calls, entry.totalNs, entry.selfNs};
    }
  }
  // The rows of a Diff whose first `runsA` runs are side a. Paths that did not fit into a tree have no row, and neither
  // has the recorder.
  std::vector<DiffRow> rows(const std::vector<model::Function> &functions, size_t runsA) const {
    std::vector<DiffRow> rows;
    for (uint32_t node = 1; node < rows_.size(); ++node) {
      if (!PathTree::isFunction(tree_[node].function))
        continue;
      DiffRow &row = rows.emplace_back();
      row.function = &functions[tree_[node].function];
      for (uint32_t at = tree_[node].parent; at != PathTree::kRoot; at = tree_[at].parent)
        row.callers.insert(row.callers.begin(), tree_[at].function);
      for (size_t run = 0; run < runs_; ++run) {
        const Figures &figures = rows_[node][run];
        const uint64_t values[kDiffValues] = {figures.calls, figures.totalNs, figures.selfNs};
        for (size_t value = 0; value < kDiffValues; ++value)
          (run < runsA ? row.values[value].a : row.values[value].b).push_back(static_cast<double>(values[value]));
      }
    }
    return rows;
  }

private:
  struct Figures {
    uint64_t calls = 0, totalNs = 0, selfNs = 0;
  };
  using Values = std::vector<Figures>; // by run
  size_t runs_;
  std::vector<Values> rows_; // by node
  PathTree tree_;
};

} // namespace

double DiffPair::meanA() const { return mean(a); }
double DiffPair::meanB() const { return mean(b); }
double DiffPair::change() const {
  const double before = meanA(), after = meanB();
  if (before == 0)
    return after == 0 ? 0 : std::numeric_limits<double>::infinity();
  return (after - before) / before;
}

Diff makeDiff(std::span<const Report> a, std::span<const Report> b) {
  // Each run's functions, under common numbers.
  std::vector<std::vector<model::Function>> lists;
  for (const std::span<const Report> side : {a, b})
    for (const Report &report : side) {
      std::vector<model::Function> &list = lists.emplace_back();
      for (const ReportRow &row : report.rows)
        list.push_back(*row.function);
    }
  std::vector<const std::vector<model::Function> *> pointers;
  for (const auto &list : lists)
    pointers.push_back(&list);
  JoinedFunctions joined = joinFunctions(pointers);
  Diff diff;
  diff.functions = std::move(joined.functions);
  diff.rows.resize(diff.functions.size());
  const size_t runs = a.size() + b.size();
  std::vector<std::array<std::pair<uint64_t, uint64_t>, 2>> wall(diff.rows.size()); // self and total time of both sides
  std::vector<BothDurations> durations(runs == 2 ? diff.rows.size() : 0);
  std::vector<bool> knowsSome(diff.rows.size()); // by function: some run knows its on-CPU time
  bool hasSelfDurations = true;
  diff.hasOneThread = true;
  for (DiffRow &row : diff.rows)
    row.knowsOnCpu = true;
  const auto reportOf = [&](size_t run) -> const Report & { return run < a.size() ? a[run] : b[run - a.size()]; };
  for (size_t run = 0; run < runs; ++run) {
    diff.hasOneThread &= reportOf(run).threads == 1;
    hasSelfDurations &= reportOf(run).hasSelfDurations;
    for (size_t i = 0; i < reportOf(run).rows.size(); ++i) {
      const uint32_t number = joined.numbers[run][i];
      if (reportOf(run).rows[i].knowsSched)
        knowsSome[number] = true;
      else
        diff.rows[number].knowsOnCpu = false;
    }
  }
  for (size_t i = 0; i < diff.rows.size(); ++i) // with preemption in some runs and without in others, it says nothing
    diff.rows[i].knowsSelfP50 = hasSelfDurations && diff.rows[i].knowsOnCpu == knowsSome[i];
  for (size_t run = 0; run < runs; ++run) {
    const bool isB = run >= a.size();
    std::vector<FunctionStatistics> figures(diff.rows.size());
    std::vector<SelfDurations> selves(diff.rows.size());
    for (size_t i = 0; i < reportOf(run).rows.size(); ++i) {
      const ReportRow &from = reportOf(run).rows[i];
      FunctionStatistics &to = figures[joined.numbers[run][i]];
      selves[joined.numbers[run][i]].merge(from.selves, to.durations, from.figures.durations);
      to.merge(from.figures);
    }
    double self = 0;
    for (size_t function = 0; function < diff.rows.size(); ++function) {
      wall[function][isB].first += figures[function].selfNs, wall[function][isB].second += figures[function].totalNs;
      const FunctionStatistics &of = figures[function];
      self += static_cast<double>(of.selfNs);
      DiffRow &row = diff.rows[function];
      for (size_t value = 0; value < kDiffValues; ++value)
        (isB ? row.values[value].b : row.values[value].a)
            .push_back(valueOf(of, selves[function], static_cast<DiffValue>(value), row.knowsOnCpu));
      if (!durations.empty())
        durations[function][isB] = of.durations;
    }
    (isB ? diff.whole.b : diff.whole.a).push_back(self);
  }
  for (size_t i = 0; i < diff.rows.size(); ++i) {
    diff.rows[i].function = &diff.functions[i];
    diff.rows[i].isOwnTime = std::ranges::all_of(wall[i], [](const auto &times) {
      constexpr double kNearlyAll = 0.9;
      return static_cast<double>(times.first) >= kNearlyAll * static_cast<double>(times.second);
    });
  }
  finish(diff, durations);
  return diff;
}

Diff makePathDiff(std::span<const CallPaths> a, std::span<const CallPaths> b) {
  std::vector<const CallPaths *> all;
  std::vector<const std::vector<model::Function> *> lists;
  for (const std::span<const CallPaths> side : {a, b})
    for (const CallPaths &paths : side) {
      all.push_back(&paths);
      lists.push_back(&paths.functions);
    }
  JoinedFunctions joined = joinFunctions(lists);
  Diff diff;
  diff.functions = std::move(joined.functions);
  JoinedPaths paths(all.size());
  for (size_t run = 0; run < all.size(); ++run) {
    double self = 0;
    for (const CallPathGroup &group : all[run]->groups) {
      paths.add(group.tree, joined.numbers[run], run);
      for (uint32_t node = 1; node < group.tree.size(); ++node)
        if (group.tree[node].function != PathTree::kRecorder)
          self += static_cast<double>(group.tree[node].selfNs);
    }
    (run < a.size() ? diff.whole.a : diff.whole.b).push_back(self);
  }
  diff.rows = paths.rows(diff.functions, a.size());
  finish(diff, {});
  return diff;
}

} // namespace ada::analysis
