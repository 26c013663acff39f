// The bytes of a file: mapped if it is large, read if it is small.
#ifndef ADA_LIB_FORMATS_ATF_FILE_BYTES_H
#define ADA_LIB_FORMATS_ATF_FILE_BYTES_H

#include "ada/trace/error.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace ada::atf {

class FileBytes {
public:
  /// E_IO if the file can't be opened, is not a regular file, or can't be
  /// mapped. Never blocks on a FIFO.
  static Expected<FileBytes> open(const std::string &path);

  FileBytes() = default;
  FileBytes(FileBytes &&other) noexcept;
  FileBytes &operator=(FileBytes &&other) noexcept;
  ~FileBytes();

  std::span<const std::byte> bytes() const noexcept { return {base, size}; }
  /// Lets the system have the memory of these bytes back, if they are mapped.
  /// They are read from the file again when they are next looked at.
  void release(std::span<const std::byte> part) const noexcept;

private:
  const std::byte *base = nullptr;
  std::size_t size = 0;
  std::unique_ptr<std::byte[]> heap; // if read
  bool mapped = false;
};

/// E_IO with the system's reason in the message.
Error systemError(const std::string &path, const std::string &what, int number);

} // namespace ada::atf

#endif // ADA_LIB_FORMATS_ATF_FILE_BYTES_H
