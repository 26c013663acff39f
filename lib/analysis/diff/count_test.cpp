// Judges how often functions are called.
#include "count_test.h"

#include "spread_test.h"
#include "verdicts.h"

#include <algorithm>
#include <cmath>

namespace ada::analysis {

namespace {

bool isSame(std::span<const double> values) {
  return std::ranges::all_of(values, [&](double value) { return value == values[0]; });
}

// The probability that random numbers agree within both sides and differ by `difference` between them. If there are
// only two numbers, it is that of equal coins. If there are more, they lie about as far apart as the sides do, and the
// chance that another run has the same number falls with the distance (a normal distribution of that width).
double coincidence(double difference, size_t runs) {
  const auto n = static_cast<double>(runs);
  return std::min(std::pow(2, 1 - n), std::pow(0.56 / difference, n - 2));
}

// One run a side does not show how much the number differs from run to run: calls of a background thread may triple on
// a busy machine. A function that is called often in one run and never in the other is unlikely to do so by chance. And
// a program of one thread that otherwise does the same (`isSteady`) does so by chance only where events come by chance.
Verdict verdictOfSingle(double a, double b, bool isSteady) {
  constexpr double kDeviations = 3.5;
  const double most = std::max(a, b), least = std::min(a, b);
  if (most >= 100 && least == 0)
    return Verdict::Certain;
  return (most >= 10 && most >= 8 * std::max(least, 1.0)) ||
                 (isSteady && most - least >= kDeviations * std::sqrt(most + least))
             ? Verdict::Likely
             : Verdict::NotShown;
}

// Whether most functions that are called more than once are called equally often in both runs.
bool isSteady(std::span<DiffRow *const> rows) {
  size_t same = 0, all = 0;
  for (const DiffRow *row : rows) {
    const DiffPair &calls = (*row)[DiffValue::Calls];
    if (std::max(calls.a[0], calls.b[0]) > 1)
      ++all, same += calls.a[0] == calls.b[0];
  }
  return same * 2 >= all;
}

} // namespace

void judgeCalls(std::span<DiffRow *const> rows, bool hasOneThread) {
  std::vector<DiffPair *> agreeing, random;
  for (DiffRow *row : rows) {
    DiffPair &calls = (*row)[DiffValue::Calls];
    if (!isSame(calls.a) || !isSame(calls.b))
      random.push_back(&calls);
    else if (calls.a[0] != calls.b[0])
      agreeing.push_back(&calls);
  }
  const bool isWithoutChance = hasOneThread && !agreeing.empty() && isSteady(rows);
  for (DiffPair *calls : agreeing) {
    const size_t runsA = calls->a.size(), runsB = calls->b.size();
    if (runsA + runsB == 2) {
      calls->verdict = verdictOfSingle(calls->a[0], calls->b[0], isWithoutChance);
      continue;
    }
    // Each function whose number is known to be random might have agreed by chance, and so might this one.
    const double p =
        coincidence(std::abs(calls->a[0] - calls->b[0]), runsA + runsB) * static_cast<double>(random.size() + 1);
    calls->p = std::min(p, 1.0);
    constexpr double kCertain = 0.001, kLikely = 0.035;
    calls->verdict = p <= kCertain && std::min(runsA, runsB) > 1 ? Verdict::Certain
                     : p <= kLikely                              ? Verdict::Likely
                                                                 : Verdict::NotShown;
  }
  std::vector<RunLogs> values;
  for (const DiffPair *calls : random) {
    constexpr double kHalf = 0.5; // instead of 0, which has no logarithm
    RunLogs &value = values.emplace_back();
    for (const auto *side : {&calls->a, &calls->b})
      for (const double count : *side)
        value.logs.push_back(std::log(std::max(count, kHalf)));
    // Numbers of events that happen by chance differ by their roots at least.
    value.leastVariance = 1 / std::max((calls->meanA() + calls->meanB()) / 2, kHalf);
  }
  if (values.empty())
    return;
  const size_t runsA = random[0]->a.size(), runsB = random[0]->b.size();
  const std::vector<SpreadTest> tests = testSpread(values, runsA, runsB);
  for (size_t i = 0; i < random.size(); ++i)
    decide(*random[i], tests[i], random.size(), HasWaits::Unknown);
}

} // namespace ada::analysis
