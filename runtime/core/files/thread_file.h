// A file of a thread, accessed by raw system calls: created when first needed.
//
// Owned by the drain thread. The descriptor may be closed at any time; the next use opens the file again.
#pragma once

#include "core/base/os.h"
#include "core/base/text.h"
#include "shared/encode/thread_files.h"
#include "write_behind.h"

namespace ada::runtime {

class ThreadFile {
public:
  // thread_`index``name` in the process's `directory`; both texts must outlive this object. `name`: one of
  // thread_files. Creates nothing yet.
  void begin(const char *directory, uint32_t index, const char *name) {
    *this = ThreadFile();
    directory_ = directory, index_ = index, name_ = name;
  }

  // Returns 0 or a negative errno. `writeHeader()` begins the file if it is new; without a header there is no file.
  template <class WriteHeader> int open(WriteHeader &&writeHeader) {
    if (fd_ >= 0)
      return 0;
    if (!made_ && hasDirectory()) {
      int error = sys::makeDirectory(thread().c_str()); // the thread's other file may have created it
      if (error < 0 && error != -EEXIST)
        return error;
    }
    fd_ = sys::open(path().c_str(), made_ ? O_RDWR | O_NOFOLLOW : O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
    if (made_)
      return fd_ < 0 ? fd_ : 0;
    int error = fd_ < 0 ? fd_ : writeHeader();
    made_ = true;
    if (error < 0)
      remove();
    return error;
  }
  // Removes the file, and the thread's directory if that has no other file.
  void remove() {
    close();
    sys::unlink(path().c_str());
    if (hasDirectory())
      sys::call(SYS_unlinkat, AT_FDCWD, thread().c_str(), AT_REMOVEDIR);
    made_ = false;
  }
  // Renames it to another of the thread's files, which it replaces. Returns 0 or a negative errno.
  int rename(const char *name) { return sys::rename(path().c_str(), (thread() << name).c_str()); }
  // Notes that the file exists.
  void setMade() { made_ = true; }
  // Opens a file that exists.
  int openMade() {
    setMade();
    return open([] { return 0; });
  }
  void close() {
    if (fd_ >= 0)
      sys::close(fd_);
    fd_ = -1;
  }

  // For these the file must be open. They return 0 or a negative errno; after a failed write part of the data may be in
  // the file.
  int write(const void *from, size_t n, uint64_t at) {
    const int error = sys::writeAll(fd_, from, n, at);
    if (error == 0)
      behind_.wrote(fd_, at + n);
    return error;
  }
  // -EIO if the file ends before that.
  int read(void *to, size_t n, uint64_t at) { return sys::readAll(fd_, to, n, at); }
  // In bytes, or a negative errno.
  int64_t size() { return sys::call(SYS_lseek, fd_, 0, SEEK_END); }
  int makeHole(uint64_t at, uint64_t n) { return sys::makeHole(fd_, at, n); }
  int truncate(uint64_t size) { return fd_ < 0 ? fd_ : sys::truncate(fd_, size); }

  bool isOpen() const { return fd_ >= 0; }
  bool exists() const { return made_; }
  uint32_t index() const { return index_; }

private:
  bool hasDirectory() const { return name_[0] == '/'; }
  Path thread() const { return Path(directory_) << "/thread_" << index_; }
  Path path() const { return thread() << name_; }

  const char *directory_ = nullptr, *name_ = nullptr;
  uint32_t index_ = 0;
  int fd_ = -1;
  bool made_ = false;
  WriteBehind behind_;
};

} // namespace ada::runtime
