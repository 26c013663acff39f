// Decides which changes in a comparison are more than noise.
#include "diff_judge.h"

#include "separation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ada::analysis {

namespace {

constexpr size_t kTestedRuns = 4;                   // per side; with this many or more, every value has a chance
constexpr double kLeastTime = 1, kLeastCalls = 0.5; // instead of 0, which has no logarithm

// Twice the rank of each value among all, starting at 2; equal values share their mean rank.
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

bool isConstant(const DiffPair &pair) {
  const double first = pair.a.front();
  const auto isFirst = [&](double value) { return value == first; };
  return std::ranges::all_of(pair.a, isFirst) && std::ranges::all_of(pair.b, isFirst);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// How fast each run was as a whole: the median, over all functions, of the function's value (self time, or p50)
// relative to that function's median. Nothing if there are too few functions to distinguish this from a real change.
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

// Tests with the values as they are and with the runs' speeds taken out. These are two tests, so the better result
// counts half.
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

// The smallest result that rankSumTest() can give.
double leastChance(size_t runsA, size_t runsB) {
  return (runsA == runsB ? 1 : 2) / waysToDeal(runsA, runsB); // ways to deal equal sides are counted once for both ends
}

// The number of runs per side with which `found` of `tested` values pass if the sides stay apart. `tries`: tests per
// value.
size_t runsThatTell(size_t found, size_t tested, double tries) {
  constexpr size_t kMost = 16; // then the chance is one in 300 million
  size_t runs = 1;
  while (runs < kMost &&
         tries * leastChance(runs, runs) > kRate * static_cast<double>(found) / static_cast<double>(tested))
    ++runs;
  return runs;
}

bool areApart(const DiffPair &pair) {
  const auto [lowA, highA] = std::ranges::minmax(pair.a);
  const auto [lowB, highB] = std::ranges::minmax(pair.b);
  return lowB > highA || lowA > highB;
}

bool isLarge(const DiffPair &pair, double least) { return std::abs(pair.change()) >= least; }

std::vector<double> logsOf(const DiffPair &pair, double least, const std::optional<DiffPair> &speed) {
  std::vector<double> logs;
  for (const auto side : {&DiffPair::a, &DiffPair::b})
    for (size_t run = 0; run < (pair.*side).size(); ++run)
      logs.push_back(std::log(std::max((pair.*side)[run], least)) - (speed ? std::log(((*speed).*side)[run]) : 0));
  return logs;
}

// Values that are judged together: their groups for findApart(), and the probability of each.
class Family {
public:
  explicit Family(const Diff &diff) : diff_(diff), runsA_(diff.whole.a.size()), runsB_(diff.whole.b.size()) {}

  void add(const DiffRow &row, DiffValue value, DiffPair &pair) { members_.push_back({&row, &pair, value}); }
  /// Sets DiffPair::p and isSignificant.
  void judge() {
    if (std::min(runsA_, runsB_) >= kTestedRuns || leastChance(runsA_, runsB_) <= kRate)
      for (const Member &member : members_)
        member.pair->p = chanceOf(*member.pair, speedOf(member.value));
    control();
    separate();
  }

private:
  struct Member {
    const DiffRow *row;
    DiffPair *pair;
    DiffValue value;
  };

  const std::optional<DiffPair> &speedOf(DiffValue value) const {
    static const std::optional<DiffPair> kNone;
    return value == DiffValue::Calls ? kNone : value >= DiffValue::P50 ? diff_.pace : diff_.speed;
  }
  // Benjamini-Hochberg: finds the largest k for which the k-th p is at most k / m of the rate, and accepts all up to
  // it.
  void control() {
    std::vector<DiffPair *> tested;
    for (const Member &member : members_)
      tested.push_back(member.pair);
    std::ranges::sort(tested, {}, &DiffPair::p);
    size_t found = 0;
    for (size_t k = 1; k <= tested.size(); ++k)
      if (tested[k - 1]->p <= kRate * static_cast<double>(k) / static_cast<double>(tested.size()))
        found = k;
    for (size_t k = 0; k < found; ++k)
      tested[k]->isSignificant = true;
  }
  // Whether the runs of one side differ in how often they call some rarely called function. If so, it may be chance
  // that others like it are called on one side only.
  bool hasRareByChance() const {
    constexpr double kRare = 8;
    return std::ranges::any_of(diff_.rows, [&](const DiffRow &row) {
      const DiffPair &calls = row[DiffValue::Calls];
      return std::max(calls.meanA(), calls.meanB()) <= kRare && (!std::ranges::all_of(calls.a, [&](double v) {
               return v == calls.a[0];
             }) || !std::ranges::all_of(calls.b, [&](double v) { return v == calls.b[0]; }));
    });
  }
  void separate() {
    const bool isByChance = hasRareByChance();
    std::vector<RunValuesGroup> groups;
    std::vector<std::vector<DiffPair *>> pairs;
    for (size_t value = 0; value < kDiffValues; ++value)
      for (const bool isEven : {false, true}) {
        const std::optional<DiffPair> &speed = speedOf(static_cast<DiffValue>(value));
        if (isEven && !speed)
          continue;
        RunValuesGroup &group = groups.emplace_back();
        std::vector<DiffPair *> &mine = pairs.emplace_back();
        for (const Member &member : members_) {
          if (static_cast<size_t>(member.value) != value)
            continue;
          const DiffPair &calls = (*member.row)[DiffValue::Calls];
          const bool isCalls = member.value == DiffValue::Calls;
          // If some runs never called a function, its times show no more than its calls.
          if (!isCalls && (std::ranges::count(calls.a, 0.0) > 0 || std::ranges::count(calls.b, 0.0) > 0))
            continue;
          RunValues values{logsOf(*member.pair, isCalls ? kLeastCalls : kLeastTime, isEven ? speed : std::nullopt)};
          if (isCalls && isByChance)
            values.extraSpread = 4 / std::max(calls.meanA() + calls.meanB(), kLeastCalls);
          group.push_back(std::move(values));
          mine.push_back(member.pair);
        }
      }
    const std::vector<std::vector<bool>> apart = findApart(groups, runsA_, runsB_);
    for (size_t group = 0; group < groups.size(); ++group)
      for (size_t i = 0; i < groups[group].size(); ++i)
        if (apart[group][i])
          pairs[group][i]->isSignificant = true;
  }

  const Diff &diff_;
  size_t runsA_, runsB_;
  std::vector<Member> members_;
};

// For one run on a side: see diff.h.
bool isMoreThanCallsDiffer(const DiffPair &pair, DiffValue value, double delta) {
  const auto range = [](const std::vector<double> &values) {
    const auto [low, high] = std::ranges::minmax(values);
    return high - low;
  };
  if (!areApart(pair) || std::abs(pair.meanB() - pair.meanA()) < 4 * std::max(range(pair.a), range(pair.b)))
    return false;
  if (value == DiffValue::Calls)
    return isLarge(pair, kLeastChange);
  return isLarge(pair, kLeastSingleChange) && (pair.change() > 0 ? delta : -delta) >= 1.0 / 6;
}

// Counts the functions that cannot be judged with this many runs.
void countUndecided(Diff &diff, const std::vector<size_t> &rows, size_t tested) {
  const bool isSingle = std::min(diff.whole.a.size(), diff.whole.b.size()) == 1;
  for (const size_t i : rows) {
    const DiffRow &row = diff.rows[i];
    if (row.isSignificant())
      continue;
    for (const DiffValue value : {DiffValue::Calls, DiffValue::Self})
      if (const DiffPair &pair = row[value];
          areApart(pair) && isLarge(pair, isSingle ? kLeastSingleChange : kLeastChange)) {
        ++diff.undecided;
        break;
      }
  }
  if (diff.undecided == 0)
    return;
  diff.runsNeeded = runsThatTell(diff.undecided, std::max(tested, size_t(1)), diff.speed ? 2 : 1);
  // If there are enough runs, the changes are simply too small to count.
  if (diff.runsNeeded <= std::min(diff.whole.a.size(), diff.whole.b.size()))
    diff.undecided = 0;
}

} // namespace

void judge(Diff &diff, const std::vector<double> &deltas) {
  const size_t runs = std::min(diff.whole.a.size(), diff.whole.b.size());
  const double whole = std::max(diff.whole.meanA(), diff.whole.meanB());
  std::vector<size_t> rows; // with enough time to be judged
  std::vector<const DiffPair *> selves, medians;
  for (size_t i = 0; i < diff.rows.size(); ++i) {
    const DiffPair &total = diff.rows[i][DiffValue::Total];
    if (std::max(total.meanA(), total.meanB()) < kLeastShare * whole)
      continue;
    rows.push_back(i);
    selves.push_back(&diff.rows[i][DiffValue::Self]);
    medians.push_back(&diff.rows[i][DiffValue::P50]);
  }
  if (runs >= 2) {
    diff.speed = speeds(selves);
    diff.pace = speeds(medians); // of single calls
  }
  Family causes(diff), others(diff); // calls and self time, which name functions; and values that follow from them
  size_t tested = 0;
  for (const size_t i : rows)
    for (size_t place = 0; place < kDiffValues; ++place) {
      DiffPair &pair = diff.rows[i].values[place];
      const auto value = static_cast<DiffValue>(place);
      if (isConstant(pair))
        continue;
      const bool isCause = value == DiffValue::Calls || value == DiffValue::Self;
      tested += isCause;
      if (runs >= 2)
        (isCause ? causes : others).add(diff.rows[i], value, pair);
      else
        pair.isSignificant = isMoreThanCallsDiffer(pair, value, deltas[i]);
    }
  causes.judge();
  others.judge();
  for (const size_t i : rows)
    for (DiffPair &pair : diff.rows[i].values)
      pair.isSignificant = pair.isSignificant && isLarge(pair, kLeastChange);
  // On a busy machine, self times are full of times when threads did not run, which the median call does not contain.
  // But it does contain what the function calls, so callers would be named along with the cause. It is therefore used
  // only if nothing else is significant.
  if (runs >= 2 && std::ranges::none_of(diff.rows, &DiffRow::isSignificant))
    for (DiffRow &row : diff.rows)
      row.isByMedian = row[DiffValue::P50].isSignificant;
  countUndecided(diff, rows, tested);
}

RuleVerdict judgeRule(const Diff &diff, std::span<const DiffRow *const> rows, DiffValue value, bool isMore,
                      double change) {
  const size_t runs = std::min(diff.whole.a.size(), diff.whole.b.size());
  const bool isDemand = isMore ? change < 0 : change > 0;
  RuleVerdict verdict;
  std::vector<DiffPair> pairs;
  pairs.reserve(rows.size()); // the family keeps pointers to them
  std::vector<const DiffRow *> tested;
  Family family(diff);
  for (const DiffRow *row : rows) {
    const DiffPair &pair = (*row)[value];
    const bool isOver = isMore ? pair.change() > change : pair.change() < change;
    if (isDemand || runs < kTestedRuns) {
      if (isOver)
        verdict.broken.push_back(row);
      continue;
    }
    if (isConstant(pair))
      continue;
    tested.push_back(row);
    family.add(*row, value, pairs.emplace_back(DiffPair{pair.a, pair.b}));
  }
  family.judge();
  const double tries = value != DiffValue::Calls && (value >= DiffValue::P50 ? diff.pace : diff.speed) ? 2 : 1;
  const size_t needed = tested.empty() ? 0 : runsThatTell(1, tested.size(), tries);
  for (size_t i = 0; i < tested.size(); ++i) {
    if (isMore ? pairs[i].change() <= change : pairs[i].change() >= change)
      continue;
    if (pairs[i].isSignificant)
      verdict.broken.push_back(tested[i]);
    else if (runs < needed)
      verdict.undecided.push_back(tested[i]);
  }
  verdict.runsNeeded = verdict.undecided.empty() ? 0 : needed;
  return verdict;
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
  // ways[n][s]: the number of choices of n values with the rank sum s.
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

} // namespace ada::analysis
