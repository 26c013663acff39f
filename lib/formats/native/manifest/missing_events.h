// Warnings from a process's manifest about events that are missing from its trace, or only inferred.
#pragma once

#include "ada/trace/session.h"

#include <vector>

namespace ada::atf {

/// Counts and times include only the recorded events, so readers must be warned if some are missing. For a process with
/// a manifest: W_EVENTS_LOST, W_EVENTS_LEFT_OUT, W_EXITS_INFERRED, W_FUNCTIONS_OFF.
std::vector<Warning> missingEvents(const ProcessTrace &process);

} // namespace ada::atf
