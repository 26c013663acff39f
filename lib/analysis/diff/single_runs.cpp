// Judges times of one run a side.
#include "single_runs.h"

#include "spread_test.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ada::analysis {

namespace {

// How much more often a duration of b is longer than one of a than the reverse, between -1 and 1 (Cliff's delta), from
// percentiles.
double orderOf(const BothDurations &durations) {
  constexpr int kPoints = 100;
  std::array<uint64_t, kPoints> left, right;
  for (int i = 0; i < kPoints; ++i) {
    left[i] = durations[0].percentile(i + 0.5);
    right[i] = durations[1].percentile(i + 0.5);
  }
  int sum = 0;
  for (const uint64_t x : left)
    for (const uint64_t y : right)
      sum += (y > x) - (y < x);
  return sum / double(kPoints * kPoints);
}

double perCall(const DiffRow &row, DiffValue value, bool isB) {
  const auto of = [&](DiffValue which) { return isB ? row[which].b[0] : row[which].a[0]; };
  return of(value) / of(DiffValue::Calls);
}

// The logarithm of the factor by which a call takes longer.
double factorOf(const DiffRow &row, DiffValue value) {
  return std::log(std::max(perCall(row, value, true), 1.0) / std::max(perCall(row, value, false), 1.0));
}

// How much time of a run the change makes, in the number of calls that both sides have.
double changeNs(const DiffRow &row, DiffValue value) {
  return std::abs(perCall(row, value, true) - perCall(row, value, false)) *
         std::min(row[DiffValue::Calls].a[0], row[DiffValue::Calls].b[0]);
}

// What the factors of all functions have in common, and how far they are from that.
struct Usual {
  double middle = 0, spread = 0;
};
Usual usualOf(const std::vector<double> &factors) {
  constexpr size_t kEnoughForMiddle = 4, kEnoughForSpread = 8;
  Usual usual;
  if (factors.size() < kEnoughForMiddle)
    return usual;
  usual.middle = medianOf(factors);
  if (factors.size() < kEnoughForSpread)
    return usual;
  std::vector<double> distances;
  for (const double factor : factors)
    distances.push_back(std::abs(factor - usual.middle));
  usual.spread = 1.4826 * medianOf(std::move(distances)); // the standard deviation, if they are normal
  return usual;
}

// A lock may be waited for twenty times as long in one run as in the next, as threads happen to meet.
constexpr double kLeastFactor = 2, kLargeFactor = 8, kWaitFactor = 32, kSpreads = 4;
constexpr uint64_t kFewCalls = 20;

bool isBeyond(double factor, const Usual &usual, double least) {
  // Neither as it is nor beside the others may it be less.
  return std::min(std::abs(factor), std::abs(factor - usual.middle)) >=
             std::max(std::log(least), kSpreads * usual.spread) &&
         (factor > 0) == (factor > usual.middle);
}

// The durations of calls are mostly the function's own time, or at least their change is.
bool isOwnChange(const DiffRow &row, DiffValue value) {
  return changeNs(row, value) >= changeNs(row, DiffValue::Total) / 2;
}

// What changed is how long the function waited.
bool isWait(const DiffRow &row, DiffValue value) {
  return value == DiffValue::Self && row.knowsOnCpu && changeNs(row, DiffValue::OnCpu) < changeNs(row, value) / 2;
}

// Most calls are in the order of the change, and the median call changed as much.
bool isByMostCalls(const DiffRow &row, DiffValue value, double factor, const BothDurations *durations) {
  constexpr double kMost = 2.0 / 3;
  if (!durations)
    return false;
  const auto medianOf = [&](size_t side) {
    return std::max(1.0, static_cast<double>((*durations)[side].percentile(50)));
  };
  if (std::log(medianOf(1) / medianOf(0)) * (factor > 0 ? 1 : -1) < std::log(kLeastFactor))
    return false;
  return isOwnChange(row, value) && std::min((*durations)[0].count(), (*durations)[1].count()) >= kFewCalls &&
         orderOf(*durations) * (factor > 0 ? 1 : -1) >= kMost;
}

// Long enough that an interrupt, or a page that was not in memory, is not it.
bool isLong(const DiffRow &row, double whole) {
  constexpr double kLeastNs = 1e6, kLeastShareOfRun = 0.005;
  return changeNs(row, DiffValue::OnCpu) >= std::max(kLeastNs, kLeastShareOfRun * whole);
}

// Many calls of one side take longer than nearly all of the other: those that waited for a lock, say.
bool isByManyCalls(const DiffRow &row, DiffValue value, double factor, const BothDurations *durations) {
  if (!durations || !isOwnChange(row, value))
    return false;
  const Distribution &shorter = (*durations)[factor < 0], &longer = (*durations)[factor > 0];
  const uint64_t limit = 4 * shorter.percentile(99);
  uint64_t beyond = 0;
  for (const Distribution::Bin &bin : longer.bins(4))
    beyond += bin.from >= limit ? bin.count : 0;
  return shorter.count() >= kFewCalls && beyond >= kFewCalls;
}

// For paths, of whose single calls nothing is known.
bool isMuchOfRun(const DiffRow &row, double whole) {
  constexpr double kLeastNs = 10e6, kLeastShareOfRun = 0.05;
  return std::min(row[DiffValue::Calls].a[0], row[DiffValue::Calls].b[0]) >= kFewCalls &&
         changeNs(row, DiffValue::Self) >= std::max(kLeastNs, kLeastShareOfRun * whole);
}

// What the change of a row's `value` is, and beside that of other functions.
bool isLikely(const DiffRow &row, DiffValue value, const Usual &usual, double whole, const BothDurations *durations) {
  const double factor = factorOf(row, value);
  const double least = isWait(row, value) ? kLargeFactor : kLeastFactor;
  return (isBeyond(factor, usual, least) && isByMostCalls(row, value, factor, durations)) ||
         (isBeyond(factor, usual, kLargeFactor) && value == DiffValue::OnCpu && isLong(row, whole)) ||
         (isBeyond(factor, usual, kWaitFactor) &&
          (durations ? isByManyCalls(row, value, factor, durations) : isMuchOfRun(row, whole)));
}

bool hasCalls(const DiffRow &row) { return std::min(row[DiffValue::Calls].a[0], row[DiffValue::Calls].b[0]) > 0; }

} // namespace

void judgeSingleRuns(std::span<DiffRow *const> rows, std::span<const BothDurations *const> durations) {
  double whole = 0;
  for (const DiffRow *row : rows)
    whole += std::max((*row)[DiffValue::Self].a[0], (*row)[DiffValue::Self].b[0]);
  for (const DiffValue value : {DiffValue::Self, DiffValue::OnCpu}) {
    const auto isJudged = [&](const DiffRow &row) {
      return hasCalls(row) && (value == DiffValue::Self || row.knowsOnCpu);
    };
    std::vector<double> factors;
    for (const DiffRow *row : rows)
      if (isJudged(*row))
        factors.push_back(factorOf(*row, value));
    const Usual usual = usualOf(factors);
    for (size_t i = 0; i < rows.size(); ++i)
      if (isJudged(*rows[i]) && isLikely(*rows[i], value, usual, whole, durations.empty() ? nullptr : durations[i]))
        (*rows[i])[value].verdict = Verdict::Likely;
  }
}

} // namespace ada::analysis
