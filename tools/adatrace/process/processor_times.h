// Finds why a run's session does not record when threads were on-CPU, and how long the recorder held threads up.
#ifndef ADATRACE_PROCESSOR_TIMES_H
#define ADATRACE_PROCESSOR_TIMES_H

#include <string>
#include <vector>

namespace ada::cli {

/// The reason given by the first process of the session that was asked for processor times and could not record them;
/// empty if there is no such process.
std::string whyNoProcessorTimes(const std::string &session);

/// Warnings about threads that the recorder held up for more than a hundredth of their time, about losses of unknown
/// size, and about failures of the recorder. Reads the threads' announcements and next to none of their events.
std::vector<std::string> recorderWarnings(const std::string &session);

} // namespace ada::cli
#endif // ADATRACE_PROCESSOR_TIMES_H
