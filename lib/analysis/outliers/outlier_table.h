// The columns of tables about outliers.
#pragma once

#include "analysis/events/trace_columns.h"
#include "outliers.h"

#include <string>

namespace ada::analysis {

/// A function by the time that its calls took beyond its median.
struct TailRow {
  std::string function;
  uint64_t calls = 0, medianNs = 0, p99Ns = 0, maxNs = 0, aboveMedianNs = 0;
};
Columns<TailRow> tailColumns();

/// One of the slowest calls.
struct SlowExampleLine {
  const SlowExample *call;
  const TraceTable *trace;
};
Columns<SlowExampleLine> slowExampleColumns();
Columns<OutlierFactor> factorColumns();

struct OutlierLine {
  const Outliers *found;
  const TraceTable *trace;
};
Columns<OutlierLine> outlierColumns();

} // namespace ada::analysis
