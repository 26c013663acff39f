// The untraced host of storm's jumps.
// It catches errors with setjmp, and its error function jumps over its callers.
#include <setjmp.h>

static __thread jmp_buf top;

void hostCall(void (*function)(void *), void *argument) {
  if (setjmp(top) == 0)
    function(argument);
}
void hostJump(void) { longjmp(top, 1); }
