// What changed between two sides of runs.
#include "diff.h"

#include "session_match.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ada::analysis {

namespace {

double mean(const std::vector<double> &values) {
  return values.empty() ? 0 : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Twice the rank of each value among all, from 2; equal ones share their mean.
std::vector<uint64_t> doubledRanks(const std::vector<double> &values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](size_t x, size_t y) { return values[x] < values[y]; });
  std::vector<uint64_t> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]])
      ++end;
    for (size_t k = i; k < end; ++k)
      ranks[order[k]] = i + 1 + end; // (i + 1 + end) / 2 is the mean of i + 1 … end
    i = end;
  }
  return ranks;
}

// Few runs: no test tells, so the sides must be much further apart than the runs of one are.
bool areApart(const DiffPair &pair) {
  const auto [lowA, highA] = std::ranges::minmax(pair.a);
  const auto [lowB, highB] = std::ranges::minmax(pair.b);
  return std::abs(pair.change()) >= 0.05 &&
         std::max(lowB - highA, lowA - highB) > 3 * std::max(highA - lowA, highB - lowB);
}

// Cliff's delta by percentiles: how much more often a duration of b is longer than one of a than shorter.
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

bool isConstant(const DiffPair &pair) {
  const double first = pair.a.front();
  const auto isFirst = [&](double value) { return value == first; };
  return std::ranges::all_of(pair.a, isFirst) && std::ranges::all_of(pair.b, isFirst);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// How fast each run was as a whole: the median, over functions, of its value (self time, or p50) as a part of that
// function's median.
// Nothing if there are too few functions to tell that from what changed.
std::optional<DiffPair> speeds(const std::vector<const DiffPair *> &functions) {
  constexpr size_t kLeastFunctions = 8;
  std::vector<double> middles;
  std::vector<const DiffPair *> used;
  for (const DiffPair *pair : functions) {
    std::vector<double> all = pair->a;
    all.insert(all.end(), pair->b.begin(), pair->b.end());
    if (const double middle = median(all); middle > 0) {
      middles.push_back(middle);
      used.push_back(pair);
    }
  }
  if (used.size() < kLeastFunctions)
    return std::nullopt;
  DiffPair speed;
  for (const auto side : {&DiffPair::a, &DiffPair::b})
    for (size_t run = 0; run < (used[0]->*side).size(); ++run) {
      std::vector<double> parts;
      for (size_t i = 0; i < used.size(); ++i)
        parts.push_back((used[i]->*side)[run] / middles[i]);
      (speed.*side).push_back(std::max(median(std::move(parts)), 1e-9));
    }
  return speed;
}

// As they are, or with the runs' speeds taken out: two tests, so the better one counts half.
double chanceOf(const DiffPair &pair, const std::optional<DiffPair> &speed) {
  const double plain = rankSumTest(pair.a, pair.b);
  if (!speed)
    return plain;
  DiffPair even = pair;
  for (const auto side : {&DiffPair::a, &DiffPair::b})
    for (size_t run = 0; run < (even.*side).size(); ++run)
      (even.*side)[run] /= ((*speed).*side)[run];
  return std::min(1.0, 2 * std::min(plain, rankSumTest(even.a, even.b)));
}

// Benjamini and Hochberg: the largest k with p of the k-th at most k / m of the rate, and all before it.
void control(std::vector<DiffPair *> tested) {
  std::ranges::sort(tested, {}, &DiffPair::p);
  size_t found = 0;
  for (size_t k = 1; k <= tested.size(); ++k)
    if (tested[k - 1]->p <= kRate * static_cast<double>(k) / static_cast<double>(tested.size()))
      found = k;
  for (size_t k = 0; k < found; ++k)
    tested[k]->isSignificant = std::abs(tested[k]->change()) >= kLeastChange;
}

// Marks what is more than noise; see the header. `deltas`: by row, with one run per side.
void judge(Diff &diff, const std::vector<double> &deltas, size_t runs) {
  const double whole = std::max(diff.whole.meanA(), diff.whole.meanB());
  std::vector<size_t> rows; // that take enough time to be looked at
  std::vector<const DiffPair *> selves, medians;
  for (size_t i = 0; i < diff.rows.size(); ++i) {
    const DiffPair &total = diff.rows[i][DiffValue::Total];
    if (std::max(total.meanA(), total.meanB()) < kLeastShare * whole)
      continue;
    rows.push_back(i);
    selves.push_back(&diff.rows[i][DiffValue::Self]);
    medians.push_back(&diff.rows[i][DiffValue::P50]);
  }
  const std::optional<DiffPair> speed = runs >= 4 ? speeds(selves) : std::nullopt;
  const std::optional<DiffPair> pace = runs >= 4 ? speeds(medians) : std::nullopt; // of single calls
  std::vector<DiffPair *> causes, others; // calls and self, which name functions; and what follows of them
  for (const size_t i : rows)
    for (size_t value = 0; value < kDiffValues; ++value) {
      DiffPair &pair = diff.rows[i].values[value];
      if (isConstant(pair))
        continue;
      const bool isCalls = value == static_cast<size_t>(DiffValue::Calls);
      const bool isLarge = std::abs(pair.change()) >= kLeastChange;
      if (runs >= 4) {
        const bool isOfCalls =
            value == static_cast<size_t>(DiffValue::P50) || value == static_cast<size_t>(DiffValue::P99);
        pair.p = chanceOf(pair, isCalls ? std::nullopt : isOfCalls ? pace : speed);
        (isCalls || value == static_cast<size_t>(DiffValue::Self) ? causes : others).push_back(&pair);
      } else if (runs >= 2) {
        pair.isSignificant = isLarge && areApart(pair);
      } else if (isCalls) {
        pair.isSignificant = isLarge;
      } else {
        const double delta = pair.change() > 0 ? deltas[i] : -deltas[i];
        pair.isSignificant = std::abs(pair.change()) >= 0.1 && delta >= 1.0 / 6;
      }
    }
  control(std::move(causes));
  control(std::move(others));
  // On a busy machine self times are full of the times that threads did not run, which the median call has none of.
  // It does have what the function calls, so callers are named along with the cause: only if there is nothing else.
  if (runs >= 4 && std::ranges::none_of(diff.rows, &DiffRow::isSignificant))
    for (DiffRow &row : diff.rows)
      row.isByMedian = row[DiffValue::P50].isSignificant;
}

// Judges the rows and puts them in order.
void finish(Diff &diff, const std::vector<double> &deltas, size_t runs) {
  judge(diff, deltas, runs);
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

  // `numbers`: of the run's functions.
  void add(const PathTree &tree, const std::vector<uint32_t> &numbers, size_t run) {
    std::vector<uint32_t> places(tree.size());
    for (uint32_t node = 1; node < tree.size(); ++node) {
      const PathTree::Node &entry = tree[node];
      const uint32_t function = entry.function == PathTree::kRest ? PathTree::kRest : numbers[entry.function];
      const uint32_t place = places[node] = tree_.child(places[entry.parent], function);
      if (place >= rows_.size())
        rows_.resize(place + size_t{1});
      Values &values = rows_[place];
      if (values.empty())
        values.resize(runs_);
      values[run] = {entry.calls, entry.totalNs, entry.selfNs};
    }
  }
  // The rows of a Diff whose first `runsA` runs are side a. What did not fit into a tree has none.
  std::vector<DiffRow> rows(const std::vector<model::Function> &functions, size_t runsA) const {
    std::vector<DiffRow> rows;
    for (uint32_t node = 1; node < rows_.size(); ++node) {
      if (tree_[node].function == PathTree::kRest)
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

double rankSumTest(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  const std::vector<uint64_t> ranks = doubledRanks(all);
  const uint64_t whole = std::accumulate(ranks.begin(), ranks.end(), uint64_t(0));
  const auto observed = static_cast<double>(
      std::accumulate(ranks.begin(), ranks.begin() + static_cast<ptrdiff_t>(a.size()), uint64_t(0)));
  const double count = static_cast<double>(all.size()), share = static_cast<double>(a.size()) / count;
  const double expected = static_cast<double>(whole) * share, distance = std::abs(observed - expected);
  if (all.size() > 50) {
    double squares = 0;
    for (const uint64_t rank : ranks)
      squares += std::pow(static_cast<double>(rank) - static_cast<double>(whole) / count, 2);
    const double variance = squares * share * (1 - share) * count / (count - 1);
    return variance > 0 ? std::erfc(distance / std::sqrt(2 * variance)) : 1;
  }
  // ways[n][s]: how many choices of n values have the rank sum s.
  std::vector<std::vector<double>> ways(a.size() + 1, std::vector<double>(whole + 1));
  ways[0][0] = 1;
  for (const uint64_t rank : ranks)
    for (size_t n = a.size(); n > 0; --n)
      for (uint64_t sum = whole; sum >= rank; --sum)
        ways[n][sum] += ways[n - 1][sum - rank];
  double asFar = 0, together = 0;
  for (uint64_t sum = 0; sum <= whole; ++sum) {
    together += ways[a.size()][sum];
    if (std::abs(static_cast<double>(sum) - expected) >= distance - 1e-9)
      asFar += ways[a.size()][sum];
  }
  return asFar / together;
}

Diff makeDiff(std::span<const Report> a, std::span<const Report> b) {
  // Each run's functions under common numbers.
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
  finish(diff, deltas, runs);
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
        self += static_cast<double>(group.tree[node].selfNs);
    }
    (run < a.size() ? diff.whole.a : diff.whole.b).push_back(self);
  }
  diff.rows = paths.rows(diff.functions, a.size());
  std::vector<double> deltas; // nothing is known of single calls: the change decides
  for (const DiffRow &row : diff.rows)
    deltas.push_back(row[DiffValue::Self].change() < 0 ? -1 : 1);
  finish(diff, deltas, std::min(a.size(), b.size()));
  return diff;
}

} // namespace ada::analysis
