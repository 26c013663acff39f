// Suggests functions to leave out: those whose tracing costs most and shows least.
#pragma once

#include "report.h"

#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

/// Functions of one name: leaving out the name leaves out all of them.
struct TracedName {
  std::string name; ///< as in the object file
  const model::Function *function = nullptr;
  FunctionStatistics figures;
};

struct Suggestion {
  std::vector<TracedName> leaveOut; ///< sorted by calls, most first
  uint64_t calls = 0, allCalls = 0; ///< of these, and of all functions
  /// Time to record a call and its return, as far as the trace shows it.
  uint64_t callCostNs = 0;
};

/// For a report by function. A function is suggested if
///  - it has at least a hundredth of all calls,
///  - its calls seldom take more than a few times what recording them does, so that its time is mostly the tracer's,
///  - and all its calls are alike: no exceptions, and no more than one in a hundred is much longer.
/// `resolutionNs`: resolution of the times, if they were not read for each event; the trace then does not show costs.
Suggestion suggestFilter(const Report &report, uint64_t resolutionNs);

/// A glob that matches the function of that name, as in the object file, and no other.
std::string globOf(std::string_view name);

/// The functions as a special case list, for -ada-ignorelist.
std::string ignoreListOf(const Suggestion &suggestion);
/// The functions as globs, for `record --exclude`.
std::string globsOf(const Suggestion &suggestion);

} // namespace ada::analysis
