// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 %s -pthread -o %t/storm
// RUN: %session:buffer=512K %t/storm > %t/expected
// RUN: %calls count --together --open=0 --only='^(work|handler|inner)$' %t/session | grep calls= > %t/counts && diff %t/expected %t/counts
// RUN: adatrace verify %t/session
// RUN: rm -rf %t/session && %session:buffer=512K:clock=none %t/storm > %t/expected
// RUN: %calls count --together --open=0 --only='^(work|handler|inner)$' %t/session | grep calls= > %t/counts && diff %t/expected %t/counts
// RUN: adatrace verify %t/session
// A signal every 20 microseconds while two threads record as fast as they can, with so little memory that they wait
// for the drain: no event is missing, the handlers' calls nest, and no file goes back in time. The same with equal
// stamps.
#include <ada/attributes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static int handled, worked;

__attribute__((noinline)) void inner(void) { __asm__ volatile(""); }
void handler(int s) {
  (void)s;
  __atomic_add_fetch(&handled, 1, __ATOMIC_RELAXED);
  inner();
}
__attribute__((noinline)) void work(void) { __asm__ volatile(""); }
ADA_NEVER static void *thread(void *argument) {
  do { // also if the signals come faster than the threads start
    for (int i = 0; i < 100; ++i)
      work();
    __atomic_add_fetch(&worked, 100, __ATOMIC_RELAXED);
  } while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < 5000 && __atomic_load_n(&worked, __ATOMIC_RELAXED) < 20000000);
  // A thread's events end before the thread does: a handler could run after the last destructor.
  sigset_t alarm;
  sigemptyset(&alarm);
  sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, NULL);
  return argument;
}
int main(void) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 20}, {0, 20}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, NULL);
  pthread_t other;
  pthread_create(&other, NULL, thread, NULL);
  thread(NULL);
  pthread_join(other, NULL);
  setitimer(ITIMER_REAL, &never, NULL);
  signal(SIGALRM, SIG_IGN);
  printf("handler calls=%d returns=%d exceptions=0\n", handled, handled);
  printf("inner calls=%d returns=%d exceptions=0\n", handled, handled);
  printf("work calls=%d returns=%d exceptions=0\n", worked, worked);
  return 0;
}
