// The columns of causes of a change.
#pragma once

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
