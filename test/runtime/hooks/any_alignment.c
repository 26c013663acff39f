// REQUIRES: x86_64
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: %ada_clang -O1 -I%include --ada-off -DADA_TRACE_DISABLED -pthread %s -o plain && %ada_clang -O1 -I%include -pthread %s -o traced && ./plain
// RUN: env ADA_OPTIONS=session=index ./traced > index.txt && adatrace verify index && %calls count --together --open=0 --only='^leaf$' index | grep calls= | diff index.txt -
// RUN: env ADA_OPTIONS=session=detail:detail=leaf,jumps,values:stack_size=64:detail_mode=window ./traced four > detail.txt && adatrace verify detail && %calls count --together --open=0 --only='^leaf$' detail | grep calls= | diff detail.txt -
// RUN: env ADA_OPTIONS=session=first:clock=system ./traced first && adatrace verify first
// RUN: %ada_clang -O1 -I%include -mstackrealign -DVECTORS -pthread %s -o aligned && env ADA_OPTIONS=session=vectors ./aligned > vectors.txt && adatrace verify vectors
// Programs run on stacks that are off by anything: every hook, the slow path, detail, annotations and the functions of
// the API work there as in the program without hooks. Detail needs a stack pointer that is a multiple of 4. Functions
// that spill vectors around hooks need the compiler's -mstackrealign.
#include <ada/trace.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
enum { kBytes = 1 << 18, kCalls = 2000 };
static int leaves;

NOINLINE int leaf(int n) {
  ++leaves;
  __asm__ volatile("" ::: "memory");
  return n + 1;
}
// More events than a chunk holds, so the slow path is taken.
NOINLINE void calls(void) {
  for (int i = 0; i < kCalls; ++i)
    leaf(i);
}
NOINLINE double values(int a, double b, const char *text) {
  __asm__ volatile("" ::: "memory");
  return a * b + text[0];
}
NOINLINE void withValues(void) { values(1, 2.5, "abc"); }
#ifdef VECTORS
typedef float Floats __attribute__((vector_size(16)));
NOINLINE Floats vector(Floats a) { return a + a; }
NOINLINE void vectors(void) {
  volatile static Floats a;
  a = vector(a);
}
#else
#define vectors withValues
#endif
static jmp_buf back;
NOINLINE void leaves2(void) { longjmp(back, 1); }
NOINLINE void jumps(void) {
  if (!setjmp(back))
    leaves2();
}
NOINLINE void annotations(void) {
  for (int i = 0; i < 300; ++i) { // several chunks
    ADA_SPAN("span");
    ADA_SPAN("more", i, "text");
    ADA_INSTANT("now", i);
    ADA_COUNTER("count", i);
  }
}
NOINLINE void fibers(void) {
  ada_fiber *here = ada_fiber_current(), *other = ada_fiber_create("other");
  ada_fiber_switch(other);
  leaf(1);
  ada_fiber_switch(here);
  ada_fiber_end(other);
}
static ucontext_t outer, inner;
NOINLINE void inContext(void) { calls(); }
NOINLINE void contexts(void) {
  static char stack[65536];
  getcontext(&inner);
  inner.uc_stack.ss_sp = stack, inner.uc_stack.ss_size = sizeof stack, inner.uc_link = &outer;
  makecontext(&inner, inContext, 0);
  swapcontext(&outer, &inner);
}
NOINLINE void api(void) {
  ada_stop();
  ada_start();
  ada_disable("values");
  ada_enable("values");
  ada_disable_detail("none");
  ada_enable_detail("none");
  ada_trigger();
  ada_set_thread_name("main");
  ada_timing_anchor("anchor", 1, 1000);
  ada_get_timestamp_ns();
  ada_session_path();
  ada_flush();
}
NOINLINE void handler(int signal) { leaf(signal); }
NOINLINE void signals(void) {
  stack_t old;
  sigaltstack(NULL, &old);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
}
NOINLINE void execFails(void) {
  static char *const arguments[] = {"/nowhere", NULL}; // on the stack the compiler would use a vector
  execv("/nowhere", arguments);
}
NOINLINE void forks(void) {
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  waitpid(child, NULL, 0);
}
static void (*const kAll[])(void) = {calls, withValues, jumps,     annotations, fibers, contexts,
                                     api,   signals,    execFails, forks,       vectors, calls};
ADA_NEVER static void end(void) { exit(0); }

// Calls function() with the stack pointer at `top` minus 8.
void callAt(void *top, void (*function)(void));
__asm__(".text\n.globl callAt\n.type callAt, @function\n"
        "callAt: push %rbx\n mov %rsp, %rbx\n mov %rdi, %rsp\n call *%rsi\n mov %rbx, %rsp\n pop %rbx\n ret\n"
        ".size callAt, .-callAt\n");

ADA_NEVER int main(int argc, char **argv) {
  char *stack = mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stack == MAP_FAILED)
    return 1;
  const int isFirst = argc > 1 && !strcmp(argv[1], "first"), step = argc > 1 ? 4 : 1;
  for (int off = 0; off < 16; off += isFirst ? 8 : step)
    for (size_t i = 0; i < sizeof kAll / sizeof *kAll; ++i)
      callAt(stack + kBytes - 64 - off, kAll[i]);
  if (!isFirst)
    printf("leaf calls=%d returns=%d exceptions=0\n", leaves, leaves);
  callAt(stack + kBytes - 72, end);
}
