// UNSUPPORTED: aarch64
// RUN: rm -rf %t && mkdir -p %t && %ada_clang -O1 -I%include %s -o %t/p
// RUN: %session:detail='*':detail_mode=window:pre_roll_ms=1:post_roll_ms=200 %t/p > %t/last && %details windows %t/session >&2
// RUN: %python -c "import json,glob,sys; m=json.load(open(glob.glob(sys.argv[1]+'/session/pid_*/manifest.json')[0])); t=int(open(sys.argv[1]+'/last').read()); w=m['windows'][-1]; sys.exit(not w['start_ns'] < t <= w['end_ns'])" %t
// A signal handler leaves ada_trigger() by longjmp, at each of its instructions in turn (by the CPU's single-step trap,
// which AArch64 has for debuggers only). No later trigger is missed because of that.
#include <ada/attributes.h>
#include <ada/trace.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static sigjmp_buf place;
static volatile int left;
__attribute__((noinline)) void tick(void) { __asm__ volatile(""); }
ADA_NEVER static void step(int number) {
  if (--left == 0)
    siglongjmp(place, number);
}
ADA_NEVER static void setTrap(int on) {
  unsigned long flags;
  __asm__ volatile("pushfq; popq %0" : "=r"(flags));
  flags = on ? flags | 0x100 : flags & ~0x100ul;
  __asm__ volatile("pushq %0; popfq" : : "r"(flags) : "cc");
}
ADA_NEVER int main(void) {
  struct sigaction action = {.sa_handler = step};
  sigaction(SIGTRAP, &action, 0);
  volatile int instructions = 0, whole = 0;
  tick();
  ada_trigger(); // its symbol is looked up here, not below
  while (!whole) {
    left = ++instructions;
    if (sigsetjmp(place, 1) == 0) {
      setTrap(1);
      ada_trigger();
      setTrap(0);
      whole = 1;
    }
  }
  fprintf(stderr, "%d instructions\n", instructions);
  usleep(300000);
  tick();
  ada_trigger();
  printf("%llu\n", (unsigned long long)ada_get_timestamp_ns());
  tick();
  usleep(50000);
  return instructions < 20;
}
