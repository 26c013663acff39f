/* The C API of the runtime, for programs that are traced.
 *
 * A program needs none of this to be traced: if it is built with the plugin and
 * linked with the runtime, it records from its first function on (see ADA_OPTIONS in
 * docs/options.md). Use these functions to record only part of a run:
 *
 *     ADA_OPTIONS=enabled=0 ./server
 *
 *     ada_start();
 *     handle(request);
 *     ada_stop();
 *     ada_flush();                        // what was recorded is in the files now
 *     printf("trace: %s\n", ada_session_path());
 *
 * annotations.h, which this includes, has spans, instants, counters and flows.
 *
 * All functions may be called from any thread. Unless stated otherwise they are not
 * async-signal-safe. In a program that is not being recorded (because of a wrong
 * option or an unwritable directory, for example) they do nothing.
 *
 * Build with -DADA_TRACE_DISABLED to compile all of it away.
 */
#ifndef ADA_TRACE_H
#define ADA_TRACE_H

#include "annotations.h"
#include "attributes.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ADA_TRACE_DISABLED
#pragma GCC visibility push(default)

/* Starts recording, or continues it after ada_stop(): calls that begin from here on
 * are recorded, in all threads, for all selected functions. The options include and
 * exclude select functions; ada_enable() and ada_disable() change the selection. */
void ada_start(void);

/* Stops recording: calls that begin from here on are not recorded. A call that is
 * being recorded still gets its exit event, so the trace stays well nested. */
void ada_stop(void);

/* Selects, or deselects, the functions that `glob` means (docs/globs.md: mangled name, demangled name or source file;
 * '|' separates alternatives), in all images that are loaded and in those that will be. The last call that matches a
 * function decides. Returns how many loaded functions matched, or -1 if there are too many rules (the limit is 256
 * rules of together 16 KiB). A function that the option budget has switched off is on again, for good, after
 * ada_enable(). */
int64_t ada_enable(const char *glob);
int64_t ada_disable(const char *glob);

/* Switches the recording of argument and return registers and of the top of the stack on, or off, for the selected
 * functions that match `glob`, as option detail does. Same rules and result as ada_enable(). */
int64_t ada_enable_detail(const char *glob);
int64_t ada_disable_detail(const char *glob);

/* With detail_mode=window: opens a window now, so that the detail events from pre_roll_ms before to post_roll_ms after
 * the call are kept. With flight: what is kept in memory is written to a session, while the program runs on; what is
 * recorded in the moment until the drain takes that up is part of it, unless ada_flush() follows directly, which
 * returns when it has begun. Otherwise it does nothing. Async-signal-safe; takes well under a microsecond. */
void ada_trigger(void);

/* Writes out everything that was recorded before the call, in all threads, and returns when
 * it is in the files (in the page cache; no fsync). Returns 0, or -1 if it could not be written. */
int ada_flush(void);

/* Names the calling thread in the trace (at most 15 bytes are kept). Otherwise the trace has the
 * system's name of the thread (pthread_setname_np) at the time when it ends. */
void ada_set_thread_name(const char *name);

/* Fibers: several stacks that a thread switches between by itself. Each has a row of its own in the
 * trace, as a thread has, also when it goes on in another thread. swapcontext and its relatives are
 * followed where they are called by code that was compiled with the plugin; whoever switches in
 * another way (Boost.Context, assembly) says so:
 *
 *     ada_fiber *main_fiber = ada_fiber_current();
 *     ada_fiber *worker = ada_fiber_create("worker");
 *     …
 *     ada_fiber_switch(worker);        // from now on the worker records, so: directly before
 *     switch_to_the_workers_stack();
 *     …                                // and the worker, before it switches back:
 *     ada_fiber_switch(main_fiber);
 *
 * Where nothing is recorded the functions do nothing that matters, and may be called all the same.
 * Costs about as much as four system calls. */
typedef struct ada_fiber ada_fiber;

/* A fiber that has not run yet. Its row is called `name` (at most 15 bytes are kept), or "fiber N" if
 * that is null. Null if there is no memory, which the other functions accept. */
ada_fiber *ada_fiber_create(const char *name);

/* The one that the calling thread records for: at first the thread itself. */
ada_fiber *ada_fiber_current(void);

/* From now on the calling thread records for this one. It must not be running in another thread. */
void ada_fiber_switch(ada_fiber *to);

/* The fiber will not run again: finishes its row and frees it. If it is the calling thread's, that
 * happens at the next switch. */
void ada_fiber_end(ada_fiber *fiber);

/* Says which media time it is now: `value` units of which a second has `timescale`. The manifest lists all such pairs
 * (timing_anchors), so that audio, video or a log can be put beside the trace; `adatrace tree --from=@label` goes
 * there. At most 71 bytes of the label are kept. Returns when it is in a file, after a tenth of a millisecond or so:
 * the program may be killed then. */
void ada_timing_anchor(const char *label, int64_t value, int64_t timescale);

/* Now, on the clock of the events: nanoseconds of CLOCK_BOOTTIME. An event's
 * time differs from it by less than a microsecond. Async-signal-safe. */
uint64_t ada_get_timestamp_ns(void);

/* The directory of this process's trace (…/session_YYYYMMDD_HHMMSS/pid_N), or "" if nothing is recorded.
 * Valid as long as the process lives; a forked child has its own. */
const char *ada_session_path(void);

#pragma GCC visibility pop
#else

static inline void ada_start(void) {}
static inline void ada_stop(void) {}
static inline int64_t ada_enable(const char *glob) {
  (void)glob;
  return 0;
}
static inline int64_t ada_disable(const char *glob) {
  (void)glob;
  return 0;
}
static inline int64_t ada_enable_detail(const char *glob) {
  (void)glob;
  return 0;
}
static inline int64_t ada_disable_detail(const char *glob) {
  (void)glob;
  return 0;
}
static inline void ada_trigger(void) {}
static inline int ada_flush(void) { return 0; }
static inline void ada_set_thread_name(const char *name) { (void)name; }
typedef struct ada_fiber ada_fiber;
static inline ada_fiber *ada_fiber_create(const char *name) {
  (void)name;
  return 0;
}
static inline ada_fiber *ada_fiber_current(void) { return 0; }
static inline void ada_fiber_switch(ada_fiber *to) { (void)to; }
static inline void ada_fiber_end(ada_fiber *fiber) { (void)fiber; }
static inline void ada_timing_anchor(const char *label, int64_t value, int64_t timescale) {
  (void)label, (void)value, (void)timescale;
}
static inline uint64_t ada_get_timestamp_ns(void) { return 0; }
static inline const char *ada_session_path(void) { return ""; }

#endif

#ifdef __cplusplus
}
#endif
#endif /* ADA_TRACE_H */
