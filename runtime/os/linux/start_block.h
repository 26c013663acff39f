// What the kernel gives a process at its start: arguments, environment, and auxiliary values.
//
// Read from memory, not with getauxval() and getenv(): a program may define functions with these names. They would run
// before they are ready, be recorded, or give different answers.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ada::runtime {

// The auxiliary value of a type (AT_…), 0 if there is none.
uint64_t auxiliaryValue(uint64_t type);

// Whether the program is set-uid, or has file capabilities (AT_SECURE). If that can't be known, it is assumed.
bool hasMoreRightsThanItsCaller();

// Says where the environment lies that the process was started with. For code that runs before libc's constructor.
void setStartEnvironment(char **environment);

// Copies the arguments that the process was started with, each with its NUL, as far as they fit. Returns the number of
// bytes; 0 if the program has moved them, or if they can't be found.
size_t startArguments(char *to, size_t most);

// The value of an environment variable as the program has it now; null if there is none.
const char *environmentValue(const char *name);

} // namespace ada::runtime
