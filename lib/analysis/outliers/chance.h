// How likely it is that chance alone sets some calls apart.
#pragma once

#include <cstdint>

namespace ada::analysis {

/// `marked` of `all` calls have a property. Returns the probability that at least `found` of `chosen` calls picked at
/// random have it (the upper tail of the hypergeometric distribution: Fisher's exact test). 1 if that many are
/// expected.
double chanceOfAtLeast(uint64_t found, uint64_t chosen, uint64_t marked, uint64_t all);

/// The probability that a binomial variable is at least `found`: of `all` calls, each has probability `p`. 1 if `found`
/// is not more than the mean.
double binomialTail(uint64_t found, uint64_t all, double p);

/// The durations of a function's calls, as far as they say whether the slowest are more than the tail of the others.
struct TailShape {
  double median = 0, upperQuartile = 0;
  double shortestSlow = 0; ///< the duration of the shortest slow call
  uint64_t slow = 0, all = 0;
};
/// Whether the slowest calls are more than the tail of the ordinary ones.
///
/// Sorted durations of programs without any special cause have tails of very different weight. The heaviest that is
/// assumed here is that of a power law (Pareto), fitted through the median and the upper quartile; normal, uniform,
/// exponential and log-normal ones are lighter. Returns the probability that so many calls under that law take as long
/// as the shortest slow one, with a margin of a quarter of its duration.
double chanceOfTail(const TailShape &shape);

/// Whether a gap lies below the slowest calls. `slow` calls take longer than the median by some time or more, and
/// `between` others by `part` of that time or more, 0 to 1.
///
/// In a power law with the exponent 1, half of the calls that take longer by some time take longer by twice that time.
/// Its mean is infinite, so tails that programs have are lighter, and have more calls in between. Returns the
/// probability of so few in between under that law, wherever among the slow calls the gap is.
double chanceOfGap(uint64_t slow, uint64_t between, double part);

} // namespace ada::analysis
