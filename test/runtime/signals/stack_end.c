// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O1 -I%include -pthread -Wl,-z,now %s -o p
// RUN: env ADA_OPTIONS=session=index ./p > counts && adatrace verify -q index && adatrace report --format=csv index > report && %python %S/../Inputs/report_counts.py report counts
// RUN: env ADA_OPTIONS=session=detail:detail=*:stack_size=256:format=packed:buffer=256K ./p > counts && adatrace verify -q detail && adatrace report --format=csv detail > report && %python %S/../Inputs/report_counts.py report counts
// RUN: env ADA_OPTIONS=session=drop:overflow=drop:buffer=64K:clock=system ./p > counts && adatrace verify -q drop
// RUN: env ADA_OPTIONS=session=ends ./p ends && adatrace verify -q ends
// A program survives its stack overflows: SIGSEGV comes on an alternate stack, and the handler leaves by longjmp, which
// does not restore the signal mask. The stack ends at every distance below the calls of hooks and of functions of the
// API, so that it also ends in each step of the slow path, in threads that have not recorded before, and in
// processes that have not. Nothing dies or hangs, no signal stays blocked, and everything is recorded afterwards.
#define _GNU_SOURCE
#include "Inputs/call_at.h"
#include <ada/trace.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
enum { kBytes = 1 << 16, kStep = 16, kMax = 1536, kMaxOfApi = 8192 };
static __thread jmp_buf back;
static int checks;

NOINLINE int leaf(int n) {
  __asm__ volatile("" ::: "memory");
  return n;
}
// More events than a chunk holds, so the slow path is taken.
NOINLINE void calls(void) {
  for (int i = 0; i < 1900; ++i)
    leaf(i);
}
NOINLINE void once(void) { leaf(0); }
NOINLINE void jumps(void) {
  jmp_buf here;
  for (int i = 0; i < 700; ++i)
    if (!setjmp(here))
      longjmp(here, 1);
}
NOINLINE void annotations(void) {
  for (int i = 0; i < 300; ++i) {
    ADA_SPAN("span");
    ADA_INSTANT("now", i);
  }
}
static ada_fiber *mainFiber;
NOINLINE void fibers(void) {
  ada_fiber *other = ada_fiber_create("other");
  ada_fiber_switch(other);
  ada_fiber_switch(mainFiber);
  ada_fiber_end(other);
}
NOINLINE void api(void) {
  ada_flush();
  ada_set_thread_name("main");
  ada_timing_anchor("anchor", 1, 1000);
  ada_disable("none");
  ada_enable_detail("none");
  ada_stop();
  ada_start();
}
NOINLINE void ends(void) { _exit(3); }
NOINLINE void execs(void) {
  static char *const arguments[] = {"/nowhere", NULL};
  execv("/nowhere", arguments);
}
NOINLINE void check(void) {
  sigset_t blocked, none;
  sigemptyset(&none);
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  if (memcmp(&blocked, &none, 8)) {
    puts("signals stay blocked");
    exit(1);
  }
  ++checks;
}
// What the program itself had begun when its stack ended.
ADA_NEVER static void comeBack(void) {
  ada_fiber_switch(mainFiber);
  ada_start();
}

ADA_NEVER static void onFault(int signal) {
  (void)signal;
  longjmp(back, 1);
}
ADA_NEVER static void prepareThread(void) {
  stack_t stack = {.ss_sp = malloc(kBytes), .ss_size = kBytes};
  sigaltstack(&stack, NULL);
}
// Calls function() with the stack ending `room` bytes below.
ADA_NEVER static void callWith(int room, void (*function)(void)) {
  static __thread char *volatile stack;
  if (!stack) {
    stack = mmap(NULL, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(stack, kBytes, PROT_NONE);
  }
  if (!_setjmp(back))
    callAt(stack + kBytes + room, function);
}
static int roomOfThread;
static void (*functionOfThread)(void);
ADA_NEVER static void *thread(void *argument) {
  prepareThread();
  callWith(roomOfThread, functionOfThread);
  check();
  return argument;
}
ADA_NEVER static void inThread(int room, void (*function)(void)) {
  roomOfThread = room, functionOfThread = function;
  pthread_t t;
  pthread_create(&t, NULL, thread, NULL);
  pthread_join(t, NULL);
}
// Every process ends by itself, in function() or later.
ADA_NEVER static void inProcess(int room, void (*function)(void)) {
  int status;
  const pid_t child = fork();
  if (child == 0) {
    callWith(room, function);
    check();
    exit(3);
  }
  if (waitpid(child, &status, 0) != child || status != 3 << 8) {
    printf("with %d bytes a process ended with status %x\n", room, status);
    exit(1);
  }
}

ADA_NEVER int main(int argc, char **argv) {
  (void)argv;
  static void (*const kAll[])(void) = {calls, jumps, annotations, fibers, api, execs};
  struct sigaction action = {.sa_handler = onFault, .sa_flags = SA_ONSTACK | SA_NODEFER};
  sigaction(SIGSEGV, &action, NULL);
  prepareThread();
  if (argc > 1) {
    for (int room = kStep; room < kMax; room += 4 * kStep) {
      inProcess(room, once);
      if (room > 64)
        inProcess(room, ends);
    }
    return 0;
  }
  mainFiber = ada_fiber_current();
  for (int room = kStep; room < kMax; room += kStep) {
    for (size_t i = 0; i < sizeof kAll / sizeof *kAll; ++i) {
      callWith(room, kAll[i]);
      comeBack();
      check();
    }
    inThread(room, once);
  }
  for (int room = kMax; room < kMaxOfApi; room += 32 * kStep) {
    callWith(room, api);
    comeBack();
    check();
  }
  printf("check %d %d\n", checks, checks);
  return 0;
}
