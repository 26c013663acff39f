// Collects events and writes them, and keeps their checksum.
#include "event_file.h"

#include "trace/base/try.h"

#include <utility>

namespace ada::atf {

EventFile::~EventFile() {
  if (isOpen())
    (void)flush();
}

Expected<void> EventFile::create(const WriterOptions &options) {
  if (options.version != 1 && options.version != 2)
    return Error{.code = "E_BAD_VERSION",
                 .message = "only versions 1 and 2 can be written",
                 .file = path,
                 .field = "version",
                 .expected = "1 or 2",
                 .found = std::to_string(options.version)};
  file_ = ADA_TRY(packed::OutputFile::create(path, options));
  buffer_ = std::make_unique_for_overwrite<std::byte[]>(bufferBytes_);
  return {};
}

Expected<void> EventFile::reopen(uint64_t bytes) {
  file_ = ADA_TRY(packed::OutputFile::open(path));
  buffer_ = std::make_unique_for_overwrite<std::byte[]>(bufferBytes_);
  end_ = bytes;
  return file_->cut(bytes);
}

Expected<void> EventFile::add(const void *data, size_t size) {
  if (tryAdd(data, size))
    return {};
  ADA_TRY(flush());
  if (tryAdd(data, size))
    return {};
  const std::span bytes(static_cast<const std::byte *>(data), size);
  sum_.add(bytes);
  return append(bytes);
}

Expected<void> EventFile::flush() {
  const std::span bytes(buffer_.get(), std::exchange(used_, 0));
  sum_.add(bytes);
  return append(bytes);
}

Expected<void> EventFile::append(std::span<const std::byte> bytes) {
  auto done = file_->write(bytes.data(), bytes.size(), end_);
  end_ += bytes.size();
  if (!done)
    buffer_.reset(); // so that tryAdd() fails, too
  return done;
}

Error EventFile::rangeError(const char *field, std::string expected, uint64_t found, const char *message) const {
  return {.code = "E_RANGE",
          .message = message,
          .file = path,
          .field = field,
          .expected = std::move(expected),
          .found = std::to_string(found)};
}

Expected<void> EventFile::header(const Frame &frame) {
  ADA_TRY(flush());
  return file_->write(frame.bytes, sizeof frame, 0);
}

} // namespace ada::atf
