// Whether a function is called more often, or less, on one of two sides of runs.
//
// Most programs call most functions equally often in each run. So runs of a side that agree are evidence: if the
// numbers were random and the sides alike, agreement within both and a difference between them would be a coincidence.
#pragma once

#include "diff.h"

#include <span>

namespace ada::analysis {

/// Judges DiffValue::Calls of these rows. `hasOneThread`: as in Diff.
void judgeCalls(std::span<DiffRow *const> rows, bool hasOneThread);

} // namespace ada::analysis
