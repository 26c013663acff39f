// Acts for another user.
#include "user_rights.h"

#include "trace/base/fair_links.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ada::cli {

UserRights::UserRights(const control::ProcessFacts &process)
    : user_(::geteuid()), group_(::getegid()), groups_(static_cast<size_t>(std::max(::getgroups(0, nullptr), 0))) {
  if (::getgroups(static_cast<int>(groups_.size()), groups_.data()) < 0 ||
      ::setgroups(process.groups.size(), process.groups.data()) != 0)
    return;
  isTaken_ = ::setegid(process.group) == 0 && ::seteuid(process.owner) == 0;
  if (const int number = errno; !isTaken_) {
    giveBack();
    errno = number;
  }
}

UserRights::~UserRights() {
  if (isTaken_)
    giveBack();
}

// The program must not go on without its own rights.
void UserRights::giveBack() {
  if (::seteuid(user_) != 0 || ::setegid(group_) != 0 || ::setgroups(groups_.size(), groups_.data()) != 0)
    std::abort();
}

namespace {

// Only root can change what is in it. In a directory with the sticky bit, others can't change what root has made.
bool isSafe(const struct stat &directory) {
  return S_ISDIR(directory.st_mode) && directory.st_uid == 0 &&
         ((directory.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (directory.st_mode & S_ISVTX) != 0);
}

// The target of a link that root has made; empty if it is anything else.
std::string rootsLink(int in, const std::string &name) {
  struct stat info;
  const FileDescriptor link(::openat(in, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!link || ::fstat(link.get(), &info) != 0 || !S_ISLNK(info.st_mode) || info.st_uid != 0)
    return {};
  return targetOf(link);
}

FileDescriptor openRoot() { return FileDescriptor(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

} // namespace

int makeForUser(const std::string &path, const control::ProcessFacts &process) {
  FileDescriptor directory = openRoot();
  bool isNew = false;
  unsigned links = 0;
  for (std::string rest = path;;) {
    rest.erase(0, rest.find_first_not_of('/'));
    if (rest.empty())
      break;
    const std::string name = rest.substr(0, rest.find('/'));
    rest.erase(0, name.size());
    struct stat info;
    if (!directory || ::fstat(directory.get(), &info) != 0)
      return errno;
    if (!isSafe(info))
      return EACCES;
    isNew = ::mkdirat(directory.get(), name.c_str(), 0700) == 0;
    if (!isNew && errno != EEXIST)
      return errno;
    FileDescriptor next(::openat(directory.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (const std::string target = next ? "" : rootsLink(directory.get(), name); !target.empty()) {
      if (++links > kMaxLinks)
        return ELOOP;
      rest = target + "/" + rest;
      if (target.starts_with('/'))
        directory = openRoot();
      continue;
    }
    if (!next)
      return EACCES;
    if (isNew && ::fchmod(next.get(), 0711) != 0) // for the user's way through it, whatever the umask is
      return errno;
    directory = std::move(next);
  }
  if (!isNew)
    return EEXIST;
  // It is empty, and was reached through directories of root alone.
  return ::fchmod(directory.get(), 0700) == 0 && ::fchown(directory.get(), process.owner, process.group) == 0 ? 0
                                                                                                              : errno;
}

} // namespace ada::cli
