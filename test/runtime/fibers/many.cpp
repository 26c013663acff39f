// RUN: rm -rf %t && mkdir -p %t && %ada_clangxx -O2 %s -pthread -o %t/program && %session:buffer=4M %t/program $((1000 / %less)) > %t/out && FileCheck %s < %t/out
// RUN: adatrace report --by=thread --names=full --format=csv %t/session | %python %S/Inputs/many.py $((1000 / %less)) && adatrace verify -q %t/session
// RUN: %session:session=%t/killed:buffer=4M not --crash %t/program $((1000 / %less)) kill && adatrace recover -q %t/killed && adatrace verify -q %t/killed
// RUN: adatrace report --by=thread --names=full --format=csv %t/killed | %python %S/Inputs/many.py $((1000 / %less)) killed
// RUN: %ada_clangxx -O2 -DJUMPS %s -pthread -o %t/jumps && %session:session=%t/jumped:buffer=4M %t/jumps $((1000 / %less)) > %t/out && FileCheck %s < %t/out
// RUN: adatrace report --by=thread --names=full --format=csv %t/jumped | %python %S/Inputs/many.py $((1000 / %less)) && adatrace verify -q %t/jumped
// Fibers that throw and catch, switch in the middle, and are resumed by whichever of four threads is first: every call
// of every fiber is in its row, with its return, also after kill -9, and if the switches are jumps.
// CHECK: done
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#define NOINLINE __attribute__((noinline))
constexpr int kFibers = 100, kThreads = 4;
struct Fiber {
  ucontext_t context, *back;
  jmp_buf place, *backPlace;
  bool isStarted;
  int turns;
  bool isDone;
  char stack[65536];
};
static Fiber *fibers;
static int queue[kFibers + 1], head, tail; // of resumable fibers
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int turns;

NOINLINE void yield(Fiber &f) {
#ifdef JUMPS
  if (_setjmp(f.place) == 0)
    longjmp(*f.backPlace, 1);
#else
  swapcontext(&f.context, f.back);
#endif
}
NOINLINE void resume(Fiber &f, ucontext_t &here, jmp_buf &place) {
#ifdef JUMPS
  f.backPlace = &place;
  if (_setjmp(place) != 0)
    return;
  if (f.isStarted)
    longjmp(f.place, 1);
  f.isStarted = true;
#endif
  f.back = &here;
  swapcontext(&here, &f.context);
}
NOINLINE void thrower(Fiber &f, int n) {
  yield(f);
  if (n % 2)
    throw n;
}
NOINLINE void turn(Fiber &f, int n) {
  try {
    thrower(f, n);
  } catch (int) {
    ++f.turns;
  }
}
void body(unsigned number) {
  Fiber &f = fibers[number];
  for (int i = 0; i < turns; ++i)
    turn(f, i);
  f.isDone = true;
  yield(f); // never returns
}
void *work(void *) {
  ucontext_t here;
  jmp_buf place;
  while (true) {
    pthread_mutex_lock(&mutex);
    bool any = head != tail;
    int number = any ? queue[head] : 0;
    head = any ? (head + 1) % (kFibers + 1) : head;
    pthread_mutex_unlock(&mutex);
    if (!any)
      return nullptr;
    Fiber &f = fibers[number];
    resume(f, here, place);
    if (f.isDone)
      continue;
    pthread_mutex_lock(&mutex);
    queue[tail] = number;
    tail = (tail + 1) % (kFibers + 1);
    pthread_mutex_unlock(&mutex);
  }
}
int main(int argc, char **argv) {
  turns = atoi(argv[1]);
  fibers = new Fiber[kFibers];
  for (int i = 0; i < kFibers; ++i) {
    Fiber &f = fibers[i];
    f.turns = 0, f.isDone = f.isStarted = false;
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack;
    f.context.uc_stack.ss_size = sizeof f.stack;
    f.context.uc_link = nullptr;
    makecontext(&f.context, reinterpret_cast<void (*)()>(body), 1, i);
    queue[tail++] = i;
  }
  pthread_t threads[kThreads];
  for (pthread_t &t : threads)
    pthread_create(&t, nullptr, work, nullptr);
  for (pthread_t t : threads)
    pthread_join(t, nullptr);
  if (argc > 2)
    raise(SIGKILL);
  puts("done");
}
