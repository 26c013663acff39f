// Opens what others may have prepared.
#include "fair_links.h"

#include "trace/base/open_how.h"
#include "trace/base/same_file.h"

#include <cerrno>
#include <climits>
#include <cstdint>
#include <fcntl.h>
#include <linux/magic.h>
#include <optional>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace ada {

namespace {

FileDescriptor openPlace(int in, const char *name, int flags = O_NOFOLLOW) {
  return FileDescriptor(::openat(in, name, O_PATH | O_CLOEXEC | flags));
}

bool isDevice(const struct stat &info) { return S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode); }

// /proc/4711/fd/3 and /proc/4711/root lead to a file, not to a path. The links in /proc itself, such as /proc/self, are
// ordinary ones.
bool isMagic(const FileDescriptor &link, const FileDescriptor &in) {
  constexpr ino_t kRootOfProcfs = 1; // PROC_ROOT_INO
  struct statfs about;
  struct stat directory;
  return ::fstatfs(link.get(), &about) == 0 && about.f_type == PROC_SUPER_MAGIC &&
         (::fstat(in.get(), &directory) != 0 || directory.st_ino != kRootOfProcfs);
}

// Opens a path one part at a time, so that a part that is replaced meanwhile is checked as well.
class Walk {
public:
  explicit Walk(const std::string &path)
      : rest_(path), place_(openPlace(AT_FDCWD, path.starts_with('/') ? "/" : ".")) {}

  int open(int flags) {
    while (place_) {
      rest_.erase(0, rest_.find_first_not_of('/'));
      const std::string name = rest_.empty() ? "." : rest_.substr(0, rest_.find('/'));
      const bool isLast = rest_.find_first_not_of('/', name.size()) == std::string::npos;
      FileDescriptor next = openPlace(place_.get(), name.c_str());
      struct stat info;
      if (!next || ::fstat(next.get(), &info) != 0)
        return -1;
      if (S_ISLNK(info.st_mode)) {
        if (!follow(next, info, name))
          return -1;
        if (hasLeft_ && isLast) {
          if (::fstatat(place_.get(), name.c_str(), &info, 0) == 0 && isDevice(info))
            flags = O_PATH;
          return checked(FileDescriptor(::openat(place_.get(), name.c_str(), flags | O_CLOEXEC)), nullptr);
        }
        if (hasLeft_)
          place_ = openPlace(place_.get(), name.c_str(), 0);
        continue;
      }
      if (isLast && isDevice(info))
        return checked(std::move(next), &info);
      if (isLast)
        return checked(FileDescriptor(::openat(place_.get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC)), &info);
      rest_.erase(0, name.size());
      place_ = std::move(next);
    }
    return -1;
  }

private:
  bool follow(const FileDescriptor &link, const struct stat &info, const std::string &name) {
    const bool leaves = isMagic(link, place_);
    // Links of a container's root are not links of our root.
    if (++links_ > kMaxLinks || hasLeft_ || (maker_ && *maker_ != info.st_uid)) {
      errno = ELOOP;
      return false;
    }
    if (!leaves && info.st_uid != 0 && info.st_uid != ::geteuid())
      maker_ = info.st_uid;
    rest_.erase(0, name.size());
    if (leaves) {
      hasLeft_ = true;
      return true;
    }
    const std::string target = targetOf(link);
    if (target.empty())
      return false;
    rest_ = target + "/" + rest_;
    if (target.starts_with('/'))
      place_ = openPlace(AT_FDCWD, "/");
    return true;
  }
  // `seen`: what was there before it was opened. None of a file that a link of /proc leads to.
  int checked(FileDescriptor file, const struct stat *seen) const {
    struct stat info;
    if (!file || ::fstat(file.get(), &info) != 0)
      return -1;
    const bool isSame = !seen || isSameFile(info, *seen);
    if (maker_ && (!isSame || info.st_uid != *maker_)) {
      errno = ELOOP;
      return -1;
    }
    return file.release();
  }

  std::string rest_;
  FileDescriptor place_;
  std::optional<uid_t> maker_; // of the links that neither root nor this user made
  bool hasLeft_ = false;       // through a link of /proc
  unsigned links_ = 0;
};

} // namespace

std::string targetOf(const FileDescriptor &link) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size());
  target.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return target;
}

int openFairly(const std::string &path, int flags) {
  // A device that is reached without links has this path, which no other user can give to something else.
  if (struct stat info; ::lstat(path.c_str(), &info) == 0 && isDevice(info))
    flags = O_PATH;
  const int fd = openat2(path.c_str(), flags | O_CLOEXEC, 0, kNoMagicLinks | kNoSymlinks);
  return fd >= 0 || (errno != ELOOP && errno != ENOSYS && errno != EPERM) ? fd : Walk(path).open(flags);
}

int openOrdinary(const std::string &path, int flags, int directory) {
  const FileDescriptor place(::openat(directory, path.c_str(), O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW)));
  struct stat info;
  if (!place || ::fstat(place.get(), &info) != 0)
    return -1;
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
    errno = S_ISLNK(info.st_mode) ? ELOOP : EINVAL;
    return -1;
  }
  const std::string itself = "/proc/self/fd/" + std::to_string(place.get());
  const int fd = ::open(itself.c_str(), (flags & ~O_NOFOLLOW) | O_CLOEXEC);
  return fd >= 0 || errno != ENOENT ? fd
                                    : ::openat(directory, path.c_str(), flags | O_NONBLOCK | O_CLOEXEC); // no /proc
}

} // namespace ada
