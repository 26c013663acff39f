// Reads all of some bytes of a file, in as many calls as the system wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/types.h>

namespace ada {

/// Reads at `offset`, up to the end of the file. The number of bytes, or -1 if that fails: errno says why.
ssize_t readAllAt(int fd, void *to, size_t bytes, uint64_t offset);

} // namespace ada
