// Makes directories for unfinished outputs, and removes those that killed programs have left.
#include "trace/base/temporary_directory.h"

#include "shared/fnv.h"
#include "trace/base/file_bytes.h"
#include "trace/base/format.h"
#include "trace/base/same_file.h"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <vector>

namespace ada {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = ".adatrace-";
constexpr char kLock[] = "lock", kReplaced[] = "replaced";
constexpr size_t kHalfDigits = 8; // a random number, and as many digits of its check

std::string checkOf(std::string_view name) {
  return fmt::format("{:08x}", static_cast<uint32_t>(fnv1a(name.data(), name.size())));
}

// Locks the file in the directory. 0, or why not: EWOULDBLOCK if a program has it, ENOENT if it was removed meanwhile.
int takeLock(int directory, int flags, FileDescriptor &lock) {
  lock = FileDescriptor(::openat(directory, kLock, flags | O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  struct stat info;
  if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 || ::fstat(lock.get(), &info) != 0)
    return errno;
  return !S_ISREG(info.st_mode) ? EINVAL : info.st_nlink == 0 ? ENOENT : 0;
}

// Removes what is in an open directory, but no file `lock` directly in it. No link is followed, and no path is used,
// which could lead elsewhere meanwhile.
void removeContents(int directory, bool keepsLock) {
  const int again = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *const names = again < 0 ? nullptr : ::fdopendir(again);
  if (!names && again >= 0)
    ::close(again);
  while (const dirent *entry = names ? ::readdir(names) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == ".." || (keepsLock && name == kLock) || ::unlinkat(directory, entry->d_name, 0) == 0)
      continue;
    if (const FileDescriptor inner(::openat(directory, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        inner)
      removeContents(inner.get(), false);
    ::unlinkat(directory, entry->d_name, AT_REMOVEDIR);
  }
  if (names)
    ::closedir(names);
}

// Removes an open directory that is at `path`. The lock goes last: what is left when this is interrupted still has it,
// or is empty.
void removeAll(int directory, const std::string &path) {
  removeContents(directory, true);
  ::unlinkat(directory, kLock, 0);
  ::rmdir(path.c_str());
}

// Whether the lock is the file in that directory.
bool isLockOf(int directory, const FileDescriptor &lock) {
  struct stat file, own;
  return ::fstatat(directory, kLock, &file, AT_SYMLINK_NOFOLLOW) == 0 && ::fstat(lock.get(), &own) == 0 &&
         isSameFile(file, own);
}

// File systems on which a lock that nobody on this machine holds is free.
bool isLocal(int file) {
  struct statfs info;
  constexpr unsigned kExt = 0xef53, kXfs = 0x58465342, kBtrfs = 0x9123683e, kTmpfs = 0x01021994, kOverlay = 0x794c7630,
                     kF2fs = 0xf2f52010, kZfs = 0x2fc12fc1, kBcachefs = 0xca451a4e, kRamfs = 0x858458f6;
  constexpr unsigned kKnown[] = {kExt, kXfs, kBtrfs, kTmpfs, kOverlay, kF2fs, kZfs, kBcachefs, kRamfs};
  return ::fstatfs(file, &info) == 0 &&
         std::ranges::find(kKnown, static_cast<unsigned>(info.f_type)) != std::end(kKnown);
}

void removeIfAbandoned(const std::string &path) {
  const FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info;
  if (!directory || ::fstat(directory.get(), &info) != 0 || info.st_uid != ::geteuid())
    return;
  FileDescriptor lock;
  const int problem = takeLock(directory.get(), 0, lock);
  if (problem == ENOENT) // killed before it made the lock; a program that is about to will make another directory
    ::rmdir(path.c_str());
  else if (problem == 0 && ::faccessat(directory.get(), kReplaced, F_OK, AT_SYMLINK_NOFOLLOW) != 0 &&
           TemporaryDirectory::isAbandoned(isLocal(directory.get()), lastChange(path), ::time(nullptr)))
    removeAll(directory.get(), path);
}

} // namespace

time_t lastChange(const std::string &path) {
  time_t last = 0;
  const auto take = [&](const fs::path &file) {
    if (struct stat info; ::lstat(file.c_str(), &info) == 0)
      last = std::max({last, info.st_mtim.tv_sec, info.st_ctim.tv_sec});
  };
  take(path);
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(path, ignored), end; !ignored && at != end; at.increment(ignored))
    take(at->path());
  return last;
}

std::string TemporaryDirectory::replaced() const { return path_ + "/" + kReplaced; }

bool TemporaryDirectory::isAbandoned(bool isLocal, time_t changed, time_t now) {
  constexpr time_t kDay = 24 * 60 * 60;
  return isLocal || now - changed > kDay;
}

bool TemporaryDirectory::isName(std::string_view name) {
  const size_t bare = name.size() - std::min(kHalfDigits, name.size());
  return name.starts_with('.') && bare >= kMark.size() + kHalfDigits &&
         name.substr(bare - kHalfDigits - kMark.size(), kMark.size()) == kMark &&
         name.substr(bare) == checkOf(name.substr(0, bare));
}

void TemporaryDirectory::removeAbandoned(const std::string &parent) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (fs::directory_iterator at(parent, ignored), end; !ignored && at != end; at.increment(ignored))
    if (isName(at->path().filename().string()))
      found.push_back(at->path().string());
  std::ranges::for_each(found, removeIfAbandoned);
}

Expected<TemporaryDirectory> TemporaryDirectory::make(const std::string &parent, const std::string &name) {
  constexpr size_t kMaxName = 200; // a name may have 255 bytes
  constexpr int kMaxAttempts = 100;
  removeAbandoned(parent);
  std::random_device random;
  int problem = 0;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    std::string made = fmt::format(".{}{}{:08x}", name.substr(0, kMaxName), kMark, random());
    made += checkOf(made);
    const std::string path = parent + "/" + made;
    if (::mkdir(path.c_str(), 0700) != 0) {
      problem = errno;
      if (problem == EEXIST)
        continue;
      break;
    }
    TemporaryDirectory directory;
    directory.path_ = path;
    const FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    problem = opened ? takeLock(opened.get(), O_CREAT | O_EXCL, directory.lock_) : errno;
    // A file system without locks has to do: nothing is removed there.
    if (problem == 0 || (directory.lock_ && problem != EWOULDBLOCK && problem != ENOENT))
      return directory;
    if (problem != EWOULDBLOCK && problem != ENOENT)
      break;
    directory.path_.clear(); // another program took it for an abandoned one, and removes it
  }
  return systemError(parent, "can't create a directory in it", problem);
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory &&other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

TemporaryDirectory &TemporaryDirectory::operator=(TemporaryDirectory &&other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

void TemporaryDirectory::remove() {
  if (path_.empty())
    return;
  const std::string path = std::exchange(path_, {});
  // Others may own the directory that it is in, and have put something else there.
  const FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (directory && isLockOf(directory.get(), lock_))
    removeAll(directory.get(), path);
}

} // namespace ada
