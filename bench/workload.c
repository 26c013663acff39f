/* The functions whose calls are timed.
 *
 * They are compiled twice into each program: once plain (-DTRACED=0), and once
 * the way the tracer at hand wants it (-DTRACED=1). The loops around them are in harness.cpp, which is never traced. */
#if TRACED
#define NAME(f) traced_##f
#else
#define NAME(f) plain_##f
#endif

/* Spans in the source instead of hooks by the compiler. */
#if TRACED && defined(ANNOTATED)
#include <ada/trace.h>
#define SPAN(...) ADA_SPAN(__VA_ARGS__)
#else
#define SPAN(...) ((void)0)
#endif

/* Not inlined, not removed, nothing in it: what is left is the call and what the tracer adds. */
__attribute__((noinline)) void NAME(empty)(void) {
  SPAN("empty");
  __asm__ volatile("");
}

__attribute__((noinline)) long NAME(four)(long a, long b, long c, long d) {
  SPAN("four", a, b, c, d);
  __asm__ volatile("" : "+r"(a));
  return a + b + c + d;
}

/* The asm keeps every call a call: without it one of the two becomes a loop. */
__attribute__((noinline)) unsigned NAME(fibonacci)(unsigned n) {
  SPAN("fibonacci");
  if (n < 2)
    return n;
  unsigned sum = NAME(fibonacci)(n - 1) + NAME(fibonacci)(n - 2);
  __asm__ volatile("" : "+r"(sum));
  return sum;
}
