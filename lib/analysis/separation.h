// Which of many values lie plainly apart on two sides of runs: a permutation test that few runs can pass.
//
// Three runs against three can be dealt to two sides in only ten ways, so no test of one function alone can say more
// than "one in ten". What it can say is how the way they were really dealt compares with the nine others. The score of
// a value is the gap between the sides, as a ratio, in units of its spread: what runs of one side differ by, plus what
// runs of one side differ by for the median value of its kind (that keeps a value from winning by runs that happen to
// agree). The highest score among all values is taken for each way of dealing the runs. A value is plainly apart if
// its score is above all that other ways give, whatever value they give it for:
//
//  - With at least 50 ways, above 98 % of them, and the gap is half the spread. That is an exact test of all
//    values at once (Westfall and Young's): without any change it names something in at most one comparison in fifty,
//    whatever the noise is like and however values depend on each other.
//  - With fewer ways, above the highest by a factor that grows the fewer there are, and the gap is twice the spread
//    (from 20 ways on: as large). The exact bound is one in the number of ways; that something is really named is much
//    less likely, for noise would have to give a score that is that much higher than all others. diff_test.cpp measures
//    it with noise of several kinds.
//
// A drift that goes on through all runs of one side and then of the other makes gaps smaller than the spread.
#ifndef ADA_LIB_ANALYSIS_SEPARATION_H
#define ADA_LIB_ANALYSIS_SEPARATION_H

#include <cstddef>
#include <span>
#include <vector>

namespace ada::analysis {

/// The logarithm of one value in each run, first those of side a.
struct RunValues {
  std::vector<double> logs;
  double extraSpread = 0; ///< what is known about its noise besides
};
/// Values of one kind, which have similar noise: all functions' self times, say.
using RunValuesGroup = std::vector<RunValues>;

/// For each value of each group, whether it lies plainly apart. All groups are tested together. With less than two
/// runs on a side nothing does.
std::vector<std::vector<bool>> findApart(std::span<const RunValuesGroup> groups, size_t runsA, size_t runsB);

/// In how many ways that many runs can be dealt to two sides (as few as it takes to be sure: at most 1e9). Ways that
/// only swap sides of one size are one.
double waysToDeal(size_t runsA, size_t runsB);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_SEPARATION_H
