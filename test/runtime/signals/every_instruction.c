// REQUIRES: x86_64
// RUN: rm -rf %t && mkdir -p %t && cd %t && %ada_clang -O1 -I%include %s -o %t/p
// RUN: env ADA_OPTIONS=session=short %t/p short > counts && %calls total --open=0 short && adatrace verify -q short && adatrace report --format=csv short > report && %python %S/../Inputs/report_counts.py report counts
// RUN: env ADA_OPTIONS=session=long:buffer=256K %t/p long > counts && %calls total --open=0 long && adatrace verify -q long && adatrace report --format=csv long > report && %python %S/../Inputs/report_counts.py report counts
// RUN: env ADA_OPTIONS=session=equal:buffer=256K:clock=none %t/p long > counts && %calls total --open=0 equal && adatrace verify -q equal && adatrace report --format=csv equal > report && %python %S/../Inputs/report_counts.py report counts
// RUN: env ADA_OPTIONS=session=jump:buffer=256K %t/p jump > counts && %calls total --open=0 jump && adatrace verify -q jump && adatrace report --format=csv jump > report && %python %S/../Inputs/report_counts.py report counts
// RUN: env ADA_OPTIONS=session=untraced:buffer=1M %t/p untraced > counts && %calls total untraced && adatrace verify -q untraced
// A handler runs at every instruction of a call of a traced function, including the hooks' (single stepping). It
//   short     records a call and asks the drain for a pass while the interrupted hook stands still
//   long      records more than the buffer holds
//   jump      leaves by siglongjmp: the rest of the hook never runs, and the next calls proceed at once
//   untraced  leaves to a function that is not traced, so nothing proves that the hook is dead: nothing hangs
// No event is missing, all nest, and only exits that were jumped over are exceptions.
#define _GNU_SOURCE
#include <ada/attributes.h>
#include <ada/trace.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { kSteps = 120 };
static volatile int at, step, works, inners, arrived;
static int mode;
static sigjmp_buf back;

__attribute__((noinline)) void inner(void) {
  __asm__ volatile("");
  ++inners;
}
__attribute__((noinline)) void work(void) {
  __asm__ volatile("");
  ++works;
}
__attribute__((noinline)) void handle(void) {
  for (int i = 0; i < (mode == 'l' ? 20000 : 1); ++i)
    inner();
}
ADA_NEVER static void trap(int s, siginfo_t *info, void *context) {
  (void)s, (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  if (++step < at)
    return;
  registers[REG_EFL] &= ~0x100;
  ++arrived;
  handle();
  if (mode == 's')
    ada_flush();
  if (mode == 'j' || mode == 'u')
    siglongjmp(back, 1);
}
ADA_NEVER static void stepThrough(void) {
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
  work();
  __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}
// Traced, so that its setjmp is known; in mode `untraced` the other one is called.
__attribute__((noinline)) void lands(void) {
  if (sigsetjmp(back, 1) == 0)
    stepThrough();
}
ADA_NEVER static void landsUntraced(void) {
  if (sigsetjmp(back, 1) == 0)
    stepThrough();
}
int main(int argc, char **argv) {
  mode = argv[argc - 1][0];
  struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
  sigaction(SIGTRAP, &action, NULL);
  int made = 0;
  for (int round = 0; round < (mode == 'l' ? 1 : 4); ++round)
    for (at = 1; at <= kSteps; ++at) {
      step = 0;
      ++made;
      if (mode == 'u')
        landsUntraced();
      else
        lands();
      for (int i = 0; i < 100; ++i)
        work();
      made += 100;
    }
  // If work() was left by a jump inside its first hook, its call may or may not be recorded.
  if (mode == 'j')
    printf("work %d %d\n", works, made);
  else
    printf("work %d %d\n", made, made);
  printf("inner %d %d\n", inners, inners);
  printf("handle %d %d\n", arrived, arrived);
  return mode != 'j' && mode != 'u' && works != made;
}
