// A file that is written by offset, until the first error.
#pragma once

#include "ada/trace/error.h"
#include "formats/native/bytes/writer_options.h"
#include "trace/base/file_descriptor.h"

#include <optional>
#include <string>

namespace ada::packed {

class OutputFile {
public:
  /// Creates an empty file. The options decide whether an existing file is an error or is emptied, and whether links
  /// are followed.
  static Expected<OutputFile> create(const std::string &path, const atf::WriterOptions &options);
  /// Opens an existing file to continue it.
  static Expected<OutputFile> open(const std::string &path);

  bool isOpen() const { return bool(file_); }
  /// An error if it was closed.
  Expected<void> mustBeOpen() const;
  /// The first error of write(), or an error if it was closed.
  Expected<void> mustBeGood() const;
  /// After an error, every call fails with that error and writes nothing.
  Expected<void> write(const void *data, size_t bytes, uint64_t offset);
  Expected<void> cut(uint64_t bytes);
  Expected<void> close();

private:
  OutputFile(std::string path, FileDescriptor file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FileDescriptor file_;
  std::optional<Error> failure_;
};

} // namespace ada::packed
