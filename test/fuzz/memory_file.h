// A file in memory with a path, for writers that need one.
#pragma once

#include "require.h"

#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace ada::fuzz {

class MemoryFile {
public:
  MemoryFile() : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) { require(fd_ >= 0, "a file in memory can be made"); }
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile() { ::close(fd_); }

  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  /// Writes at its beginning. False on failure.
  bool write(const void *data, size_t size) const { return ::pwrite(fd_, data, size, 0) == static_cast<ssize_t>(size); }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> all(static_cast<size_t>(::lseek(fd_, 0, SEEK_END)));
    require(::pread(fd_, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()),
            "a file in memory can be read");
    return all;
  }

private:
  int fd_;
};

} // namespace ada::fuzz
