// Iterates over the names in a directory with raw system calls.
#pragma once

#include "core/base/text.h"
#include "sys.h"

namespace ada::runtime {

// Calls visit(name) for each name except "." and ".." until visit returns false. Names that appear or disappear
// meanwhile may be missed. Don't nest it deeply: it uses a few KiB of stack.
template <class Visit> inline void eachName(const char *directory, Visit &&visit) {
  struct Entry { // linux_dirent64
    uint64_t inode, offset;
    uint16_t bytes;
    uint8_t type;
    char name[1];
  };
  int fd = sys::open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (fd < 0)
    return;
  alignas(8) char buffer[8192];
  bool more = true;
  for (long n; more && (n = sys::call(SYS_getdents64, fd, buffer, sizeof buffer)) > 0;)
    for (long at = 0; more && at < n;) {
      const Entry &e = *reinterpret_cast<const Entry *>(buffer + at);
      at += e.bytes;
      if (!equal(e.name, ".") && !equal(e.name, ".."))
        more = visit(static_cast<const char *>(e.name));
    }
  sys::close(fd);
}

} // namespace ada::runtime
