// Why a run's session does not say when threads had a processor.
#ifndef ADATRACE_PROCESSOR_TIMES_H
#define ADATRACE_PROCESSOR_TIMES_H

#include <string>

namespace ada::cli {

/// The reason of the first process of a session that wanted processor times and could not have them; empty if there is
/// none.
std::string whyNoProcessorTimes(const std::string &session);

} // namespace ada::cli
#endif // ADATRACE_PROCESSOR_TIMES_H
