// The checks of `adatrace doctor`.
#pragma once

#include "finding.h"

#include <string>
#include <sys/types.h>

namespace ada::cli {

/// What is installed, and what the system allows: compilers, runtime, scheduling, memory, disk, control, clock.
void checkSystem(Findings &findings);

/// A program or library: which of its objects are instrumented, whether they find the runtime, and what a trace will
/// lack. False if the file can't be read.
bool checkProgram(const std::string &path, Findings &findings);

/// A running process, its program, and how its recording stands. False if there is no such process.
bool checkProcess(pid_t pid, Findings &findings);

/// A session: whether it is whole, what it lacks, and how fast it grew. False if it can't be read.
bool checkSession(const std::string &path, Findings &findings);

/// How much room there is for traces of that rate; 0: it is not known.
void checkDisk(const std::string &directory, uint64_t bytesPerHour, Findings &findings);

} // namespace ada::cli
