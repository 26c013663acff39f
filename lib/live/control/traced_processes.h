// Finds the traced processes of this machine.
#pragma once

#include <string>
#include <sys/types.h>
#include <vector>

namespace ada::control {

/// Traced processes of this user, by number; of all users for root.
std::vector<pid_t> tracedProcesses();

/// Those with that name: of the process, or of its program.
std::vector<pid_t> tracedProcesses(const std::string &name);

/// Those that record into a session, or have recorded into it.
std::vector<pid_t> tracedProcessesOf(const std::string &session);

} // namespace ada::control
