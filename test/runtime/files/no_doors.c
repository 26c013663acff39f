// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -o %t/p && %session %t/p | FileCheck %s
// UNSUPPORTED: emulated
// (an emulator has a thread of its own)
// The recorder adds no way into the program: no thread of it has a socket, and no memory is writable and executable.
// CHECK: threads 2, sockets 0, writable code 0, rings 1
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) void work(void) { __asm__ volatile(""); }

static __attribute__((no_instrument_function)) int sockets(const char *thread) {
  char place[300], target[300];
  int count = 0;
  snprintf(place, sizeof place, "/proc/self/task/%s/fd", thread);
  DIR *files = opendir(place); // the drain has a table of its own
  for (struct dirent *file; files && (file = readdir(files));) {
    char path[600];
    snprintf(path, sizeof path, "%s/%s", place, file->d_name);
    const ssize_t size = readlink(path, target, sizeof target);
    count += size > 7 && memcmp(target, "socket:", 7) == 0;
  }
  if (files)
    closedir(files);
  return count;
}

int main(void) {
  int threads = 0, doors = 0, code = 0, rings = 0;
  char line[1000], last[1000] = "";
  for (int i = 0; i < 1000; ++i)
    work();
  DIR *all = opendir("/proc/self/task");
  for (struct dirent *thread; (thread = readdir(all));)
    if (thread->d_name[0] != '.')
      ++threads, doors += sockets(thread->d_name);
  closedir(all);
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    const char *rights = strchr(line, ' '), *path = strchr(line, '/');
    code += rights[2] == 'w' && rights[3] == 'x';
    if (path && strstr(path, "/adatrace-") && strcmp(path, last)) {
      ++rings;
      strcpy(last, path);
    }
  }
  fclose(maps);
  printf("threads %d, sockets %d, writable code %d, rings %d\n", threads, doors, code, rings);
  return 0;
}
