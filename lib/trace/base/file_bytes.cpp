// Opens files for the readers.
#include "file_bytes.h"

#include "kept_files.h"
#include "trace/base/fair_links.h"
#include "trace/base/file_descriptor.h"
#include "trace/base/file_tree.h"
#include "trace/base/read_all.h"
#include "trace/base/try.h"
#include "trace/base/zstd_frame.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ada {

// At most that many small files are mapped: half of the mappings that a process may have.
static constexpr uint32_t kMaxSmallMappings = 32768;
static std::atomic<uint32_t> smallMappings;

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
  uint64_t bytes = 0;
  eachFileBelow(directory, [&](const std::string &below) {
    const std::string path = directory + "/" + below, name = below.substr(below.rfind('/') + 1);
    struct stat info;
    if (name != "ring" && !isKeptFile(name))
      bytes += ::lstat(path.c_str(), &info) == 0 ? bytesOf(path, info) : fileBytes(path).value_or(0);
  });
  return bytes;
}

// Reads a file that can't be mapped: those of some network file systems, and of FUSE with direct_io. Zeros stay holes
// in memory, because the file of a bounded trace may be terabytes of them.
Expected<FileBytes> FileBytes::readUnmapped(int fd, const std::string &path, size_t size) {
  constexpr size_t kPieceBytes = 1 << 20;
  FileBytes file;
  file.holes_ = Holes::of(fd, size);
  const uint64_t needed = size - file.holes_.bytes(), page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)),
                 memory = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page;
  void *place = MAP_FAILED;
  if (needed < memory)
    place = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED)
    return systemError(path,
                       "its file system can't map it, and its " + std::to_string(needed) +
                           " bytes don't fit into memory; copy the trace to another file system",
                       ENOMEM);
  auto *const to = static_cast<std::byte *>(place);
  file.base_ = to, file.size_ = size, file.isMemory_ = true;
  const auto piece = std::make_unique_for_overwrite<std::byte[]>(kPieceBytes);
  for (uint64_t at = 0; (at = file.holes_.skip(at)) < size;) {
    const ssize_t n = readAllAt(fd, piece.get(), std::min<uint64_t>(kPieceBytes, size - at), at);
    if (n < 0)
      return systemError(path, "cannot be read", errno);
    if (n == 0)
      break; // cut short since fstat
    for (size_t done = 0; done < static_cast<size_t>(n); done += page) {
      const std::span part(piece.get() + done, std::min<size_t>(page, static_cast<size_t>(n) - done));
      if (std::ranges::any_of(part, [](std::byte b) { return b != std::byte{0}; }))
        std::ranges::copy(part, to + at + done);
    }
    at += static_cast<uint64_t>(n);
  }
  return file;
}

Expected<FileBytes> FileBytes::open(const std::string &path) { return open(path, false); }
Expected<FileBytes> FileBytes::openToKeep(const std::string &path) { return open(path, true); }

Expected<FileBytes> FileBytes::open(const std::string &path, bool isKept) {
  // O_NONBLOCK: opening a FIFO would wait for a writer.
  int fd = openFairly(path, O_RDONLY | O_NONBLOCK);
  if (fd < 0) {
    const int number = errno;
    if (number == ELOOP)
      return Error{.code = "E_UNSAFE",
                   .message = "is a link, or is reached by one, that another user has made to a file of a third",
                   .file = path};
    if (const auto place = number == ENOTDIR ? archivePlaceOf(path) : std::nullopt)
      return *place ? openMember(**place, path) : Expected<FileBytes>(place->error());
    return systemError(path, "cannot be opened", number);
  }
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

  return ofDescriptor(fd, path, info, isKept && smallMappings < kMaxSmallMappings ? 0 : kReadLimitBytes);
}

Expected<FileBytes> FileBytes::ofDescriptor(int fd, const std::string &path, const struct stat &info,
                                            size_t readLimit) {
  FileBytes file;
  file.size_ = static_cast<size_t>(info.st_size);
  if (file.size_ <= readLimit) {
    file.heap_ = std::make_unique_for_overwrite<std::byte[]>(file.size_);
    const ssize_t n = readAllAt(fd, file.heap_.get(), file.size_, 0);
    if (n < 0)
      return systemError(path, "cannot be read", errno);
    file.base_ = file.heap_.get();
    file.size_ = static_cast<size_t>(n); // less if it was cut short since fstat
    return file;
  }
  // More file systems allow private mappings than shared ones; for reading they are the same.
  void *place = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, fd, 0);
  if (place == MAP_FAILED && errno != ENOMEM)
    return readUnmapped(fd, path, file.size_);
  if (place == MAP_FAILED)
    return systemError(path, "cannot be mapped (" + std::to_string(file.size_) + " bytes)", errno);
  file.base_ = static_cast<const std::byte *>(place);
  file.mapped_ = file.isMemory_ = true;
  smallMappings += file.size_ <= kReadLimitBytes;
  constexpr uint64_t kSystemBlockBytes = 512;
  if (static_cast<uint64_t>(info.st_blocks) * kSystemBlockBytes < file.size_)
    file.holes_ = Holes::of(fd, file.size_);
  return file;
}

static Error damagedMember(const std::string &path, std::string message) {
  return {.code = "E_BAD_ARCHIVE", .message = std::move(message), .file = path};
}

Expected<FileBytes> FileBytes::openMember(const ArchivePlace &place, const std::string &path) {
  const Archive::Member *member = place.in->archive.find(place.name);
  if (!member && !place.in->archive.isDirectory(place.name))
    return systemError(path, "cannot be opened", ENOENT);
  if (!member || member->isDirectory)
    return Error{.code = "E_IO", .message = "is a directory, but a file was expected", .file = path};
  FileBytes file;
  const auto there = place.in->file->bytes().subspan(member->offset, member->bytes);
  if (!member->isCompressed) {
    file.base_ = there.data(), file.size_ = there.size();
    file.mapped_ = place.in->file->mapped_;
    file.holes_ = place.in->file->holes().part(member->offset, member->offset + member->bytes);
    file.archive_ = place.in->file;
    return file;
  }
  if (member->isCut)
    return damagedMember(path, "the archive ends within it, and a compressed file can only be read as a whole");
  const std::span frame(reinterpret_cast<const unsigned char *>(there.data()), there.size());
  if (!zstd::canCompress())
    return damagedMember(path, "it is compressed, and this library was built without zstd");
  const auto size = zstd::uncompressedBytes(frame);
  if (!size || *size > Archive::kMaxUnpackedBytes || *size / Archive::kMaxRatio > frame.size())
    return damagedMember(path, "it is damaged: it is not a zstd frame, or one that says it is impossibly large");
  file.size_ = *size;
  file.heap_ = std::make_unique_for_overwrite<std::byte[]>(file.size_);
  if (!zstd::uncompress(frame, {reinterpret_cast<unsigned char *>(file.heap_.get()), file.size_}))
    return damagedMember(path, "it is damaged: it can't be decompressed");
  file.base_ = file.heap_.get();
  return file;
}

void FileBytes::release(std::span<const std::byte> part) const noexcept {
  if (archive_)
    return archive_->release(part);
  if (!mapped_ || part.empty())
    return;
  // Where a page is used, Linux maps up to 64 KiB around it that are in its cache. Those are released, too: what other
  // bytes need of them is mapped again. Otherwise half of a file would stay that is released in small parts.
  constexpr size_t kMappedTogether = 64 << 10;
  const auto address = reinterpret_cast<uintptr_t>(part.data());
  const auto first = static_cast<size_t>(part.data() - base_), last = first + part.size();
  const size_t before = std::min<size_t>(address % kMappedTogether, first),
               after = (kMappedTogether - (address + part.size()) % kMappedTogether) % kMappedTogether;
  const size_t from = first - before, to = std::min(last + after, size_);
  ::madvise(const_cast<std::byte *>(base_) + from, to - from, MADV_DONTNEED);
}

FileBytes::FileBytes(FileBytes &&other) noexcept { *this = std::move(other); }

FileBytes &FileBytes::operator=(FileBytes &&other) noexcept {
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(heap_, other.heap_);
  std::swap(archive_, other.archive_);
  std::swap(mapped_, other.mapped_);
  std::swap(isMemory_, other.isMemory_);
  std::swap(holes_, other.holes_);
  return *this;
}

FileBytes::~FileBytes() {
  if (!isMemory_)
    return;
  ::munmap(const_cast<std::byte *>(base_), size_);
  smallMappings -= mapped_ && size_ <= kReadLimitBytes;
}

} // namespace ada
