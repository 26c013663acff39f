// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -pthread -o %t/p
// RUN: %session %t/p && %calls total --open=0 %t/session && adatrace verify %t/session
// RUN: env ADA_OPTIONS=nonsense %t/p off 2>/dev/null
// After ada_flush() everything recorded before it, also by other threads, is in the file; ada_session_path() returns
// its place. In a program that is not recorded, both do nothing.
#include <ada/trace.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#define COUNT 12345
static pthread_barrier_t barrier;
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
ADA_NEVER static void *thread(void *argument) {
  for (int i = 0; i < COUNT; ++i)
    work();
  pthread_barrier_wait(&barrier); // recorded, but alive
  pthread_barrier_wait(&barrier);
  return argument;
}
ADA_NEVER static long eventsInFile(int number) {
  char path[4096];
  struct stat s = {0};
  snprintf(path, sizeof path, "%s/thread_%d/index.atf", ada_session_path(), number);
  stat(path, &s);
  return (s.st_size - 64) / 32;
}
ADA_NEVER int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1)
    return ada_flush() == -1 && ada_session_path()[0] == 0 ? 0 : 1;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_barrier_wait(&barrier);
  for (int i = 1; i <= 200; ++i) {
    work();
    if (ada_flush() || eventsInFile(0) + eventsInFile(1) != 2 * COUNT + 2 * i)
      return printf("%d: %ld and %ld events\n", i, eventsInFile(0), eventsInFile(1)), 1;
  }
  pthread_barrier_wait(&barrier);
  pthread_join(t, NULL);
  return 0;
}
