// A program that ends in many ways; printed_commands.py records it.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noinline)) int step(int n) {
  __asm__ volatile("");
  return n + 1;
}

static void *sleeper(void *unused) {
  step(1);
  pause();
  return unused;
}

static pthread_barrier_t begun;

static void *begins(void *unused) {
  step(2);
  pthread_barrier_wait(&begun);
  return sleeper(unused);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "calls";
  const int calls = strcmp(how, "hot") == 0 ? 300000 : 50;
  for (int i = 0; i < calls; ++i)
    step(i);
  if (strcmp(how, "forks") == 0) {
    for (int i = 0; i < 25; ++i)
      if (fork() == 0)
        return step(i) < 0;
    while (wait(NULL) > 0)
      ;
  } else if (strcmp(how, "crash") == 0) {
    enum { Threads = 24 };
    pthread_barrier_init(&begun, NULL, Threads + 1);
    for (int i = 0; i < Threads; ++i) {
      pthread_t thread;
      pthread_create(&thread, NULL, begins, NULL);
    }
    pthread_barrier_wait(&begun);
    abort();
  } else if (strcmp(how, "kill") == 0) {
    raise(SIGKILL);
  } else if (strcmp(how, "waits") == 0) {
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
      step(3);
  }
  return strcmp(how, "fails") == 0;
}
