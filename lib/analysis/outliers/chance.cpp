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

// P(X >= found) for a binomial X; terms are added from the largest to those that no longer matter.
double binomialTail(uint64_t found, uint64_t all, double p) {
  if (found == 0 || p >= 1)
    return 1;
  if (p <= 0)
    return 0;
  if (static_cast<double>(found) <= static_cast<double>(all) * p)
    return 1; // no more than expected: the exact value does not matter
  double sum = 0;
  for (uint64_t k = found; k <= all; ++k) {
    const double term = std::exp(logChoose(all, k) + static_cast<double>(k) * std::log(p) +
                                 static_cast<double>(all - k) * std::log1p(-p));
    sum += term;
    if (term < sum * 1e-12)
      break;
  }
  return std::min(sum, 1.0);
}

} // namespace

double chanceOfAtLeast(uint64_t found, uint64_t chosen, uint64_t marked, uint64_t all) {
  if (found == 0 || all == 0)
    return 1;
  const uint64_t most = std::min(chosen, marked);
  if (found > most)
    return 0;
  if (static_cast<double>(found) * static_cast<double>(all) <=
      static_cast<double>(chosen) * static_cast<double>(marked))
    return 1; // no more than expected
  const double whole = logChoose(all, chosen);
  double sum = 0;
  for (uint64_t k = found; k <= most; ++k) {
    if (chosen - k > all - marked)
      continue; // impossible
    const double term = std::exp(logChoose(marked, k) + logChoose(all - marked, chosen - k) - whole);
    sum += term;
    if (term < sum * 1e-12)
      break;
  }
  return std::min(sum, 1.0);
}

double chanceOfTail(std::span<const uint64_t> sortedNs, size_t slow) {
  if (slow == 0 || slow >= sortedNs.size())
    return 1;
  const auto at = [&](double part) {
    const auto index = static_cast<size_t>(part * static_cast<double>(sortedNs.size() - 1));
    return std::max(1.0, static_cast<double>(sortedNs[index]));
  };
  const double middle = at(0.5), upper = at(0.75);
  constexpr double kMargin = 1.25;
  const double shortest = static_cast<double>(sortedNs[sortedNs.size() - slow]) / kMargin;
  if (shortest <= middle)
    return 1;
  // Survival of the power law: 1/2 at the median, 1/4 at the upper quartile. Durations that hardly vary would make any
  // difference significant; clocks and caches alone cause some per cent.
  constexpr double kLeastSpread = 1.05;
  const double spread = std::log(std::max(upper / middle, kLeastSpread)) / std::log(2.0);
  const double survival = 0.5 * std::exp(-std::log(shortest / middle) / spread);
  return binomialTail(slow, sortedNs.size(), survival);
}

} // namespace ada::analysis
