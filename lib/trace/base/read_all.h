// Reads all of some bytes of a file, in as many calls as the system wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace ada {

/// Reads at `offset`, up to the end of the file. The number of bytes, or -1 if that fails: errno says why.
ssize_t readAllAt(int fd, void *to, size_t bytes, uint64_t offset);

/// Reads the beginning of a short file, such as those in /proc. The number of bytes, or -1: errno says why.
ssize_t readBeginning(const char *path, void *to, size_t most);

} // namespace ada
