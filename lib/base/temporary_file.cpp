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

namespace {

std::string directory() {
  const char *place = std::getenv("TMPDIR");
  return place && *place ? place : "/tmp";
}

Error failed(const std::string &what) {
  return {
      .code = "E_IO", .message = what + "; set TMPDIR: " + std::generic_category().message(errno), .file = directory()};
}

} // namespace

Expected<uint64_t> TemporaryFile::append(std::span<const std::byte> bytes) {
  if (!file_) {
    std::string name = directory() + "/adatrace-XXXXXX";
    file_ = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (!file_)
      return failed("can't create a temporary file in it");
    ::unlink(name.c_str());
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
