/* recorder.c - a small runtime for the pass's tests: records every event, checks that the events are well nested, and
 * prints them when the last image is unloaded or the program calls _exit.
 *
 * It is as hostile as the contract in ada/abi.h allows: a hook changes r11, the flags and every vector register, and
 * checks that the stack is aligned. x86-64 only.
 *
 * RECORDER_OUT=FILE   the output file; without it nothing is printed
 * RECORDER_OFF=1      leaves all functions switched off
 * RECORDER_DETAIL=1   requests their detail, too
 *
 * A line is an event: thread, depth, "call", "return", "exception", name. Errors begin with "!" and make the exit status 99. */
#define _GNU_SOURCE
#include "ada/abi.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kCapacity = 1 << 22 };
struct event {
  const void *what;
  int kind, thread;
};
static struct event *events;
static unsigned long count;
static int threads, images;
static int pid;
static _Thread_local int thread;

__attribute__((target("general-regs-only"), used)) void recorder_record(const void *what, int kind) {
  if (!events)
    return;
  if (!thread)
    thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
  unsigned long i = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
  if (i < kCapacity)
    events[i] = (struct event){what, kind, thread};
}

/* NEST is the address of a frame plus the enable byte as it was on entry. */
__attribute__((target("general-regs-only"), used)) void recorder_hook(uint64_t nest, int kind) {
  if (nest & ADA_ENABLE_INDEX)
    recorder_record(((const ada_frame *)(nest & -16))->function, kind);
  else if (kind != 3) /* only unwinding gets here if nothing is recorded */
    abort();
}

#define HOOK(name, kind)                                                                                                \
  __asm__(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n"                           \
          "push %rax\n.cfi_adjust_cfa_offset 8\npush %rcx\n.cfi_adjust_cfa_offset 8\n"                                  \
          "push %rdx\n.cfi_adjust_cfa_offset 8\npush %rsi\n.cfi_adjust_cfa_offset 8\n"                                  \
          "push %rdi\n.cfi_adjust_cfa_offset 8\npush %r8\n.cfi_adjust_cfa_offset 8\n"                                   \
          "push %r9\n.cfi_adjust_cfa_offset 8\npush %r10\n.cfi_adjust_cfa_offset 8\n"                                   \
          "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                                                    \
          "test $15, %spl\njz 1f\nud2\n1:\n"                                                                            \
          "mov %r10, %rdi\nmov $" #kind ", %esi\ncall recorder_hook@PLT\n"                                                     \
          "pcmpeqd %xmm0, %xmm0\nmovaps %xmm0, %xmm1\nmovaps %xmm0, %xmm2\nmovaps %xmm0, %xmm3\n"                       \
          "movaps %xmm0, %xmm4\nmovaps %xmm0, %xmm5\nmovaps %xmm0, %xmm6\nmovaps %xmm0, %xmm7\n"                        \
          "movaps %xmm0, %xmm8\nmovaps %xmm0, %xmm9\nmovaps %xmm0, %xmm10\nmovaps %xmm0, %xmm11\n"                      \
          "movaps %xmm0, %xmm12\nmovaps %xmm0, %xmm13\nmovaps %xmm0, %xmm14\nmovaps %xmm0, %xmm15\n"                    \
          "movabs $0x1122334455667788, %r11\nadd %r11, %r11\n"                                                         \
          "lea 8(%rsp), %rsp\n.cfi_adjust_cfa_offset -8\n"                                                             \
          "pop %r10\n.cfi_adjust_cfa_offset -8\npop %r9\n.cfi_adjust_cfa_offset -8\n"                                   \
          "pop %r8\n.cfi_adjust_cfa_offset -8\npop %rdi\n.cfi_adjust_cfa_offset -8\n"                                   \
          "pop %rsi\n.cfi_adjust_cfa_offset -8\npop %rdx\n.cfi_adjust_cfa_offset -8\n"                                  \
          "pop %rcx\n.cfi_adjust_cfa_offset -8\npop %rax\n.cfi_adjust_cfa_offset -8\n"                                  \
          "ret\n.cfi_endproc\n.size " #name ", .-" #name "\n")
HOOK(__ada_enter, 1);
HOOK(__ada_exit, 2);
__asm__(".globl __ada_leave\n.set __ada_leave, __ada_exit\n"
        ".globl __ada_before_leave\n.set __ada_before_leave, __ada_before_exit\n"
        ".globl __ada_before_thread_leave\n.set __ada_before_thread_leave, __ada_before_thread_exit\n");
HOOK(__ada_unwind, 3);

void __ada_mark_frame(const void *frame) { recorder_record(frame, 4); }
void __ada_resync(const void *frame) { recorder_record(frame, 5); }
void __ada_landed(const void *frame, unsigned long marked) {
  if (marked)
    recorder_record(frame, 5);
}
void *__ada_fiber_current(void) { return 0; }
void __ada_fiber_land(void *token) { (void)token; }
void __ada_before_exec(void) { recorder_record(0, 6); }
void __ada_after_exec(void) {}
void __ada_before_clone(void) {}
void __ada_before_signal_stack(void) {}
void __ada_after_signal_stack(void) {}

void __ada_runtime_is_missing_link_with_ada_clang_or_with_adatrace_flags(void) {}
void __ada_register_image(const ada_image *image) {
  if (image->abi_version != ADA_ABI_VERSION || image->entry_size != sizeof(ada_function))
    abort();
  if (!images++) {
    pid = getpid();
    events = calloc(kCapacity, sizeof *events);
  }
  const char *off = getenv("RECORDER_OFF");
  if (off && *off)
    return;
  const char *detail = getenv("RECORDER_DETAIL");
  const uint8_t how = detail && *detail ? ADA_ENABLE_INDEX | ADA_ENABLE_DETAIL : ADA_ENABLE_INDEX;
  for (const ada_function *f = image->functions_begin; f != image->functions_end; ++f)
    ((uint8_t *)f)[f->enable_off] = how;
}

static const char *nameOf(const ada_function *f) { return (const char *)f + f->name_off; }

struct frame {
  const ada_function *function;
  const void *mark;
};

/* Replays the events of one thread. Returns the number of errors. */
static int replay(int id, FILE *out) {
  struct frame *stack = malloc(sizeof *stack * (count + 1));
  unsigned long depth = 0;
  int errors = 0;
  for (unsigned long i = 0; i < count; ++i) {
    struct event e = events[i];
    if (e.thread != id)
      continue;
    const ada_function *f = e.what;
    switch (e.kind) {
    case 1:
      if (out)
        fprintf(out, "%d %lu call %s\n", id, depth, nameOf(f));
      stack[depth++] = (struct frame){f, 0};
      break;
    case 2:
    case 3:
      if (!depth || stack[depth - 1].function != f) {
        ++errors;
        if (out)
          fprintf(out, "! %s of %s inside %s\n", e.kind == 2 ? "return" : "exception", nameOf(f),
                  depth ? nameOf(stack[depth - 1].function) : "nothing");
        break;
      }
      --depth;
      if (out)
        fprintf(out, "%d %lu %s %s\n", id, depth, e.kind == 2 ? "return" : "exception", nameOf(f));
      break;
    case 4:
      if (depth)
        stack[depth - 1].mark = e.what;
      break;
    case 5: {
      unsigned long to = depth;
      while (to && stack[to - 1].mark != e.what)
        --to;
      if (!to) {
        ++errors;
        if (out)
          fprintf(out, "! landing in a frame that was not marked\n");
        break;
      }
      while (depth > to) {
        --depth;
        if (out)
          fprintf(out, "%d %lu exception %s\n", id, depth, nameOf(stack[depth].function));
      }
      break;
    }
    case 6:
      if (out)
        fprintf(out, "%d %lu before exec\n", id, depth);
      break;
    case 7:
      if (out)
        fprintf(out, "%d %lu before exit %ld\n", id, depth, (long)e.what);
      break;
    }
  }
  while (depth--)
    if (out)
      fprintf(out, "%d %lu open %s\n", id, depth, nameOf(stack[depth].function));
  free(stack);
  return errors;
}

/* Checks and prints, in the process that was recorded and not in its vfork children. */
static void finish(void) {
  if (getpid() != pid)
    return;
  const char *path = getenv("RECORDER_OUT");
  FILE *out = path ? fopen(path, "w") : 0;
  if (count > kCapacity)
    abort();
  int errors = 0;
  for (int id = 1; id <= threads; ++id)
    errors += replay(id, out);
  if (out)
    fclose(out);
  if (errors)
    _exit(99);
}

void __ada_unregister_image(const ada_image *image) {
  (void)image;
  if (!--images)
    finish();
}

void __ada_before_thread_exit(int status) { (void)status; }

void __ada_before_exit(int status) {
  recorder_record((void *)(long)status, 7);
  finish();
}
