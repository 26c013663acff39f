// The limits between certain, likely and not shown.
#include "verdicts.h"

#include <algorithm>
#include <cmath>

namespace ada::analysis {

namespace {

// Without any change, one comparison in a hundred has something likely, and hardly any something certain.
// (diff_test.cpp measures this with several kinds of noise, test/diff with programs.)
constexpr double kLikely = 0.01, kFarLikely = 0.1, kCertain = 1e-5;

struct Range {
  double low, high;
};
Range rangeOf(const std::vector<double> &values) {
  const auto [low, high] = std::ranges::minmax(values);
  return {low, high};
}

} // namespace

const char *verdictName(Verdict verdict) {
  static constexpr const char *kNames[] = {"not shown", "likely", "certain"};
  return kNames[static_cast<size_t>(verdict)];
}

bool areApart(const DiffPair &pair) {
  const Range a = rangeOf(pair.a), b = rangeOf(pair.b);
  return b.low > a.high || a.low > b.high;
}

bool areFarApart(const DiffPair &pair, double factor) {
  const auto logsOf = [](const std::vector<double> &values) {
    const Range range = rangeOf(values);
    return Range{std::log(std::max(range.low, 1.0)), std::log(std::max(range.high, 1.0))};
  };
  const Range a = logsOf(pair.a), b = logsOf(pair.b);
  const double gap = std::max(b.low - a.high, a.low - b.high), spread = std::max(a.high - a.low, b.high - b.low);
  return gap >= std::max(std::log(factor), 4 * spread);
}

void decide(DiffPair &pair, const SpreadTest &test, size_t tests, HasWaits waits) {
  const double p = test.p * static_cast<double>(tests), change = pair.change();
  pair.p = std::min(p, 1.0);
  // A few runs that were disturbed can turn the mean around; then nothing is shown either way.
  const size_t runs = std::min(pair.a.size(), pair.b.size());
  if (std::abs(change) < kLeastChange || (change > 0) != (test.change > 0) || (runs < kEnoughRuns && !areApart(pair)))
    return;
  const bool isFar = areFarApart(pair, p <= kFarLikely ? 4 : 20), isTwice = std::abs(test.change) >= std::log(2);
  // Waits have a few typical lengths, so the runs of a side may be of one kind by chance.
  const bool isEnough = runs >= kEnoughRuns ? waits != HasWaits::Yes || areFarApart(pair, 4)
                                            : runs >= 3 && waits == HasWaits::No && isTwice;
  if (p <= kCertain && isEnough)
    pair.verdict = Verdict::Certain;
  // A single run may be an odd one.
  else if (runs > 1 ? p <= kLikely || isFar : p <= kCertain && isTwice)
    pair.verdict = Verdict::Likely;
}

} // namespace ada::analysis
