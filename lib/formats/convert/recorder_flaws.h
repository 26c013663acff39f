// Where the recorder delayed the processes of a session, or cannot say what it lost.
#pragma once

#include "ada/trace/error.h"

#include <string>
#include <vector>

namespace ada::formats {

/// Warnings about threads that the recorder held up for more than a hundredth of their time (W_RECORDER_WAIT: if there
/// are many such processes, the worst of them), about losses of unknown size (W_LOSSES_UNKNOWN), and about exits that
/// were only inferred (W_EXITS_INFERRED). `directories`: those of the session's processes. Reads none of their events,
/// and opens one after the other, so that memory does not grow with their number.
std::vector<Warning> recorderFlaws(const std::vector<std::string> &directories);

} // namespace ada::formats
