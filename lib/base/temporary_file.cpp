// A temporary file without a name.
#include "temporary_file.h"

#include "write_all.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace ada {

FileDescriptor unnamedFile(const std::string &directory) {
  FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return file;
  std::string name = directory + "/adatrace-XXXXXX"; // not every file system has files without names
  file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (file)
    ::unlink(name.c_str());
  return file;
}

std::string temporaryPlace() {
  const char *place = std::getenv("TMPDIR");
  return place && *place ? place : "/tmp";
}

namespace {

Error failed(const std::string &what) {
  return {.code = "E_IO",
          .message = what + "; set TMPDIR: " + std::generic_category().message(errno),
          .file = temporaryPlace()};
}

} // namespace

Expected<uint64_t> TemporaryFile::append(std::span<const std::byte> bytes) {
  if (!file_) {
    file_ = unnamedFile(temporaryPlace());
    if (!file_)
      return failed("can't create a temporary file in it");
  }
  const uint64_t offset = size_;
  if (!writeAllAt(file_.get(), bytes.data(), bytes.size(), offset))
    return failed("the trace can't be stored there");
  size_ += bytes.size();
  return offset;
}

Expected<void> TemporaryFile::read(uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n == 0 || (n < 0 && errno != EINTR))
      return failed("the trace stored there can't be read");
    if (n > 0) {
      bytes = bytes.subspan(static_cast<size_t>(n));
      offset += static_cast<uint64_t>(n);
    }
  }
  return {};
}

} // namespace ada
