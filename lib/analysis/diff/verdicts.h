// From the results of tests to verdicts.
#pragma once

#include "diff.h"
#include "spread_test.h"

namespace ada::analysis {

/// The sides do not overlap.
bool areApart(const DiffPair &pair);
/// The nearest runs of both sides are that factor apart, and four times as far as the runs of either side: all of that
/// on a scale of logarithms.
bool areFarApart(const DiffPair &pair, double factor);

/// Whether a value includes time in which the program waited.
enum class HasWaits { No, Yes, Unknown };

/// Sets p and verdict of a value of which there are several runs. `tests`: how many are made in this comparison.
void decide(DiffPair &pair, const SpreadTest &test, size_t tests, HasWaits waits);

} // namespace ada::analysis
