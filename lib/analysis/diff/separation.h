// Finds which of many values lie plainly apart on two sides of runs: a permutation test that few runs can pass.
//
// Three runs against three can be dealt to two sides in only ten ways, so a test of one function alone can say no more
// than "one in ten". It can, however, compare the way in which they were really dealt with the nine others. The score
// of a value is the gap between the sides, as a ratio, in units of its spread. The spread is the difference between
// runs of one side, plus the difference between runs of one side for the median value of its kind (so that a value does
// not win only because its runs happen to agree). For each way of dealing the runs, the highest score of all values is
// taken. A value is plainly apart if its score is higher than what the other ways give, for whatever value:
//
//  - With at least 50 ways: higher than 98 % of them, and the gap is at least half the spread. This is an exact test of
//    all values at once (Westfall-Young): without any change it names something in at most one comparison in fifty,
//    whatever the noise is like and however the values depend on each other.
//  - With fewer ways: above the highest by a factor that grows as the number of ways falls, and the gap is at least
//    twice the spread (from 20 ways on: at least the spread). The exact bound is one in the number of ways. Something
//    is really named much less often, because noise would have to give a score that is that much higher than all
//    others. diff_test.cpp measures this with several kinds of noise.
//
// A drift that continues through all runs of one side and then of the other makes gaps smaller than the spread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ada::analysis {

/// The logarithm of one value in each run, first those of side a.
struct RunValues {
  std::vector<double> logs;
  double extraSpread = 0; ///< additional spread known from elsewhere
};
/// Values of one kind, which have similar noise: all functions' self times, say.
using RunValuesGroup = std::vector<RunValues>;

/// For each value of each group, whether it lies plainly apart. All groups are tested together. With fewer than two
/// runs on a side, none does.
std::vector<std::vector<bool>> findApart(std::span<const RunValuesGroup> groups, size_t runsA, size_t runsB);

/// The number of ways to deal that many runs to two sides (counting stops at 1e9). Ways that only swap sides of equal
/// size count as one.
double waysToDeal(size_t runsA, size_t runsB);

} // namespace ada::analysis
