// The file that a viewer's index is written to, and read from.
#pragma once

#include "ada/trace/error.h"
#include "trace/base/file_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

namespace ada::view {

/// May be used from any thread.
class IndexOutput {
public:
  /// Creates the file `path`.new, to which keep() gives its final name. E_IO if it can't be made; E_BUSY if another
  /// viewer is writing it.
  static Expected<IndexOutput> beside(const std::string &path);
  /// Creates a file without a name in $TMPDIR.
  static Expected<IndexOutput> temporary();

  IndexOutput(IndexOutput &&other) noexcept
      : file_(std::move(other.file_)), path_(std::move(other.path_)), temporary_(std::move(other.temporary_)),
        size_(other.size_) {
    other.temporary_.clear();
  }
  /// Removes the file if it was not kept.
  ~IndexOutput();

  /// Returns the offset of the bytes.
  Expected<uint64_t> append(std::span<const std::byte> bytes);
  Expected<void> writeAt(uint64_t offset, std::span<const std::byte> bytes);
  /// Call this when the file is complete.
  Expected<void> keep();
  /// Hands over the file itself, which this object then no longer owns.
  FileDescriptor take() { return std::move(file_); }

private:
  IndexOutput(FileDescriptor file, std::string path, std::string temporary)
      : file_(std::move(file)), path_(std::move(path)), temporary_(std::move(temporary)) {}
  Error failed() const;

  FileDescriptor file_;
  std::string path_, temporary_; // empty if the file has no name
  std::mutex mutex_;
  uint64_t size_ = 0;
};

} // namespace ada::view
