// A temporary file without a name.
#include "temporary_file.h"

#include "read_all.h"
#include "write_all.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace ada {

bool lacksUnnamedFiles(int number) { return number == EOPNOTSUPP || number == EISDIR || number == EINVAL; }

FileDescriptor unnamedFile(const std::string &directory) {
  FileDescriptor file(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file || !lacksUnnamedFiles(errno))
    return file;
  std::string name = directory + "/adatrace-XXXXXX";
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
  if (readAllAt(file_.get(), bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size()))
    return failed("the trace stored there can't be read");
  return {};
}

} // namespace ada
