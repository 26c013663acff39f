// Whether two paths or descriptors lead to one file.
#pragma once

#include <sys/stat.h>

namespace ada {

/// Compares what stat() has given for both. The number of a file that is gone may be given to another one.
inline bool isSameFile(const struct stat &a, const struct stat &b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

} // namespace ada
