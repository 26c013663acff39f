// Tests which of many values differ between two sides of a few runs.
//
// Three runs a side show badly how much a value differs from run to run, but the values of all functions together show
// it well. So each value's own variance is drawn towards what is usual, by as much as the values are alike in this
// (Smyth's moderated t test, which is made for thousands of genes in three samples a side): where all functions differ
// by 2 % from run to run, a difference of 20 % is plain with two runs a side; where some of them differ by 2 % and
// others by 50 %, each is judged nearly by itself, and so is a single one that differs by much more than the rest. A
// run that was faster or slower as a whole is allowed for, if the values show that there are such runs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace ada::analysis {

/// The logarithm of one value in each run, first those of side a.
struct RunLogs {
  std::vector<double> logs;
  double leastVariance = 0; ///< between runs, known from elsewhere
};

struct SpreadTest {
  double change = 0; ///< mean of side b less mean of side a, with the speed of runs taken out
  double p = 1;      ///< probability of a change like that by chance
};

/// Tests each of the values, which should be of one kind: all functions' self times, say. Three runs are needed in all:
/// with two, p is 1.
std::vector<SpreadTest> testSpread(std::span<const RunLogs> values, size_t runsA, size_t runsB);

/// How fast each run was as a whole: the median, over all values, of the difference to that value's median run. Nothing
/// if there are too few values to tell that from a change of one of them.
std::vector<double> speedsOf(std::span<const RunLogs> values);

/// There must be a value. If their number is even, it is halfway between those in the middle.
double medianOf(std::vector<double> values);

/// The probability that a Student t variable is further from 0 than `t`, on either side.
double chanceOfT(double t, double degrees);

} // namespace ada::analysis
