// Opens files for the readers.
#include "file_bytes.h"

#include "base/file_descriptor.h"
#include "base/try.h"
#include "kept_files.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ada {

// Smaller files are read. A process may have 65530 mappings (vm.max_map_count),
// and programs with more threads than that exist; most of their threads do
// little. A read of this size costs about what a mapping and its page faults
// do.
static constexpr size_t kReadLimitBytes = 64 * 1024;

Error systemError(const std::string &path, const std::string &what, int number) {
  return {.code = "E_IO", .message = what + ": " + std::generic_category().message(number), .file = path};
}

// The size of a file without its holes, which bounded traces have instead of their oldest events. The number of blocks
// only tells whether there may be some: file systems round it, compress, and know it late.
static uint64_t bytesOf(const std::string &path, const struct stat &info) {
  constexpr uint64_t kBlock = 512; // of st_blocks, whatever the file system
  const auto size = static_cast<uint64_t>(info.st_size);
  if (static_cast<uint64_t>(info.st_blocks) * kBlock >= size)
    return size;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return file ? size - Holes::of(file.get(), size).bytes() : size;
}

uint64_t bytesBelow(const std::string &directory) {
  namespace fs = std::filesystem;
  uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    struct stat info;
    if (::lstat(at->path().c_str(), &info) == 0 && S_ISREG(info.st_mode) && at->path().filename() != "ring" &&
        !isKeptFile(at->path().filename().string()))
      bytes += bytesOf(at->path(), info);
  }
  return bytes;
}

static Expected<std::unique_ptr<std::byte[]>> readAll(int fd, const std::string &path, size_t &size) {
  auto data = std::make_unique_for_overwrite<std::byte[]>(size);
  size_t got = 0;
  while (got < size) {
    ssize_t n = ::read(fd, data.get() + got, size - got);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return systemError(path, "cannot be read", errno);
    if (n == 0)
      break; // cut short since fstat
    got += static_cast<size_t>(n);
  }
  size = got;
  return data;
}

Expected<FileBytes> FileBytes::open(const std::string &path) {
  // O_NONBLOCK: opening a FIFO would wait for a writer.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return systemError(path, "cannot be opened", errno);
  struct Closer {
    int fd;
    ~Closer() { ::close(fd); }
  } closer{fd};

  struct stat info;
  if (::fstat(fd, &info) != 0)
    return systemError(path, "cannot be examined", errno);
  if (!S_ISREG(info.st_mode))
    return Error{.code = "E_IO",
                 .message = S_ISDIR(info.st_mode) ? "is a directory, but a file was expected"
                                                  : "is not a regular file; copy it to one",
                 .file = path};

  FileBytes file;
  file.size_ = static_cast<size_t>(info.st_size);
  if (file.size_ <= kReadLimitBytes) {
    file.heap_ = ADA_TRY(readAll(fd, path, file.size_));
    file.base_ = file.heap_.get();
    return file;
  }
  void *place = ::mmap(nullptr, file.size_, PROT_READ, MAP_SHARED, fd, 0);
  if (place == MAP_FAILED)
    return systemError(path, "cannot be mapped (" + std::to_string(file.size_) + " bytes)", errno);
  file.base_ = static_cast<const std::byte *>(place);
  file.mapped_ = true;
  constexpr uint64_t kSystemBlockBytes = 512;
  if (static_cast<uint64_t>(info.st_blocks) * kSystemBlockBytes < file.size_)
    file.holes_ = Holes::of(fd, file.size_);
  return file;
}

void FileBytes::release(std::span<const std::byte> part) const noexcept {
  if (!mapped_ || part.empty())
    return;
  static const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  // The mapping begins at a page. A page that is shared with other bytes is released, too:
  // it is read again when needed.
  const size_t first = static_cast<size_t>(part.data() - base_) / page * page;
  const size_t last = static_cast<size_t>(part.data() + part.size() - base_);
  ::madvise(const_cast<std::byte *>(base_) + first, last - first, MADV_DONTNEED);
}

FileBytes::FileBytes(FileBytes &&other) noexcept { *this = std::move(other); }

FileBytes &FileBytes::operator=(FileBytes &&other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(heap_, other.heap_);
  std::swap(mapped_, other.mapped_);
  std::swap(holes_, other.holes_);
  return *this;
}

FileBytes::~FileBytes() {
  if (mapped_)
    ::munmap(const_cast<std::byte *>(base_), size_);
}

} // namespace ada
