// How much of a change is due to other arguments.
//
// Calls of both sides are divided by an argument's value: each value, or a dozen ranges. If calls with some values take
// longer than others, and these values are more frequent than before, then that alone makes the mean longer. How much:
// the calls are weighed so that both sides have the same shares, halfway between their own; the change that is left is
// not due to the argument, and the difference is. Values that one side never has get no weight, so for these nothing is
// assumed but that the other values stay what they are. If the sides have hardly any value in common, nobody can tell.
#pragma once

#include "causes.h"
#include "statistic.h"

#include <string>
#include <vector>

namespace ada::analysis {

struct ArgumentShift {
  std::vector<Cause> causes;
  std::vector<double> weights; ///< by call: what is left to explain is the change between these
  std::string note;            ///< an argument that can't be compared
};
ArgumentShift findArgumentShift(const ExplainedCalls &calls, Statistic statistic);

} // namespace ada::analysis
