// The columns of causes of a change.
#ifndef ADA_LIB_ANALYSIS_EXPLAIN_TABLE_H
#define ADA_LIB_ANALYSIS_EXPLAIN_TABLE_H

#include "analysis/events/trace_columns.h"
#include "explain.h"

namespace ada::analysis {

struct CauseLine {
  const Cause *cause;
  const Explanation *all;
};
Columns<CauseLine> causeColumns();

/// "calls", "callee", …
const char *causeKindName(CauseKind kind);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_EXPLAIN_TABLE_H
