// A file descriptor that is closed at the end of its scope.
#pragma once

#include <unistd.h>
#include <utility>

namespace ada {

class FileDescriptor {
public:
  FileDescriptor() = default;
  /// Takes ownership of what open() returned.
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }

  int get() const { return fd_; }
  /// The caller closes it.
  int release() { return std::exchange(fd_, -1); }
  /// False if open() failed.
  explicit operator bool() const { return fd_ >= 0; }

private:
  int fd_ = -1;
};

} // namespace ada
