// Opens, writes and closes it.
#include "formats/native/bytes/output_file.h"

#include "trace/base/file_bytes.h"
#include "trace/base/safe_file.h"
#include "trace/base/try.h"
#include "trace/base/write_all.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace ada::packed {

Expected<OutputFile> OutputFile::create(const std::string &path, const atf::WriterOptions &options) {
  const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (options.overwrite ? 0 : O_EXCL);
  FileDescriptor file;
  if (options.noLinks) {
    file = ADA_TRY(openForWriting(path, flags, 0600));
  } else {
    file = FileDescriptor(::open(path.c_str(), flags, 0600));
  }
  if (!file || (options.overwrite && ::ftruncate(file.get(), 0) != 0))
    return systemError(path, "cannot be created", errno);
  return OutputFile(path, std::move(file));
}

Expected<OutputFile> OutputFile::open(const std::string &path) {
  auto opened = ADA_TRY(openForWriting(path, O_RDWR));
  return OutputFile(path, std::move(opened));
}

Expected<void> OutputFile::mustBeOpen() const {
  if (!file_)
    return Error{.code = "E_IO", .message = "the file is finished; nothing can be added to it", .file = path_};
  return {};
}

Expected<void> OutputFile::mustBeGood() const { return failure_ ? Expected<void>(*failure_) : mustBeOpen(); }

Expected<void> OutputFile::write(const void *data, size_t bytes, uint64_t offset) {
  if (!failure_ && !writeAllAt(file_.get(), data, bytes, offset))
    failure_ = systemError(path_, "cannot be written", errno);
  return failure_ ? Expected<void>(*failure_) : Expected<void>();
}

Expected<void> OutputFile::cut(uint64_t bytes) {
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0)
    return systemError(path_, "cannot be cut", errno);
  return {};
}

Expected<void> OutputFile::close() {
  if (::close(file_.release()) != 0 && errno != EINTR)
    return systemError(path_, "cannot be closed", errno);
  return {};
}

} // namespace ada::packed
