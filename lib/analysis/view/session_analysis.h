// What is wrong with a program: the findings of `adatrace why`, of a trace that a viewer shows.
#pragma once

#include "analysis/findings/finding.h"
#include "call_analysis.h"

#include <string>

namespace ada::view {

/// Reads the whole trace a few times, whatever `limits.mostEvents` says. Threads are numbers of view.table(); `name` is
/// put into commands. Errors: those of the source, and E_STOPPED.
Expected<analysis::Findings> findInSession(TraceView &view, const std::string &name, const AnalysisLimits &limits);

} // namespace ada::view
