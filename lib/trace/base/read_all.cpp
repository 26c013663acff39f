// Repeats pread(2), which may be interrupted, and may read less than it is asked for.
#include "read_all.h"
#include "file_descriptor.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace ada {

ssize_t readAllAt(int fd, void *to, size_t bytes, uint64_t offset) {
  size_t done = 0;
  while (done < bytes) {
    const ssize_t n = ::pread(fd, static_cast<char *>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (n == 0)
      break;
    if (n < 0 && errno != EINTR)
      return -1;
    done += n > 0 ? static_cast<size_t>(n) : 0;
  }
  return static_cast<ssize_t>(done);
}

ssize_t readBeginning(const char *path, void *to, size_t most) {
  const FileDescriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  return file ? readAllAt(file.get(), to, most, 0) : -1;
}

} // namespace ada
