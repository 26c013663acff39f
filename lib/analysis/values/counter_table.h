// The columns of a table of counters.
#ifndef ADA_LIB_ANALYSIS_COUNTER_TABLE_H
#define ADA_LIB_ANALYSIS_COUNTER_TABLE_H

#include "analysis/events/trace_columns.h"
#include "counters.h"

#include <string>

namespace ada::analysis {

struct CounterLine {
  const CounterRow *row;
  const TraceTable *trace;
  std::string name, source; ///< `name` is for text
};

Columns<CounterLine> counterColumns();

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_COUNTER_TABLE_H
