// The columns of findings.
#pragma once

#include "finding.h"
#include "trace/base/table.h"

namespace ada::analysis {

Columns<Finding> findingColumns();
Columns<CannotSay> cannotSayColumns();
Columns<Findings> findingsColumns();

} // namespace ada::analysis
