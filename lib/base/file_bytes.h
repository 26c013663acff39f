// The bytes of a file: mapped if it is large, read if it is small.
#ifndef ADA_LIB_BASE_FILE_BYTES_H
#define ADA_LIB_BASE_FILE_BYTES_H

#include "ada/trace/error.h"
#include "base/holes.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ada {

class FileBytes {
public:
  /// E_IO if the file can't be opened, is not a regular file, or can't be
  /// mapped. Never blocks on a FIFO.
  static Expected<FileBytes> open(const std::string &path);

  FileBytes() = default;
  FileBytes(FileBytes &&other) noexcept;
  FileBytes &operator=(FileBytes &&other) noexcept;
  ~FileBytes();

  std::span<const std::byte> bytes() const noexcept { return {base_, size_}; }
  /// Those that the file had when it was opened; small files have none.
  const Holes &holes() const noexcept { return holes_; }
  /// Lets the system have the memory of these bytes back, if they are mapped.
  /// They are read from the file again when they are next looked at.
  void release(std::span<const std::byte> part) const noexcept;

private:
  const std::byte *base_ = nullptr;
  std::size_t size_ = 0;
  std::unique_ptr<std::byte[]> heap_; // if read
  bool mapped_ = false;
  Holes holes_;
};

/// Bytes of all files of a trace below a directory. A ring file, which may lie there, or a link to it, is none of them:
/// its size says nothing of what was recorded. Nor is the index that `adatrace view` keeps there.
std::uint64_t bytesBelow(const std::string &directory);

/// E_IO with the system's reason in the message.
Error systemError(const std::string &path, const std::string &what, int number);

} // namespace ada

#endif // ADA_LIB_BASE_FILE_BYTES_H
