// Why a run's session does not say when threads were on a processor, and how long the recorder held them up.
#ifndef ADATRACE_PROCESSOR_TIMES_H
#define ADATRACE_PROCESSOR_TIMES_H

#include <string>
#include <vector>

namespace ada::cli {

/// The reason of the first process of a session that wanted processor times and could not have them; empty if there is
/// none.
std::string whyNoProcessorTimes(const std::string &session);

/// Warnings of threads that the recorder held up for more than a hundredth of their time, of losses that nobody knows,
/// and of what the recorder failed at. Reads what the threads announce, and next to none of their events.
std::vector<std::string> recorderWarnings(const std::string &session);

} // namespace ada::cli
#endif // ADATRACE_PROCESSOR_TIMES_H
