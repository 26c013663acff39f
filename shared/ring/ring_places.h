// Where ring files are.
//
// Freestanding: the runtime compiles it into traced programs.
#pragma once

namespace ada::ring {

// The first of these folders that can hold the ring has it, unless option ring names another that can. After the first
// one comes the directory of the process's trace, except for flight recorders. Recovery looks in all of them.
inline constexpr const char *kPlaces[] = {"/dev/shm", "/tmp", "/var/tmp"};

} // namespace ada::ring
