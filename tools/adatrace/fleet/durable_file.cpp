// Writes small files atomically.
#include "durable_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace ada::cli {

namespace {

Error failure(const std::string &file) { return {.code = "E_IO", .message = std::strerror(errno), .file = file}; }

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Makes the new name survive a power failure. Not all file systems support this; on the others nothing better is known.
void syncDirectoryOf(const std::string &path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const int file = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0)
    return;
  ::fsync(file);
  ::close(file);
}

} // namespace

Expected<void> writeDurably(const std::string &path, std::string_view bytes) {
  const std::string next = path + ".new";
  const int file = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    return failure(next);
  const bool isWhole = writeAll(file, bytes) && ::fsync(file) == 0;
  const Error problem = failure(next);
  ::close(file);
  if (!isWhole) {
    ::unlink(next.c_str());
    return problem;
  }
  if (::rename(next.c_str(), path.c_str()) != 0)
    return failure(path);
  syncDirectoryOf(path);
  return {};
}

} // namespace ada::cli
