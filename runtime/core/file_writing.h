// file_writing.h - writes all of a buffer to its place in a file.
#ifndef ADA_RUNTIME_CORE_FILE_WRITING_H
#define ADA_RUNTIME_CORE_FILE_WRITING_H

#include "os.h"

namespace ada {

// 0, or a negative errno; part of it may have been written then.
inline int writeAll(int fd, const void *from, size_t n, uint64_t at) {
  size_t done = 0;
  while (done < n) {
    long r = sys::pwrite(fd, (const char *)from + done, n - done, at + done);
    if (r == -EINTR)
      continue;
    if (r <= 0)
      return r < 0 ? (int)r : -ENOSPC;
    done += (size_t)r;
  }
  return 0;
}

} // namespace ada
#endif
