// The system call openat2, which older headers don't have.
#pragma once

#include <cstdint>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ada {

constexpr uint64_t kNoMagicLinks = 0x02, kNoSymlinks = 0x04;

/// Relative to the working directory. ENOSYS before Linux 5.6, EPERM or ENOSYS in some sandboxes.
inline int openat2(const char *path, int flags, mode_t mode, uint64_t resolve) {
  constexpr long kOpenat2 = 437; // on every architecture
  const struct {
    uint64_t flags, mode, resolve;
  } how = {.flags = static_cast<uint64_t>(flags), .mode = mode, .resolve = resolve};
  return static_cast<int>(::syscall(kOpenat2, AT_FDCWD, path, &how, sizeof how));
}

} // namespace ada
