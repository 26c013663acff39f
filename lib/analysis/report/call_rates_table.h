// The columns of what calls cost since the last look and in sum.
#pragma once

#include "analysis/events/trace_columns.h"
#include "call_rates.h"

#include <string_view>
#include <vector>

namespace ada::analysis {

Columns<RateRow> rateColumns();

/// The rows with a call, the largest first by a word of sortWords(rateColumns()), or by "function". Rows that are equal
/// are sorted by all of their self time.
std::vector<const RateRow *> sortedRates(const CallRates &rates, std::string_view word);

} // namespace ada::analysis
