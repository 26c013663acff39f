// RUN: rm -rf %t && mkdir -p %t && for how in "" -static -static-pie --ada-static-runtime; do \
// RUN:   %like_plain %t %ada_clang -O1 -fno-builtin $how %s && %calls count --only=main --open=0 %t/session | FileCheck %s && \
// RUN:   %like_plain %t %ada_clang -O1 -fno-builtin -DTHREADS $how %s && %calls count --together --open=0 %t/session | FileCheck %s --check-prefix=THREADS || exit 1; \
// RUN: done
// Libraries ask by weak references whether the program has threads: they get the same answer with hooks as without. If
// there are threads and forks, the runtime still notices when they end.
// CHECK:   main calls=1 returns=1 exceptions=0
// THREADS: work calls=300 returns=300 exceptions=0
// THREADS: work calls=1 returns=1 exceptions=0
#include <stdio.h>
#define EACH(DO)                                                                                                       \
  DO(pthread_create)                                                                                                   \
  DO(pthread_join)                                                                                                     \
  DO(pthread_detach)                                                                                                   \
  DO(pthread_cancel)                                                                                                   \
  DO(pthread_once)                                                                                                     \
  DO(pthread_key_create)                                                                                               \
  DO(__pthread_key_create)                                                                                             \
  DO(pthread_key_delete)                                                                                               \
  DO(pthread_getspecific)                                                                                              \
  DO(pthread_setspecific)                                                                                              \
  DO(pthread_mutex_init)                                                                                               \
  DO(pthread_mutex_lock)                                                                                               \
  DO(pthread_mutex_trylock)                                                                                            \
  DO(pthread_mutex_destroy)                                                                                            \
  DO(pthread_cond_wait)                                                                                                \
  DO(pthread_cond_broadcast)                                                                                           \
  DO(pthread_rwlock_rdlock)                                                                                            \
  DO(pthread_exit)                                                                                                     \
  DO(pthread_kill)                                                                                                     \
  DO(pthread_equal)                                                                                                    \
  DO(pthread_atfork)                                                                                                   \
  DO(__register_atfork)                                                                                                \
  DO(sem_post)
#define DECLARE(f) extern __attribute__((weak)) char weak_##f[] __asm__(#f);
#define PRINT(f) printf("%s %d\n", #f, weak_##f != 0);
#ifndef THREADS
EACH(DECLARE)
#else
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) static void work(void) { __asm__ volatile(""); }
static void *run(void *unused) {
  for (int i = 0; i < 100; ++i)
    work();
  return unused;
}
#endif
int main(void) {
#ifndef THREADS
  EACH(PRINT)
#else
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i)
    if (pthread_create(&threads[i], 0, run, 0))
      return 1;
  for (int i = 0; i < 3; ++i)
    pthread_join(threads[i], 0);
  if (fork() == 0) {
    work();
    _exit(0);
  }
  wait(0);
#endif
  return 0;
}
