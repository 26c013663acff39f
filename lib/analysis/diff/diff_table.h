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
inline constexpr const char *kDiffNames[kDiffValues] = {"calls", "total", "self", "p50", "p99"};

/// "+5.0 %", "new", "gone"
std::string changeText(const DiffPair &pair);
/// "main > handle > parse": only the innermost calls, which are the most informative.
std::string pathText(const DiffLine &line);

} // namespace ada::analysis
