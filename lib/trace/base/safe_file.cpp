// Opens and removes files in places that another user may have prepared.
#include "safe_file.h"

#include "file_bytes.h"
#include "holes.h"
#include "open_how.h"
#include "read_all.h"
#include "sparse_copy.h"
#include "trace/base/fair_links.h"
#include "trace/base/same_file.h"
#include "trace/base/try.h"
#include "write_all.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

namespace ada {

namespace {

constexpr char kOwn[] = ".own"; // what makeOwnFile() and makeOwnDirectory() add to the names of copies

// Part by part, for kernels before 5.6 and sandboxes that refuse openat2.
int openPartByPart(std::string_view path, int flags, mode_t mode) {
  FileDescriptor directory(::open(path.starts_with('/') ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (directory) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    const std::string part(path.substr(0, path.find('/')));
    path.remove_prefix(part.size());
    const bool isLast = path.find_first_not_of('/') == std::string_view::npos;
    if (isLast)
      return ::openat(directory.get(), part.empty() ? "." : part.c_str(), flags | O_NOFOLLOW, mode);
    // Not O_DIRECTORY: then a link would be ENOTDIR like anything else that is not a directory.
    FileDescriptor next(::openat(directory.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info;
    if (next && ::fstat(next.get(), &info) == 0 && S_ISLNK(info.st_mode)) {
      errno = ELOOP;
      return -1;
    }
    directory = std::move(next);
  }
  return -1;
}

Error linkError(const std::string &path) {
  return {
      .code = "E_UNSAFE",
      .message =
          "is a symbolic link, or is reached through one, which may lead to someone else's file; it was left unchanged",
      .file = path};
}

Error notRegular(const std::string &path) {
  return {.code = "E_UNSAFE", .message = "is not a regular file", .file = path};
}

// For files that root makes in a directory of another user.
void giveToOwnerOf(const FileDescriptor &directory, int made) {
  struct stat info;
  if (::geteuid() == 0 && ::fstat(directory.get(), &info) == 0 && info.st_uid != 0)
    (void)!::fchown(made, info.st_uid, info.st_gid);
}

struct Place {
  FileDescriptor directory;
  std::string name;
};

// The open directory that `path` lies in, and its name there.
Expected<Place> placeOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  auto directory = ADA_TRY(openWithoutLinks(parent, O_PATH | O_DIRECTORY));
  return Place{std::move(directory), slash == std::string::npos ? path : path.substr(slash + 1)};
}

} // namespace

Expected<std::string> canonicalPath(const std::string &path) {
  char resolved[PATH_MAX];
  if (!::realpath(path.c_str(), resolved))
    return systemError(path, "cannot be opened", errno);
  return std::string(resolved);
}

Expected<FileDescriptor> openWithoutLinks(const std::string &path, int flags, mode_t mode) {
  flags |= O_CLOEXEC;
  const bool isPath = (flags & O_PATH) != 0;
  if (!isPath)
    flags |= O_NONBLOCK;
  int fd = openat2(path.c_str(), flags, mode, kNoMagicLinks | kNoSymlinks);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    fd = openPartByPart(path, flags, mode);
  if (fd < 0)
    return errno == ELOOP ? linkError(path) : systemError(path, "cannot be opened", errno);
  return FileDescriptor(fd);
}

Expected<std::string> readWithoutLinks(const std::string &path, uint64_t most, struct stat *about) {
  const auto file = ADA_TRY(openWithoutLinks(path, O_RDONLY));
  struct stat info;
  if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return notRegular(path);
  // No writer of such files leaves holes, and a damaged one may seem to have terabytes after one.
  const auto whole = static_cast<uint64_t>(info.st_size);
  std::string bytes(Holes::of(file.get(), whole).lengthBefore(std::min(whole, most)), '\0');
  const ssize_t size = readAllAt(file.get(), bytes.data(), bytes.size(), 0);
  if (size < 0)
    return systemError(path, "cannot be read", errno);
  bytes.resize(static_cast<size_t>(size)); // less if it was cut short meanwhile
  if (about)
    *about = info;
  return bytes;
}

Expected<FileDescriptor> openForWriting(const std::string &path, int flags, mode_t mode) {
  const auto place = ADA_TRY(placeOf(path));
  FileDescriptor file(
      ::openat(place.directory.get(), place.name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode));
  if (!file)
    return errno == ELOOP ? linkError(path) : systemError(path, "cannot be opened for writing", errno);
  struct stat info;
  if (::fstat(file.get(), &info) != 0)
    return systemError(path, "cannot be examined", errno);
  if (!S_ISREG(info.st_mode))
    return notRegular(path);
  if (info.st_nlink > 1)
    return Error{.code = "E_UNSAFE",
                 .message =
                     "has more than one hard link, so it may be someone else's file; copy the session to recover it",
                 .file = path};
  if (flags & O_CREAT)
    giveToOwnerOf(place.directory, file.get());
  return file;
}

Expected<void> removeFile(const std::string &path, const struct stat *only) {
  const auto place = ADA_TRY(placeOf(path));
  struct stat now;
  if (only &&
      (::fstatat(place.directory.get(), place.name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0 || !isSameFile(now, *only)))
    return {}; // gone, or another file
  if (::unlinkat(place.directory.get(), place.name.c_str(), 0) != 0 && errno != ENOENT)
    return systemError(path, "cannot be removed", errno);
  return {};
}

namespace {

// A file that has `path` as another name must belong to the owner of the directory that `path` lies in:
// others must not see its bytes.
Expected<void> checkOwner(const Place &place, int other, const char *problem, const std::string &path) {
  struct stat info, owner;
  if (::fstat(other, &info) != 0 || ::fstat(place.directory.get(), &owner) != 0)
    return systemError(path, "cannot be examined", errno);
  if (info.st_uid != owner.st_uid)
    return Error{.code = "E_UNSAFE", .message = problem, .file = path};
  return {};
}

Error busy(const std::string &path) {
  return {.code = "E_BUSY", .message = "another program is replacing it", .file = path};
}

// Whether another program has locked a file or directory that it is making. File systems without locks show nobody.
bool isLockedByOther(int file) { return ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

// Makes a new version of a file under another name, and locks it for as long as it is open. One without a lock was left
// by a program that was killed, and is removed.
Expected<FileDescriptor> makeNew(const FileDescriptor &directory, const std::string &name, const std::string &path) {
  const FileDescriptor old(::openat(directory.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (old && isLockedByOther(old.get()))
    return busy(path);
  ::unlinkat(directory.get(), name.c_str(), 0);
  FileDescriptor file(
      ::openat(directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  struct stat info;
  if (!file)
    return errno == EEXIST ? busy(path) : systemError(path, "cannot be written: no new file can be created", errno);
  if (isLockedByOther(file.get()) || ::fstat(file.get(), &info) != 0 || info.st_nlink == 0)
    return busy(path); // which has removed it before it was locked
  giveToOwnerOf(directory, file.get());
  return file;
}

// Calls use(name) for each regular file in a directory, until one returns an error.
template <class Use> Expected<void> eachFile(int directory, const std::string &path, Use &&use) {
  const int own = ::dup(directory);
  const std::unique_ptr<DIR, int (*)(DIR *)> entries(own < 0 ? nullptr : ::fdopendir(own), ::closedir);
  if (!entries)
    return systemError(path, "cannot be listed", errno);
  while (const dirent *entry = ::readdir(entries.get())) {
    struct stat info;
    if (::fstatat(directory, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode))
      continue;
    ADA_TRY(use(entry->d_name));
  }
  return {};
}

} // namespace

Expected<void> makeOwnFile(const std::string &path) {
  const auto place = ADA_TRY(placeOf(path));
  const int directory = place.directory.get();
  const char *name = place.name.c_str();
  struct stat info;
  if (::fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
    return errno == ENOENT ? Expected<void>() : systemError(path, "cannot be examined", errno);
  if (S_ISREG(info.st_mode) && info.st_nlink == 1)
    return {};
  if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
    return notRegular(path);
  const FileDescriptor from(openOrdinary(name, O_RDONLY, directory));
  if (!from && errno == EINVAL)
    return notRegular(path);
  if (!from)
    return systemError(path, "is a link that cannot be followed", errno);
  if (::fstat(from.get(), &info) != 0)
    return systemError(path, "cannot be examined", errno);
  if (!S_ISREG(info.st_mode))
    return notRegular(path);
  ADA_TRY(
      checkOwner(place, from.get(), "is a hard link to a file whose owner is not the owner of the directory", path));
  const std::string temporary = place.name + kOwn;
  const auto copy = ADA_TRY(makeNew(place.directory, temporary, path));
  auto done = copySparse(from.get(), copy.get(), path);
  if (done && ::renameat(directory, temporary.c_str(), directory, name) != 0)
    done = systemError(path, "cannot be replaced by a copy", errno);
  if (!done)
    ::unlinkat(directory, temporary.c_str(), 0);
  return done;
}

Expected<void> makeOwnDirectory(const std::string &path) {
  const auto place = ADA_TRY(placeOf(path));
  const int directory = place.directory.get();
  const char *name = place.name.c_str();
  struct stat info;
  if (::fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(info.st_mode))
    return {};
  const FileDescriptor from(::openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!from)
    return linkError(path);
  ADA_TRY(checkOwner(place, from.get(),
                     "is a link to a directory whose owner is not the owner of the directory it is in", path));
  const std::string temporary = place.name + kOwn;
  const bool isNew = ::mkdirat(directory, temporary.c_str(), 0700) == 0;
  const FileDescriptor to(::openat(directory, temporary.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!to) {
    const int number = errno;
    if (isNew)
      ::unlinkat(directory, temporary.c_str(), AT_REMOVEDIR);
    return systemError(path, "cannot be copied", number);
  }
  if (isLockedByOther(to.get()))
    return busy(path);
  if (isNew)
    giveToOwnerOf(place.directory, to.get());
  std::vector<std::string> made; // to be removed without another descriptor
  auto done = eachFile(from.get(), path, [&](const char *file) -> Expected<void> {
    const FileDescriptor source(::openat(from.get(), file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!source)
      return systemError(path, "cannot be copied", errno);
    made.emplace_back(file);
    const auto copy = ADA_TRY(makeNew(to, file, path));
    return copySparse(source.get(), copy.get(), path);
  });
  // At one moment the link is there, at the next the copy.
  if (done && ::renameat2(directory, temporary.c_str(), directory, name, RENAME_EXCHANGE) != 0)
    done = systemError(path, "cannot be replaced by a copy", errno);
  if (done) {
    ::unlinkat(directory, temporary.c_str(), 0);
    return done;
  }
  for (const std::string &file : made)
    ::unlinkat(to.get(), file.c_str(), 0);
  ::unlinkat(directory, temporary.c_str(), AT_REMOVEDIR);
  return done;
}

void removeEmptyDirectory(const std::string &path) {
  if (const auto place = placeOf(path))
    ::unlinkat(place->directory.get(), place->name.c_str(), AT_REMOVEDIR);
}

Expected<void> makeDirectory(const std::string &path) {
  const auto place = ADA_TRY(placeOf(path));
  if (::mkdirat(place.directory.get(), place.name.c_str(), 0700) != 0)
    return errno == EEXIST ? Expected<void>() : systemError(path, "the directory can't be created", errno);
  if (const auto made = openWithoutLinks(path, O_RDONLY | O_DIRECTORY))
    giveToOwnerOf(place.directory, made->get());
  return {};
}

Expected<void> replaceFile(const std::string &path, const std::string &bytes) {
  const auto place = ADA_TRY(placeOf(path));
  const std::string temporary = place.name + ".new";
  const int directory = place.directory.get();
  const auto file = ADA_TRY(makeNew(place.directory, temporary, path));
  if (writeAll(file.get(), bytes.data(), bytes.size()) &&
      ::renameat(directory, temporary.c_str(), directory, place.name.c_str()) == 0)
    return {};
  const int number = errno;
  ::unlinkat(directory, temporary.c_str(), 0);
  return systemError(path, "cannot be written", number);
}

} // namespace ada
