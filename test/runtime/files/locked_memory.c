// RUN: rm -rf %t && mkdir -p %t/rings && %ada_clang -O1 -I%include -I%include/.. %s -pthread -o %t/p
// RUN: %session:ring=%t/rings %t/p %t/rings && adatrace verify -q %t/session && %calls total --open=0 %t/session | FileCheck %s
// RUN: ls %t/rings | FileCheck %s --check-prefix=LEFT
// REQUIRES: root, native
// (to lock memory) Address space and locked memory are in proportion to the used memory: mlockall() locks no holes, neither of the
// ring nor of rings that dead programs have left beside it, and a limit that is set later leaves the program room. A ring that has
// been written out is removed; one with an unwritten event stays. Under `ulimit -v` see address_space.test.
// CHECK: threads=2 events=602004 open=0 dropped=0
// LEFT: {{^}}adatrace-1-b{{$}}
// LEFT-NOT: {{.}}
#include <ada/attributes.h>
#include "shared/ring/ring_file.h"
#include <ada/trace.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
__attribute__((noinline)) static void *thread(void *argument) {
  for (int i = 0; i < 1000; ++i)
    work();
  return argument;
}
ADA_NEVER static long kilobytes(const char *key) {
  char line[256];
  long value = -1;
  FILE *file = fopen("/proc/self/status", "r");
  while (fgets(line, sizeof line, file))
    if (!strncmp(line, key, strlen(key)))
      value = atol(line + strlen(key));
  fclose(file);
  return value;
}
// The ring of a program that called exec: a gigabyte of holes, and a thread whose chunk is the last one.
ADA_NEVER static void leaveRing(const char *directory, const char *name, uint64_t unread) {
  enum { kChunks = 16000 };
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  struct ada_ring_header header = {.magic = ADA_RING_MAGIC, .abi_version = ADA_ABI_VERSION, .state = ADA_RING_EXEC, .pid = 1, .locked = 1};
  header.modules_offset = header.threads_offset = ADA_CHUNK_BYTES;
  header.threads_used = 2;
  header.chunks_offset = 2 * ADA_CHUNK_BYTES;
  header.chunks_used = header.chunks_capacity = kChunks;
  struct ada_ring_thread thread = {.state = ADA_THREAD_LIVE, .index = 7};
  thread.cursor[0].record = 100; // this many are in the files
  struct ada_chunk chunk = {.state = ADA_CHUNK_USED, .thread = 7, .number = kChunks - 1};
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  long at = header.chunks_offset + (kChunks - 1l) * ADA_CHUNK_BYTES;
  if (fd < 0 || ftruncate(fd, at + ADA_CHUNK_BYTES) || pwrite(fd, &header, sizeof header, 0) < 0 ||
      pwrite(fd, &thread, sizeof thread, header.threads_offset + sizeof thread) < 0 || pwrite(fd, &chunk, sizeof chunk, at) < 0)
    exit(5);
  struct ada_record records[200] = {0};
  for (int i = 0; i < 100; ++i)
    records[i].what = records[i].stamp = 16;
  records[150].stamp = unread;
  if (pwrite(fd, records, sizeof records, at + sizeof chunk) < 0)
    exit(5);
  close(fd);
}
ADA_NEVER int main(int argc, char **argv) {
  leaveRing(argv[argc - 1], "adatrace-1-a", 0);
  leaveRing(argv[argc - 1], "adatrace-1-b", 16);
  if (mlockall(MCL_CURRENT | MCL_FUTURE))
    return 2;
  work(); // the drain looks at the rings that others left, then sleeps
  if (kilobytes("VmSize:") > 100 * 1024)
    return 1;
  for (int i = 0; i < 300000; ++i)
    work();
  ada_flush();
  ada_flush();
  if (kilobytes("VmHWM:") > 120 * 1024) // 64 MiB of them may be the ring's
    return 3;
  struct rlimit limit = {256 << 20, 256 << 20};
  setrlimit(RLIMIT_AS, &limit);
  pthread_t t;
  if (pthread_create(&t, 0, thread, 0))
    return 4;
  return pthread_join(t, 0);
}
