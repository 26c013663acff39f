// The functions that the manifests of a session name. Many processes may share what a binary is: it counts once.
#pragma once

#include "ada/trace/session.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ada::atf {

/// Visits the functions of all processes; those of a binary for the first process that has it, once for each time that
/// it was loaded there.
void eachNamedFunction(const Session &session, const std::function<void(uint32_t process, uint64_t id)> &visit);

/// How many of them no event names. `used`: the ids that the events of a process name.
uint64_t countUnnamed(const Session &session, const std::function<std::vector<uint64_t>(uint32_t process)> &used);

} // namespace ada::atf
