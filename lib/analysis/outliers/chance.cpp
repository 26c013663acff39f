// Tail probabilities of two distributions, summed up exactly.
#include "chance.h"

#include <algorithm>
#include <cmath>

namespace ada::analysis {

namespace {

double logChoose(uint64_t n, uint64_t k) {
  const auto logFactorial = [](uint64_t value) { return std::lgamma(static_cast<double>(value) + 1); };
  return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

// Sums terms up, the first of which is given by its logarithm, the others by their ratios to the terms before:
// ratio(k) is that of term k + 1 to term k. Terms get smaller, and are 0 at last.
template <class Ratio> double tailSum(double logFirst, uint64_t first, const Ratio &ratio) {
  double sum = 1, term = 1;
  for (uint64_t k = first; term > sum * 1e-15; ++k)
    sum += term *= ratio(k);
  return std::min(std::exp(logFirst) * sum, 1.0);
}

} // namespace

double chanceOfAtLeast(uint64_t found, uint64_t chosen, uint64_t marked, uint64_t all) {
  if (found == 0 || all == 0)
    return 1;
  if (found > std::min(chosen, marked))
    return 0;
  const auto n = static_cast<double>(all), of = static_cast<double>(chosen), with = static_cast<double>(marked);
  if (static_cast<double>(found) * n <= of * with)
    return 1; // no more than expected: the exact value does not matter
  const double first = logChoose(marked, found) + logChoose(all - marked, chosen - found) - logChoose(all, chosen);
  return tailSum(first, found, [&](uint64_t at) {
    const auto k = static_cast<double>(at);
    return (with - k) * (of - k) / ((k + 1) * (n - with - of + k + 1));
  });
}

double binomialTail(uint64_t found, uint64_t all, double p) {
  if (found == 0 || p >= 1)
    return 1;
  if (p <= 0 || found > all)
    return 0;
  const auto n = static_cast<double>(all), first = static_cast<double>(found);
  if (first <= n * p)
    return 1; // no more than expected
  return tailSum(logChoose(all, found) + first * std::log(p) + (n - first) * std::log1p(-p), found, [&](uint64_t at) {
    const auto k = static_cast<double>(at);
    return (n - k) / (k + 1) * p / (1 - p);
  });
}

double chanceOfTail(const TailShape &shape) {
  if (shape.slow == 0 || shape.slow >= shape.all)
    return 1;
  const double middle = std::max(1.0, shape.median), upper = std::max(middle, shape.upperQuartile);
  constexpr double kMargin = 1.25;
  const double shortest = shape.shortestSlow / kMargin;
  if (shortest <= middle)
    return 1;
  // Survival of the power law: 1/2 at the median, 1/4 at the upper quartile. Durations that hardly vary would make any
  // difference significant; clocks and caches alone cause some per cent.
  constexpr double kLeastSpread = 1.05;
  const double spread = std::log(std::max(upper / middle, kLeastSpread)) / std::log(2.0);
  const double survival = 0.5 * std::exp(-std::log(shortest / middle) / spread);
  return binomialTail(shape.slow, shape.all, survival);
}

double chanceOfGap(uint64_t slow, uint64_t between, double part) {
  if (slow == 0)
    return 1;
  // The gap was looked for. One without calls below the n slowest has the probability part^n, so all gaps below n or
  // more of them have that times 1 / (1 - part).
  return std::min(1.0, binomialTail(slow, slow + between, part) / (1 - part));
}

} // namespace ada::analysis
