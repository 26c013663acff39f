// The bytes of a file, which may be in an archive (trace/base/file_tree.h).
// They are mapped if it is large, and read if it is small or its file system can't map files.
#pragma once

#include "ada/trace/error.h"
#include "trace/base/holes.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <sys/stat.h>

namespace ada {

struct ArchivePlace;

class FileBytes {
public:
  /// E_IO if the file can't be opened, is not a regular file, or can't be
  /// read. Never blocks on a FIFO. In an archive also E_BAD_ARCHIVE.
  static Expected<FileBytes> open(const std::string &path);
  /// The same for bytes that are kept for long and seldom used: small files are mapped, too, as long as there are not
  /// too many, so that release() gives their memory back.
  static Expected<FileBytes> openToKeep(const std::string &path);
  /// Those of an open regular file. `path`: for errors.
  static Expected<FileBytes> ofDescriptor(int fd, const std::string &path, const struct stat &info) {
    return ofDescriptor(fd, path, info, kReadLimitBytes);
  }

  FileBytes() = default;
  FileBytes(FileBytes &&other) noexcept;
  FileBytes &operator=(FileBytes &&other) noexcept;
  ~FileBytes();

  std::span<const std::byte> bytes() const noexcept { return {base_, size_}; }
  /// The holes that the file had when it was opened; small files have none.
  const Holes &holes() const noexcept { return holes_; }
  /// Gives the memory of these bytes back to the system, if they are mapped.
  /// They are read from the file again when they are next used.
  void release(std::span<const std::byte> part) const noexcept;

private:
  // Smaller files are read. A process may have 65530 mappings (vm.max_map_count), and programs with more threads than
  // that exist; most of their threads do little. A read of this size costs about what a mapping and its page faults do.
  static constexpr size_t kReadLimitBytes = 64 * 1024;

  static Expected<FileBytes> open(const std::string &path, bool isKept);
  static Expected<FileBytes> ofDescriptor(int fd, const std::string &path, const struct stat &info, size_t readLimit);
  static Expected<FileBytes> readUnmapped(int fd, const std::string &path, size_t size);
  static Expected<FileBytes> openMember(const ArchivePlace &place, const std::string &path);

  const std::byte *base_ = nullptr;
  size_t size_ = 0;
  std::unique_ptr<std::byte[]> heap_;        // if read
  std::shared_ptr<const FileBytes> archive_; // if they are a part of its bytes
  bool mapped_ = false;                      // from the file, or a part of such bytes
  bool isMemory_ = false;                    // pages that this object unmaps
  Holes holes_;
};

/// Bytes of all files of a trace below a directory, without holes. A ring file that lies there, or a link to it, does
/// not count, because its size says nothing about what was recorded. The index that `adatrace view` keeps there does
/// not count either.
uint64_t bytesBelow(const std::string &directory);

/// E_IO with the system's reason in the message.
Error systemError(const std::string &path, const std::string &what, int number);

} // namespace ada
