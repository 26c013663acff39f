// One event, repeated: what it costs, compared with the same loop without it.
//
// bench/events/run.py compiles it for each tracer.
//
// Usage: program BURSTS [heap]. `heap`: the text is on the heap, not a literal. A burst is EVENTS events, few enough
// for every tracer's buffers. The pause after it lets the tracer write them out. Prints the nanoseconds of one event in
// each burst.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(WITH_LTTNG) && defined(EVENT_FORMAT)
#include <lttng/tracef.h>
#elif defined(WITH_LTTNG)
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "tracepoints.h"
#elif defined(WITH_ANNOTATIONS)
#include <ada/trace.h>
#endif

enum { EVENTS = 10000 };

int toupper(int);
const char *volatile text = "GET /index.html HTTP/1.1";

__attribute__((noinline)) int take(const char *what) {
  __asm__ volatile("" : : "r"(what) : "memory");
  return 1;
}

static inline void event(int i) {
#if defined(EVENT_LIBRARY_CALL)
  __asm__ volatile("" : : "r"(toupper(i & 127)));
#elif defined(EVENT_TEXT_ARGUMENT)
  __asm__ volatile("" : : "r"(take(text)));
#elif defined(EVENT_NUMBER) && defined(WITH_LTTNG)
  lttng_ust_tracepoint(bench, number, i);
#elif defined(EVENT_TEXT) && defined(WITH_LTTNG)
  lttng_ust_tracepoint(bench, text, text);
#elif defined(EVENT_FORMAT) && defined(WITH_LTTNG)
  lttng_ust_tracef("%d", i);
#elif defined(EVENT_PLAIN) && defined(WITH_ANNOTATIONS)
  ADA_INSTANT("work");
#elif defined(EVENT_SPAN) && defined(WITH_ANNOTATIONS)
  ADA_SPAN_BEGIN(work, "work");
  __asm__ volatile("" : : "r"(i));
  ADA_SPAN_END(work);
#elif defined(EVENT_NUMBER) && defined(WITH_ANNOTATIONS)
  ADA_INSTANT("work", i);
#elif defined(EVENT_TEXT) && defined(WITH_ANNOTATIONS)
  const char *what = text;
  ADA_INSTANT("work", what);
#else
  __asm__ volatile("" : : "r"(i));
#endif
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  const int bursts = argc > 1 ? atoi(argv[1]) : 10;
  if (argc > 2)
    text = strcpy(malloc(64), text);
  for (int burst = -2; burst < bursts; ++burst) { // the first two prepare pages and threads
    const double begin = now();
    for (int i = 0; i < EVENTS; ++i)
      event(i);
    const double end = now();
    if (burst >= 0)
      printf("%.2f\n", (end - begin) / EVENTS);
    const struct timespec pause = {0, 20000000};
    nanosleep(&pause, NULL);
  }
  return 0;
}
