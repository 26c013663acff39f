// A temporary file without a name.
#pragma once

#include "ada/trace/error.h"
#include "trace/base/file_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace ada {

/// A new file without a name, which disappears when it is closed, even if the program is killed. On failure, errno is
/// set.
FileDescriptor unnamedFile(const std::string &directory);
/// Whether open(2) with O_TMPFILE failed because the file system has no files without names: not every one does.
bool lacksUnnamedFiles(int number);
/// $TMPDIR, or /tmp.
std::string temporaryPlace();

/// Lies in $TMPDIR (or /tmp), is made by the first append(), and disappears with this object or the program.
class TemporaryFile {
public:
  /// Returns the offset of the bytes.
  Expected<uint64_t> append(std::span<const std::byte> bytes);
  /// Fills `bytes` from `offset` on, all of which must have been written. Any thread.
  Expected<void> read(uint64_t offset, std::span<std::byte> bytes) const;

  uint64_t size() const { return size_; }
  /// Hands over the file itself; none if nothing was appended.
  FileDescriptor take() { return std::exchange(file_, FileDescriptor()); }

private:
  FileDescriptor file_;
  uint64_t size_ = 0;
};

} // namespace ada
