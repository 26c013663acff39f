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

// Cliff's delta from percentiles: how much more often a duration of b is longer than one of a than the reverse.
double cliffsDelta(const Distribution &a, const Distribution &b) {
  if (a.count() < 20 || b.count() < 20)
    return 0;
  constexpr int kPoints = 100;
  std::array<uint64_t, kPoints> left, right;
  for (int i = 0; i < kPoints; ++i) {
    left[i] = a.percentile(i + 0.5);
    right[i] = b.percentile(i + 0.5);
  }
  int sum = 0;
  for (const uint64_t x : left)
    for (const uint64_t y : right)
      sum += (y > x) - (y < x);
  return sum / double(kPoints * kPoints);
}

double valueOf(const FunctionStatistics &figures, DiffValue value) {
  switch (value) {
  case DiffValue::Calls:
    return static_cast<double>(figures.calls);
  case DiffValue::Total:
    return static_cast<double>(figures.totalNs);
  case DiffValue::Self:
    return static_cast<double>(figures.selfNs);
  case DiffValue::P50:
    return static_cast<double>(figures.durations.percentile(50));
  case DiffValue::P99:
    break;
  }
  return static_cast<double>(figures.durations.percentile(99));
}

// Judges and sorts the rows.
void finish(Diff &diff, const std::vector<double> &deltas) {
  judge(diff, deltas);
  std::ranges::stable_sort(diff.rows, [](const DiffRow &x, const DiffRow &y) {
    const auto key = [](const DiffRow &row) {
      const DiffPair &self = row[DiffValue::Self];
      return std::pair(row.isSignificant(),
                       row.isByMedian ? std::abs(row[DiffValue::P50].change()) : std::abs(self.meanB() - self.meanA()));
    };
    return key(x) > key(y);
  });
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
        const uint64_t values[kDiffValues] = {figures.calls, figures.totalNs, figures.selfNs, 0, 0};
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

bool DiffRow::isSignificant() const {
  return (*this)[DiffValue::Calls].isSignificant || (*this)[DiffValue::Self].isSignificant || isByMedian;
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
  const size_t runs = std::min(a.size(), b.size());
  std::vector<std::array<Distribution, 2>> durations(runs == 1 ? diff.rows.size() : 0);
  for (size_t run = 0; run < lists.size(); ++run) {
    const bool isB = run >= a.size();
    const Report &report = isB ? b[run - a.size()] : a[run];
    std::vector<FunctionStatistics> figures(diff.rows.size());
    for (size_t i = 0; i < report.rows.size(); ++i)
      figures[joined.numbers[run][i]].merge(report.rows[i].figures);
    double self = 0;
    for (size_t function = 0; function < figures.size(); ++function) {
      self += static_cast<double>(figures[function].selfNs);
      for (size_t value = 0; value < kDiffValues; ++value) {
        DiffPair &pair = diff.rows[function].values[value];
        (isB ? pair.b : pair.a).push_back(valueOf(figures[function], static_cast<DiffValue>(value)));
      }
      if (runs == 1)
        durations[function][isB].merge(figures[function].durations);
    }
    (isB ? diff.whole.b : diff.whole.a).push_back(self);
  }
  std::vector<double> deltas;
  for (size_t i = 0; i < diff.rows.size(); ++i) {
    diff.rows[i].function = &diff.functions[i];
    deltas.push_back(runs == 1 ? cliffsDelta(durations[i][0], durations[i][1]) : 0);
  }
  finish(diff, deltas);
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
  std::vector<double> deltas; // empty: nothing is known about single calls, so the change decides
  for (const DiffRow &row : diff.rows)
    deltas.push_back(row[DiffValue::Self].change() < 0 ? -1 : 1);
  finish(diff, deltas);
  return diff;
}

} // namespace ada::analysis
