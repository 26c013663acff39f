// What people call the processes and threads of a session: trace/labels.h.
#pragma once

#include "ada/trace/session.h"

#include <string>
#include <vector>

namespace ada::atf {

/// By position in Session::processes().
std::vector<std::string> processLabels(const Session &session);
/// By position in ProcessTrace::threads(). Reads the first events of threads that nobody has named.
std::vector<std::string> threadLabels(const ProcessTrace &process);

} // namespace ada::atf
