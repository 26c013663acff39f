// Typed wrappers for the system calls that the runtime makes. All return a negative errno on failure.
#pragma once

#include "boot_offset.h"
#include "kernel_clock.h"
#include "syscall.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18 // Linux 4.14
#endif

namespace ada::runtime::sys {

// An argument of a system call.
inline long word(long number) { return number; }
inline long word(const volatile void *address) { return reinterpret_cast<long>(address); }

template <class... Args> inline long call(long number, Args... args) {
  long a[6] = {word(args)...};
  return arch::syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

inline void close(int fd) { call(SYS_close, fd); }

// Gives a descriptor that was just opened another number than 0, 1 or 2 if it is in the program's table: a program that
// has closed these takes whatever has the numbers for its standard files. Returns a negative errno if it can't.
int aboveStandardFiles(int fd);

// Files hold data from the program's stack, so only its user may access them.
inline int open(const char *path, int flags, int mode = 0600) {
  const int fd = static_cast<int>(call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
  return __builtin_expect(fd >= 0 && fd <= 2, 0) ? aboveStandardFiles(fd) : fd;
}
inline long read(int fd, void *to, size_t n) { return call(SYS_read, fd, to, n); }
// Beyond the file size limit (ulimit -f) the system not only refuses but also sends SIGXFSZ, which would kill the
// program once signals are unblocked. The refusal is enough for us.
inline long withoutFileSizeSignal(long result) {
  if (result == -EFBIG) {
    uint64_t set = 1ull << (SIGXFSZ - 1);
    timespec now = {0, 0};
    call(SYS_rt_sigtimedwait, &set, nullptr, &now, 8);
  }
  return result;
}
inline long write(int fd, const void *from, size_t n) { return withoutFileSizeSignal(call(SYS_write, fd, from, n)); }
inline long pwrite(int fd, const void *from, size_t n, uint64_t at) {
  return withoutFileSizeSignal(call(SYS_pwrite64, fd, from, n, at));
}
// Moves `n` bytes: move(done) moves as many as it can of those after the first `done`. Returns 0 or a negative errno;
// `ended` if the end comes earlier. After a failure some bytes may have been moved.
template <class Move> int moveAll(size_t n, int ended, Move &&move) {
  for (size_t done = 0; done < n;) {
    long r = move(done);
    if (r == -EINTR)
      continue;
    if (r <= 0)
      return r < 0 ? static_cast<int>(r) : ended;
    done += static_cast<size_t>(r);
  }
  return 0;
}
inline int writeAll(int fd, const void *from, size_t n, uint64_t at) {
  return moveAll(n, -ENOSPC,
                 [&](size_t done) { return pwrite(fd, static_cast<const char *>(from) + done, n - done, at + done); });
}
// Returns -EIO if the file ends before that.
inline int readAll(int fd, void *to, size_t n, uint64_t at) {
  return moveAll(
      n, -EIO, [&](size_t done) { return call(SYS_pread64, fd, static_cast<char *>(to) + done, n - done, at + done); });
}
inline int makeDirectory(const char *path) { return static_cast<int>(call(SYS_mkdirat, AT_FDCWD, path, 0700)); }
inline int rename(const char *from, const char *to) {
  return static_cast<int>(call(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
inline int unlink(const char *path) { return static_cast<int>(call(SYS_unlinkat, AT_FDCWD, path, 0)); }
inline int truncate(int fd, uint64_t size) {
  return static_cast<int>(withoutFileSizeSignal(call(SYS_ftruncate, fd, size)));
}
// Frees the memory of part of a file, which then reads as zeros.
inline int makeHole(int fd, uint64_t from, uint64_t bytes) {
  return static_cast<int>(call(SYS_fallocate, fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, bytes));
}
// Starts writing that range to disk, if there is a disk, without waiting for it.
inline void beginWriting(int fd, uint64_t from, uint64_t bytes) {
  call(SYS_sync_file_range, fd, from, bytes, SYNC_FILE_RANGE_WRITE);
}
// What is already on disk need not stay in memory.
inline void forget(int fd, uint64_t from, uint64_t bytes) { call(SYS_fadvise64, fd, from, bytes, POSIX_FADV_DONTNEED); }
inline int allocate(int fd, uint64_t from, uint64_t bytes) {
  return static_cast<int>(withoutFileSizeSignal(call(SYS_fallocate, fd, 0, from, bytes)));
}
// At most `n` bytes of a file of /proc, which may come in pieces. Returns their number, 0 if it can't be read.
inline size_t readFile(const char *path, char *to, size_t n) {
  const int fd = open(path, O_RDONLY);
  if (fd < 0)
    return 0;
  size_t used = 0;
  for (long r; used < n && (r = read(fd, to + used, n - used)) > 0;)
    used += static_cast<size_t>(r);
  close(fd);
  return used;
}
inline long readLink(const char *path, char *to, size_t n) { return call(SYS_readlinkat, AT_FDCWD, path, to, n); }
inline long currentDirectory(char *to, size_t n) { return call(SYS_getcwd, to, n); }

// Null on failure.
inline void *map(void *at, size_t bytes, int protection, int flags, int fd = -1, uint64_t offset = 0) {
  long r = call(SYS_mmap, at, bytes, protection, flags, fd, offset);
  return r < 0 && r > -4096 ? nullptr : reinterpret_cast<void *>(r);
}
inline void *mapMemory(size_t bytes) {
  return map(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
}
inline void unmap(void *at, size_t bytes) { call(SYS_munmap, at, bytes); }

// Whether the 8 bytes at an address can be read. rt_sigprocmask copies its set before it checks which operation is
// requested, and ~0 is not one: EINVAL. Allowed in every sandbox and known to emulators, unlike process_vm_readv.
inline bool isReadable(uint64_t address) { return call(SYS_rt_sigprocmask, ~0L, address, nullptr, 8L) == -EINVAL; }

// The number of processors that this process may run on; 0 if the system doesn't say.
inline uint32_t usableProcessors() {
  uint64_t mask[128];
  const long bytes = call(SYS_sched_getaffinity, 0, sizeof mask, mask);
  uint32_t count = 0;
  for (long i = 0; i < bytes / 8; ++i)
    count += static_cast<uint32_t>(__builtin_popcountll(mask[i]));
  return count;
}

inline uint32_t processId() { return static_cast<uint32_t>(call(SYS_getpid)); }
inline uint32_t parentId() { return static_cast<uint32_t>(call(SYS_getppid)); }
inline uint32_t threadId() { return static_cast<uint32_t>(call(SYS_gettid)); }

inline void futexWait(uint32_t *word, uint32_t expected, uint64_t timeoutNs) {
  timespec t = {static_cast<time_t>(timeoutNs / 1000000000), static_cast<long>(timeoutNs % 1000000000)};
  call(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeoutNs == UINT64_MAX ? nullptr : &t);
}
// The same for words in a file that other processes map as well.
inline void sharedFutexWait(uint32_t *word, uint32_t expected, uint64_t timeoutNs) {
  timespec t = {static_cast<time_t>(timeoutNs / 1000000000), static_cast<long>(timeoutNs % 1000000000)};
  call(SYS_futex, word, FUTEX_WAIT, expected, &t);
}
inline void sharedFutexWake(uint32_t *word, int count) { call(SYS_futex, word, FUTEX_WAKE, count); }
inline void futexWake(uint32_t *word, int count) { call(SYS_futex, word, FUTEX_WAKE_PRIVATE, count); }

// Blocks every signal, including those that libc uses internally, and returns the previous mask.
inline uint64_t blockSignals() {
  uint64_t all = ~0ull, old = 0;
  call(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, 8);
  return old;
}
inline void restoreSignals(uint64_t mask) { call(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, 8); }

inline uint64_t nanoseconds(const timespec &t) {
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// The machine's CLOCK_BOOTTIME in nanoseconds: takes no lock and is async-signal-safe. See kernel_clock.h and, for time
// namespaces, boot_offset.h.
inline uint64_t nowNs() {
  timespec t = {};
  readKernelClock(CLOCK_BOOTTIME, t);
  return nanoseconds(t) - bootOffsetNs();
}
inline uint64_t nowNsQuickly() {
  timespec t = {};
  readKernelClockQuickly(CLOCK_BOOTTIME, t);
  return nanoseconds(t) - bootOffsetNs();
}
inline uint64_t askNowNs() {
  timespec t = {};
  askKernelClock(CLOCK_BOOTTIME, t);
  return nanoseconds(t) - bootOffsetNs();
}

// What to add to nowNs() to get nanoseconds since 1970.
inline uint64_t epochOffsetNs() {
  timespec t = {};
  readKernelClock(CLOCK_REALTIME, t);
  return nanoseconds(t) - nowNs();
}

} // namespace ada::runtime::sys
