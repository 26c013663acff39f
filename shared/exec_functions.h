// libc's functions that execute another program in this process. None of them returns if it succeeds.
//
// Freestanding.
#pragma once

namespace ada {

inline constexpr const char *kExecFunctions[] = {"execl",  "execle",  "execlp",  "execv",   "execve",
                                                 "execvp", "execvpe", "fexecve", "execveat"};

} // namespace ada
