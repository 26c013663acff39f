// Decides which changes in a comparison are certain or likely.
#include "diff_judge.h"

#include "count_test.h"
#include "spread_test.h"
#include "verdicts.h"

#include <algorithm>
#include <cmath>

namespace ada::analysis {

namespace {

constexpr size_t kTestedRuns = 3; // per side; with fewer, means decide whether a rule is broken

// Has enough of the time for its times to be judged. The time in which threads of the program waited does not count: an
// idle thread may wait for ever.
double leastTotal(const Diff &diff) {
  double a = 0, b = 0;
  for (const DiffRow &row : diff.rows) {
    const DiffPair &self = row[row.knowsOnCpu ? DiffValue::OnCpu : DiffValue::Self];
    a += self.meanA(), b += self.meanB();
  }
  return kLeastShare * std::max(a, b);
}
bool hasShare(const DiffRow &row, double least) {
  return std::max(row[DiffValue::Total].meanA(), row[DiffValue::Total].meanB()) >= least;
}

bool isCalledInAllRuns(const DiffRow &row) {
  const DiffPair &calls = row[DiffValue::Calls];
  return std::ranges::count(calls.a, 0.0) + std::ranges::count(calls.b, 0.0) == 0;
}

// How much medians differ from run to run even where some runs agree: half a bucket of a Distribution (1/128 of the
// value, as a standard deviation that divided by the root of three), and what reading the clock and calling the hooks
// add to a call. In 60 programs on a busy virtual machine, medians of 100 to 300 ns differed by 10 to 20 ns.
double leastVarianceOfMedians(double ns) {
  constexpr double kBucket = 0.0045, kClockNs = 15;
  const double clock = kClockNs / std::max(ns, 1.0);
  return kBucket * kBucket + clock * clock;
}

RunLogs logsOf(const DiffRow &row, DiffValue which) {
  constexpr double kLeastNs = 1; // instead of 0, which has no logarithm
  const DiffPair &pair = row[which];
  RunLogs value;
  for (const auto *side : {&pair.a, &pair.b})
    for (const double ns : *side)
      value.logs.push_back(std::log(std::max(ns, kLeastNs)));
  if (which == DiffValue::P50 || which == DiffValue::SelfP50)
    value.leastVariance = leastVarianceOfMedians(std::min(pair.meanA(), pair.meanB()));
  return value;
}

bool isCalledOften(const DiffRow &row) {
  constexpr double kOften = 20;
  return std::min(row[DiffValue::Calls].meanA(), row[DiffValue::Calls].meanB()) >= kOften;
}

// Tests one value of all these rows. Those that are called a few times, like main(), differ much more from run to run
// than the others do, so they are tested apart.
std::vector<SpreadTest> testRows(std::span<const DiffRow *const> rows, DiffValue value) {
  std::vector<SpreadTest> tests(rows.size());
  for (const bool isOften : {false, true}) {
    std::vector<size_t> places;
    std::vector<RunLogs> logs;
    for (size_t i = 0; i < rows.size(); ++i)
      if (isCalledOften(*rows[i]) == isOften) {
        places.push_back(i);
        logs.push_back(logsOf(*rows[i], value));
      }
    if (places.empty())
      continue;
    const DiffPair &any = rows[places[0]]->values[0];
    const std::vector<SpreadTest> found = testSpread(logs, any.a.size(), any.b.size());
    for (size_t i = 0; i < places.size(); ++i)
      tests[places[i]] = found[i];
  }
  return tests;
}

template <class Rows, class Pred> std::vector<typename Rows::value_type> chosen(const Rows &rows, const Pred &isIn) {
  std::vector<typename Rows::value_type> list;
  std::ranges::copy_if(rows, std::back_inserter(list), isIn);
  return list;
}

// Whether the value names its function, if it changed.
bool isCause(const DiffRow &row, DiffValue value) {
  return value == DiffValue::Self || value == DiffValue::OnCpu || value == DiffValue::SelfP50 ||
         (value == DiffValue::P50 && row.isOwnTime && !row.knowsSelfP50);
}

bool isKnown(const DiffRow &row, DiffValue value) {
  return value == DiffValue::OnCpu ? row.knowsOnCpu : value != DiffValue::SelfP50 || row.knowsSelfP50;
}

// Does not include waits, as far as that is known. These depend on whether something else runs, or holds a lock, and
// may have a few typical lengths.
bool isPlain(const DiffRow &row, DiffValue value) {
  constexpr double kNearlyAll = 0.9;
  const DiffPair &self = row[DiffValue::Self], &onCpu = row[DiffValue::OnCpu];
  return value == DiffValue::OnCpu || !row.knowsOnCpu ||
         (onCpu.meanA() >= kNearlyAll * self.meanA() && onCpu.meanB() >= kNearlyAll * self.meanB());
}

void judgeTimes(const std::vector<DiffRow *> &rows) {
  const auto tested = chosen(rows, [](const DiffRow *row) { return isCalledInAllRuns(*row); });
  size_t tests = 0; // those that can name a function
  for (const DiffRow *row : tested)
    tests += 1 + row->knowsOnCpu + (row->knowsSelfP50 || row->isOwnTime);
  std::vector<SpreadTest> selves;
  for (const DiffValue value :
       {DiffValue::OnCpu, DiffValue::Total, DiffValue::Self, DiffValue::P50, DiffValue::P99, DiffValue::SelfP50}) {
    const auto mine = chosen(tested, [&](const DiffRow *row) { return isKnown(*row, value); });
    std::vector<SpreadTest> found = testRows(std::vector<const DiffRow *>(mine.begin(), mine.end()), value);
    for (size_t i = 0; i < mine.size(); ++i) {
      DiffRow &row = *mine[i];
      decide(row[value], found[i], tests,
             isPlain(row, value) ? row.knowsOnCpu ? HasWaits::No : HasWaits::Unknown : HasWaits::Yes);
    }
    if (value == DiffValue::Self)
      selves = std::move(found);
  }
  // The median call hardly differs from run to run, but contains what a function calls. Where it changed, something
  // did, and if the median of self times is not known, self time has to say only whether that was here: it is tested
  // among these functions alone.
  const auto isCandidate = [](const DiffRow *row) {
    return !row->knowsSelfP50 && (*row)[DiffValue::P50].verdict != Verdict::NotShown;
  };
  const auto candidates = static_cast<double>(std::ranges::count_if(tested, isCandidate));
  for (size_t i = 0; i < tested.size(); ++i) {
    constexpr double kLikely = 0.05;
    DiffPair &self = (*tested[i])[DiffValue::Self];
    if (isCandidate(tested[i]) && self.verdict == Verdict::NotShown && selves[i].p * candidates <= kLikely &&
        ((*tested[i])[DiffValue::P50].change() > 0) == (self.change() > 0) && std::abs(self.change()) >= kLeastChange)
      self.verdict = Verdict::Likely;
  }
}

// The best of the values that can name the row.
void judgeRow(DiffRow &row) {
  for (const DiffValue value :
       {DiffValue::Calls, DiffValue::Self, DiffValue::OnCpu, DiffValue::P50, DiffValue::SelfP50})
    if (const Verdict verdict = row[value].verdict;
        verdict > row.verdict && (value == DiffValue::Calls || isCause(row, value)))
      row.verdict = verdict, row.changed = value;
}

// Whether a row differs in every run all the same.
bool isApart(const DiffRow &row) {
  return !row.isShown() && std::ranges::any_of(std::array{DiffValue::Calls, DiffValue::Self}, [&](DiffValue value) {
    return areApart(row[value]) && std::abs(row[value].change()) >= kLeastChange;
  });
}

} // namespace

void judge(Diff &diff, std::span<const BothDurations> durations) {
  std::vector<DiffRow *> rows, others;
  std::vector<const BothDurations *> mine;
  const double least = leastTotal(diff);
  for (DiffRow &row : diff.rows) {
    if (!hasShare(row, least)) {
      others.push_back(&row);
      continue;
    }
    rows.push_back(&row);
    if (!durations.empty())
      mine.push_back(&durations[static_cast<size_t>(&row - diff.rows.data())]);
  }
  judgeCalls(rows, diff.hasOneThread);
  judgeCalls(others, diff.hasOneThread);
  if (diff.whole.a.size() + diff.whole.b.size() > 2)
    judgeTimes(rows);
  else
    judgeSingleRuns(rows, mine);
  for (DiffRow *row : rows) {
    judgeRow(*row);
    row->isApart = diff.runs() > 1 && isApart(*row);
  }
  for (DiffRow *row : others) // named only if their change is certain
    if ((*row)[DiffValue::Calls].verdict == Verdict::Certain)
      row->verdict = Verdict::Certain, row->changed = DiffValue::Calls;
}

RuleVerdict judgeRule(const Diff &diff, std::span<const DiffRow *const> rows, DiffValue value, bool isMore,
                      double change) {
  const bool isDemand = isMore ? change < 0 : change > 0;
  const auto isOver = [&](const DiffRow *row) {
    const double changed = (*row)[value].change();
    return isMore ? changed > change : changed < change;
  };
  RuleVerdict verdict;
  if (isDemand || diff.runs() < kTestedRuns) {
    verdict.broken = chosen(std::vector(rows.begin(), rows.end()), isOver);
    return verdict;
  }
  std::vector<DiffRow> copies; // judged by themselves
  for (const DiffRow *row : rows) {
    copies.push_back(*row);
    for (DiffPair &pair : copies.back().values)
      pair.p = 1, pair.verdict = Verdict::NotShown;
  }
  std::vector<DiffRow *> judged;
  for (DiffRow &row : copies)
    judged.push_back(&row);
  judgeCalls(judged, diff.hasOneThread);
  if (value != DiffValue::Calls) {
    for (DiffRow &row : copies)
      if (!isCalledInAllRuns(row))
        row[value].verdict = row[DiffValue::Calls].verdict;
    // All functions of the comparison show how much such values differ from run to run.
    std::vector<const DiffRow *> all;
    const double least = leastTotal(diff);
    for (const DiffRow &row : diff.rows)
      if (isCalledInAllRuns(row) && (hasShare(row, least) || std::ranges::find(rows, &row) != rows.end()))
        all.push_back(&row);
    const std::vector<SpreadTest> tests = testRows(all, value);
    for (size_t i = 0; i < all.size(); ++i)
      if (const auto at = std::ranges::find(rows, all[i]); at != rows.end())
        decide(copies[static_cast<size_t>(at - rows.begin())][value], tests[i], rows.size(), HasWaits::Unknown);
  }
  for (size_t i = 0; i < rows.size(); ++i)
    if (isOver(rows[i])) {
      if (copies[i][value].verdict != Verdict::NotShown)
        verdict.broken.push_back(rows[i]);
      else if (diff.runs() < kEnoughRuns)
        verdict.undecided.push_back(rows[i]);
    }
  return verdict;
}

} // namespace ada::analysis
