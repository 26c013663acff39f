// All that this process would leave if kill -9 ended it before or after any of the drain's system calls that change a
// file: a tracer, which is a child process, copies the process's directory with its ring to COPIES/pid_N, and the truth
// to COPIES/truth_N.
#pragma once
#include "stopped_drain.h"
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

// The program counts here what its threads have recorded.
static struct Truth {
  uint64_t isTraced, copies, used;
  uint64_t events[256]; // by thread, in the order of their first events
} *truth;

static const char *processDirectory, *copiesDirectory;
static int toTracer, fromTracer;

ADA_NEVER static int changesFiles(uint64_t call, uint64_t bytes) {
  static unsigned links;
  static const uint64_t kCalls[] = {SYS_write,    SYS_pwrite64, SYS_ftruncate, SYS_fallocate, SYS_openat,
                                    SYS_mkdirat,  SYS_unlinkat, SYS_renameat2,
#ifdef SYS_open
                                    SYS_open,     SYS_mkdir,    SYS_unlink,    SYS_rename,    SYS_rmdir,
#endif
  };
  if (call == SYS_pwrite64 && bytes <= 8 && ++links % 64 != 1) // of the links to details, some are enough
    return 0;
  for (size_t i = 0; i < sizeof kCalls / sizeof *kCalls; ++i)
    if (kCalls[i] == call)
      return 1;
  return 0;
}

// Leaves out blocks of zeros: rings are mostly holes.
ADA_NEVER static void copyFile(const char *from, const char *to) {
  static char block[65536];
  static const char zeros[4096];
  const int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
  const off_t size = lseek(in, 0, SEEK_END);
  if (in < 0 || out < 0 || ftruncate(out, size))
    _exit(3);
  for (off_t at = 0; (at = lseek(in, at, SEEK_DATA)) >= 0 && at < size;) {
    const ssize_t n = pread(in, block, sizeof block, at);
    for (ssize_t i = 0; i < n; i += 4096) {
      const size_t part = n - i < 4096 ? (size_t)(n - i) : 4096;
      if (memcmp(block + i, zeros, part) && pwrite(out, block + i, part, at + i) != (ssize_t)part)
        _exit(3);
    }
    at += n;
  }
  close(in), close(out);
}

// Follows links: the ring is one.
ADA_NEVER static void copyDirectory(const char *from, const char *to) {
  DIR *files = opendir(from);
  if (!files || mkdir(to, 0700))
    _exit(3);
  for (struct dirent *file; (file = readdir(files));) {
    char source[4096], target[4096];
    if (file->d_name[0] == '.')
      continue;
    snprintf(source, sizeof source, "%s/%s", from, file->d_name);
    snprintf(target, sizeof target, "%s/%s", to, file->d_name);
    if (file->d_type == DT_DIR)
      copyDirectory(source, target);
    else
      copyFile(source, target);
  }
  closedir(files);
}

ADA_NEVER static void copyAll(void) {
  char path[4096];
  const uint64_t n = truth->copies++;
  snprintf(path, sizeof path, "%s/pid_%llu", copiesDirectory, (unsigned long long)n);
  copyDirectory(processDirectory, path);
  snprintf(path, sizeof path, "%s/truth_%llu", copiesDirectory, (unsigned long long)n);
  FILE *out = fopen(path, "w");
  for (uint64_t i = 0; i < truth->used; ++i)
    fprintf(out, "%llu ", (unsigned long long)truth->events[i]);
  fclose(out);
}

// Each byte of `order` asks for copies, which are made until the program says that it is enough.
ADA_NEVER static void traceDrain(pid_t drain, int order, int answer) {
  char byte;
  int status, isChange = 0;
  if (ptrace(PTRACE_SEIZE, drain, 0, PTRACE_O_TRACESYSGOOD))
    _exit(2);
  while (read(order, &byte, 1) == 1) {
    if (ptrace(PTRACE_INTERRUPT, drain, 0, 0) || waitpid(drain, &status, __WALL) != drain || write(answer, "x", 1) != 1)
      _exit(2);
    while (__atomic_load_n(&truth->isTraced, __ATOMIC_ACQUIRE)) {
      struct __ptrace_syscall_info call;
      if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
        if (ptrace(PTRACE_GET_SYSCALL_INFO, drain, (void *)sizeof call, &call) <= 0)
          _exit(2);
        if (call.op == PTRACE_SYSCALL_INFO_ENTRY)
          isChange = changesFiles(call.entry.nr, call.entry.args[2]);
        if (isChange)
          copyAll();
      }
      if (ptrace(PTRACE_SYSCALL, drain, 0, 0) || waitpid(drain, &status, __WALL) != drain || !WIFSTOPPED(status))
        _exit(2);
    }
    if (ptrace(PTRACE_CONT, drain, 0, 0))
      _exit(2);
  }
  _exit(0);
}

// Call it when there is a drain and no other thread.
ADA_NEVER static void startTracer(const char *directory, const char *copies) {
  int order[2], answer[2];
  processDirectory = directory, copiesDirectory = copies;
  if (pipe(order) || pipe(answer))
    abort();
  const pid_t process = getpid(), drain = (pid_t)drainOf(process), tracer = fork();
  if (tracer == 0) {
    close(order[1]);
    traceDrain(drain, order[0], answer[1]);
  }
  prctl(PR_SET_PTRACER, tracer);
  close(answer[1]), close(order[0]);
  toTracer = order[1], fromTracer = answer[0];
}

// Flushes while copies are made. No other thread may do anything meanwhile.
ADA_NEVER static void flushTraced(void) {
  char byte;
  __atomic_store_n(&truth->isTraced, 1, __ATOMIC_RELEASE);
  if (write(toTracer, "x", 1) != 1 || read(fromTracer, &byte, 1) != 1)
    abort();
  ada_flush();
  __atomic_store_n(&truth->isTraced, 0, __ATOMIC_RELEASE);
  ada_flush(); // it sees that, and lets the drain go
}
