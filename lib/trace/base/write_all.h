// Writes all of some bytes to a file, in as many calls as the system wants.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ada {

/// Writes at the file's position. False if that fails: errno says why, and some of the bytes may have been written.
bool writeAll(int fd, const void *data, size_t bytes);
/// The same at `offset`.
bool writeAllAt(int fd, const void *data, size_t bytes, uint64_t offset);

} // namespace ada
