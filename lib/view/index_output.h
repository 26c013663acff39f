// The file that a viewer's index is written to, and read from.
#ifndef ADA_LIB_VIEW_INDEX_OUTPUT_H
#define ADA_LIB_VIEW_INDEX_OUTPUT_H

#include "ada/trace/error.h"
#include "base/file_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

namespace ada::view {

/// Any thread.
class IndexOutput {
public:
  /// A file `path`.new that keep() gives its name. E_IO if it can't be made; E_BUSY if another viewer writes it.
  static Expected<IndexOutput> beside(const std::string &path);
  /// A file in $TMPDIR without a name.
  static Expected<IndexOutput> temporary();

  IndexOutput(IndexOutput &&other) noexcept
      : file_(std::move(other.file_)), path_(std::move(other.path_)), temporary_(std::move(other.temporary_)),
        size_(other.size_) {
    other.temporary_.clear();
  }
  /// Removes what was not kept.
  ~IndexOutput();

  /// Returns the offset of the bytes.
  Expected<std::uint64_t> append(std::span<const std::byte> bytes);
  Expected<void> writeAt(std::uint64_t offset, std::span<const std::byte> bytes);
  /// The file is complete.
  Expected<void> keep();
  /// The file itself, which is then no longer this one's.
  FileDescriptor take() { return std::move(file_); }

private:
  IndexOutput(FileDescriptor file, std::string path, std::string temporary)
      : file_(std::move(file)), path_(std::move(path)), temporary_(std::move(temporary)) {}
  Error failed() const;

  FileDescriptor file_;
  std::string path_, temporary_; // empty without a name
  std::mutex mutex_;
  std::uint64_t size_ = 0;
};

} // namespace ada::view

#endif // ADA_LIB_VIEW_INDEX_OUTPUT_H
