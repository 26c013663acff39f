// The columns of a comparison of runs.
#pragma once

#include "analysis/events/function_names.h"
#include "diff.h"

#include <functional>
#include <string>

namespace ada::analysis {

/// A comparison, and how its functions are called.
struct NamedDiff {
  const Diff &diff;
  std::function<std::string(const model::Function &)> name;
};

inline NamedDiff namedDiff(const Diff &diff, NameStyle style) {
  return {diff, [style](const model::Function &function) { return nameOf(function, style); }};
}

struct DiffLine {
  const DiffRow *row;
  const NamedDiff *all;
};

Columns<DiffLine> diffColumns();
Facts diffFacts(bool byPath);

/// The names of the values that are compared: "calls", "total", ...
inline constexpr const char *kDiffNames[kDiffValues] = {"calls", "total", "self", "p50", "p99", "on-CPU", "self p50"};
inline constexpr size_t kRuledValues = 5; ///< those that a rule (--fail-if) may be about
inline const char *nameOf(DiffValue value) { return kDiffNames[static_cast<size_t>(value)]; }

/// What more runs would show; for comparisons with fewer than kEnoughRuns.
inline constexpr const char *kRunsNeeded = "One run per side shows what doubled and what is called more or less often, "
                                           "three show most changes of a fifth, and six "
                                           "are enough to be certain";

/// "+5.0 %", "×50", "new", "gone"
std::string changeText(const DiffPair &pair);
/// What the verdict is about, or else the change of self time: "calls +100.0 %".
std::string changedText(const DiffRow &row);
/// "main > handle > parse": only the innermost calls, which are the most informative.
std::string pathText(const DiffLine &line);

} // namespace ada::analysis
