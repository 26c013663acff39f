// Repeats write(2) and pwrite(2), which may be interrupted, and may write less than they are given.
#include "write_all.h"

#include <cerrno>
#include <unistd.h>

namespace ada {

template <class Write> static bool repeat(size_t bytes, Write &&write) {
  for (size_t done = 0; done < bytes;) {
    const ssize_t n = write(done);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (n == 0) {
      errno = EIO;
      return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool writeAll(int fd, const void *data, size_t bytes) {
  return repeat(bytes, [&](size_t done) { return ::write(fd, static_cast<const char *>(data) + done, bytes - done); });
}

bool writeAllAt(int fd, const void *data, size_t bytes, uint64_t offset) {
  return repeat(bytes, [&](size_t done) {
    return ::pwrite(fd, static_cast<const char *>(data) + done, bytes - done, static_cast<off_t>(offset + done));
  });
}

} // namespace ada
