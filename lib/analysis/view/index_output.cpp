// The file that a viewer's index is written to.
//
// A viewer holds a lock on it for as long as it runs, so that two viewers don't write the same file. A file that a
// killed viewer left has no lock, and is written again.
#include "index_output.h"

#include "trace/base/file_bytes.h"
#include "trace/base/safe_file.h"
#include "trace/base/same_file.h"
#include "trace/base/temporary_file.h"
#include "trace/base/try.h"
#include "trace/base/write_all.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ada::view {

Expected<IndexOutput> IndexOutput::beside(const std::string &path) {
  const std::string temporary = path + ".new";
  auto file = ADA_TRY(openForWriting(temporary, O_RDWR | O_CREAT, 0600));
  struct stat opened, named;
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(file.get(), &opened) != 0 ||
      ::lstat(temporary.c_str(), &named) != 0 || !isSameFile(opened, named))
    return Error{.code = "E_BUSY", .message = "another viewer is writing it", .file = temporary};
  IndexOutput output(std::move(file), path, temporary);
  if (::fchmod(output.file_.get(), 0600) != 0 || ::ftruncate(output.file_.get(), 0) != 0)
    return output.failed();
  return output;
}

Expected<IndexOutput> IndexOutput::temporary() {
  FileDescriptor file = unnamedFile(temporaryPlace());
  if (!file)
    return systemError(temporaryPlace(), "can't create a temporary file in it", errno);
  return IndexOutput(std::move(file), "", "");
}

IndexOutput::~IndexOutput() {
  if (!temporary_.empty())
    ::unlink(temporary_.c_str());
}

Error IndexOutput::failed() const {
  return systemError(temporary_.empty() ? "the temporary file of the index" : temporary_, "can't be written", errno);
}

Expected<uint64_t> IndexOutput::append(std::span<const std::byte> bytes) {
  uint64_t offset = 0;
  {
    const std::lock_guard lock(mutex_);
    offset = size_;
    size_ += bytes.size();
  }
  ADA_TRY(writeAt(offset, bytes));
  return offset;
}

Expected<void> IndexOutput::writeAt(uint64_t offset, std::span<const std::byte> bytes) {
  return writeAllAt(file_.get(), bytes.data(), bytes.size(), offset) ? Expected<void>() : failed();
}

Expected<void> IndexOutput::keep() {
  if (temporary_.empty())
    return {};
  if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    return failed();
  temporary_.clear();
  return {};
}

} // namespace ada::view
