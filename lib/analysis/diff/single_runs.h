// Whether a function takes longer, or less long, if there is only one run a side.
//
// Such a comparison has no runs of a side that show how much runs differ. It has two other things: the single calls of
// the function, and the other functions, most of which did not change. A change is likely if it is far beyond what the
// others changed by, and at least a doubling or a halving, and if most calls of the function, not a few that were
// disturbed, are in that order. Nothing is ever certain.
#pragma once

#include "diff.h"

#include "trace/statistics.h"

#include <array>
#include <span>

namespace ada::analysis {

/// The durations of a function's calls before and after.
using BothDurations = std::array<Distribution, 2>;

/// Judges the times of `rows`. `durations`: of the same functions; empty for paths, of which they are not known.
void judgeSingleRuns(std::span<DiffRow *const> rows, std::span<const BothDurations *const> durations);

} // namespace ada::analysis
