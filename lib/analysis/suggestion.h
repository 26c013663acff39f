// Which functions' tracing costs most and tells least.
#ifndef ADA_LIB_ANALYSIS_SUGGESTION_H
#define ADA_LIB_ANALYSIS_SUGGESTION_H

#include "report.h"

#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

/// Functions of one name: leaving out one by name leaves out all.
struct TracedName {
  std::string name; ///< as in the object file
  const model::Function *function = nullptr;
  FunctionStatistics figures;
};

struct Suggestion {
  std::vector<TracedName> leaveOut; ///< the one with the most calls first
  uint64_t calls = 0, allCalls = 0; ///< of these, and of all functions
  /// What recording a call and its return takes, as far as the trace shows it.
  uint64_t callCostNs = 0;
};

/// Of a report by function. A function is better left out if
///   - it has at least a hundredth of all calls,
///   - a call of it seldom takes more than a few times what recording it does, so its time is mostly that of the
///   tracer,
///   - and all its calls are alike: no exceptions, and none of a hundred is much longer.
/// `resolutionNs`: of the times, where they were not read for each event; then costs are not in the trace.
Suggestion suggestFilter(const Report &report, uint64_t resolutionNs);

/// A glob that means the function of that name, as in the object file, and no other.
std::string globOf(std::string_view name);

/// The functions as a special case list, for -ada-ignorelist.
std::string ignoreListOf(const Suggestion &suggestion);
/// The functions as globs, for `record --exclude`.
std::string globsOf(const Suggestion &suggestion);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_SUGGESTION_H
