// Outliers of one function after the other, as they are asked for.
//
//   OutlierQuestion question{.globs = {"Server::handle"}};
//   auto answers = askOutliers(trace, question, damage);
//   for (const Outliers &one : answers->found)
//     use(one.function, one.factors);
#pragma once

#include "outlier_table.h"
#include "slow_calls.h"

#include <string>
#include <vector>

namespace ada::analysis {

/// Functions that were called twice or more, by the time that their calls took beyond the median.
Expected<std::vector<TailRow>> readTails(const Trace &trace, uint64_t fromNs, uint64_t toNs, Damage &damage);

struct OutlierQuestion {
  std::vector<std::string> globs;
  SlowestOf slowest = {};
  uint64_t fromNs = 0, toNs = ~uint64_t(0);
  size_t mostFunctions = 3; ///< those whose calls took the most time beyond their medians
};
struct OutlierAnswers {
  std::vector<Outliers> found;
  size_t functions = 0; ///< how many match, and have a complete call
};
Expected<OutlierAnswers> askOutliers(const Trace &trace, const OutlierQuestion &question, Damage &damage);

} // namespace ada::analysis
