// How likely it is that chance alone sets some calls apart.
#ifndef ADA_LIB_ANALYSIS_CHANCE_H
#define ADA_LIB_ANALYSIS_CHANCE_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace ada::analysis {

/// `marked` of `all` calls have a property. Returns the probability that at least `found` of `chosen` calls picked at
/// random have it (the upper tail of the hypergeometric distribution: Fisher's exact test).
double chanceOfAtLeast(uint64_t found, uint64_t chosen, uint64_t marked, uint64_t all);

/// Whether the slowest calls are more than the tail of the ordinary ones.
///
/// Sorted durations of programs without any special cause have tails of very different weight. The heaviest that is
/// assumed here is that of a power law (Pareto), fitted through the median and the upper quartile; normal, uniform,
/// exponential and log-normal ones are lighter. `sortedNs` are all durations in ascending order, the last `slow` of
/// which are the slow ones. Returns the probability that so many calls under that law take as long as the shortest slow
/// one, with a margin of a quarter of its duration.
double chanceOfTail(std::span<const uint64_t> sortedNs, size_t slow);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_CHANCE_H
