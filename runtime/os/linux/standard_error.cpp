// Compares descriptor 2 with the one at the start, and keeps files of ours off the numbers 0 to 2.
#include "standard_error.h"
#include "core/base/os.h"
#include "core/record/thread.h"

#include <sys/stat.h>

namespace ada::runtime {
namespace {

struct OpenFile {
  uint64_t device, inode;
  uint32_t type; // S_IFMT; 0: not open

  bool isSame(const OpenFile &other) const {
    return type != 0 && type == other.type && device == other.device && inode == other.inode;
  }
};

OpenFile openFile(int fd) {
  struct stat s = {};
  const bool isOpen = sys::call(SYS_newfstatat, fd, "", &s, AT_EMPTY_PATH) == 0;
  return isOpen ? OpenFile{s.st_dev, s.st_ino, s.st_mode & S_IFMT} : OpenFile{};
}

OpenFile errorAtStart; // that of standard error

bool looksGiven(const OpenFile &f) {
  const long flags = sys::call(SYS_fcntl, 2L, F_GETFL), mode = flags & O_ACCMODE;
  if (flags < 0 || (flags & O_PATH) || mode == O_RDONLY || (sys::call(SYS_fcntl, 2L, F_GETFD) & FD_CLOEXEC))
    return false;
  switch (f.type) {
  case S_IFCHR:
  case S_IFIFO:
    return true;
  case S_IFREG:
    return mode == O_WRONLY;
  default:
    return f.isSame(openFile(1));
  }
}

} // namespace

void noteStandardError(bool isLate) {
  const OpenFile now = openFile(2);
  if (!isLate || looksGiven(now))
    errorAtStart = now;
}

bool isStandardErrorOpen() { return errorAtStart.type != 0 && openFile(2).isSame(errorAtStart); }

bool isStandardErrorTerminal() {
  char termios[256]; // a terminal answers TCGETS
  return errorAtStart.type == S_IFCHR && isStandardErrorOpen() && sys::call(SYS_ioctl, 2L, 0x5401L, termios) == 0;
}

bool areStandardFilesOpen() {
  for (int fd = 0; fd <= 2; ++fd)
    if (openFile(fd).type == 0)
      return false;
  return true;
}

int sys::aboveStandardFiles(int fd) {
  if (ada_thread.hasOwnFiles)
    return fd;
  const long other = sys::call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3L);
  sys::close(fd);
  return static_cast<int>(other);
}

} // namespace ada::runtime
