// The file that a writer of ATF events appends to, through a buffer and with a running checksum.
#pragma once

#include "formats/native/bytes/checksum.h"
#include "formats/native/bytes/output_file.h"
#include "shared/encode/atf.h"
#include "trace/base/try.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace ada::atf {

class EventFile {
public:
  /// `options`: version and size of the buffer.
  EventFile(std::string path, const WriterOptions &options)
      : path(std::move(path)), bufferBytes_(std::max<size_t>(options.bufferBytes, 4096)), sum_(options.version) {}
  EventFile(const EventFile &) = delete;
  ~EventFile();

  /// E_IO, E_BAD_VERSION.
  Expected<void> create(const WriterOptions &options);
  /// Opens an existing file and cuts it to `bytes`; new data is added after them.
  Expected<void> reopen(uint64_t bytes);
  /// Adds bytes that are already in the file to the checksum.
  void count(std::span<const std::byte> bytes) { sum_.add(bytes); }

  /// Adds events, which the checksum covers. It is computed for whole buffers: for each event it would cost more than
  /// everything else.
  Expected<void> add(const void *data, size_t size);
  /// The same if there is room, otherwise false. This is enough for nearly every event.
  bool tryAdd(const void *data, size_t size) {
    if (!buffer_ || used_ + size > bufferBytes_)
      return false;
    std::memcpy(buffer_.get() + used_, data, size);
    used_ += size;
    return true;
  }
  /// Replaces the header. The events are to be added after it.
  Expected<void> header(const Frame &frame);
  /// Adds the footer and closes the file: makeFooter(checksum) and makeHeader() return the last frames.
  template <class Footer, class Header> Expected<void> finish(Footer &&makeFooter, Header &&makeHeader) {
    ADA_TRY(file_->mustBeOpen());
    ADA_TRY(flush()); // completes the checksum
    const Frame footer = makeFooter(sum_.value());
    ADA_TRY(append(std::as_bytes(std::span(footer.bytes))));
    ADA_TRY(header(makeHeader()));
    return file_->close();
  }
  bool isOpen() const { return file_ && file_->isOpen(); }
  /// An error if the file is finished.
  Expected<void> mustBeOpen() const { return file_->mustBeOpen(); }
  /// E_RANGE: a field of an event does not fit.
  Error rangeError(const char *field, std::string expected, uint64_t found, const char *message) const;

  const std::string path;

private:
  Expected<void> flush();
  Expected<void> append(std::span<const std::byte> bytes);

  const size_t bufferBytes_;
  Checksum sum_;
  std::optional<packed::OutputFile> file_;
  std::unique_ptr<std::byte[]> buffer_; // the system provides memory as it is touched
  size_t used_ = 0;
  uint64_t end_ = kHeaderBytes; // of what is written
};

} // namespace ada::atf
