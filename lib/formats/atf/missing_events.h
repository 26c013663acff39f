// What a process's manifest says about events that are not in its trace.
#ifndef ADA_LIB_FORMATS_ATF_MISSING_EVENTS_H
#define ADA_LIB_FORMATS_ATF_MISSING_EVENTS_H

#include "ada/trace/session.h"

#include <vector>

namespace ada::atf {

/// Counts and times are of what is there: who reads them has to know that it is not all. Of a process with a manifest:
/// W_EVENTS_LOST, W_EVENTS_LEFT_OUT, W_FUNCTIONS_OFF.
std::vector<Warning> missingEvents(const ProcessTrace &process);

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_MISSING_EVENTS_H
