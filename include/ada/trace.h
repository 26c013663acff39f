/* The C API of the runtime, for programs that are traced.
 *
 * A program needs none of this to be traced: if it is built with the plugin and
 * linked with the runtime, it records from its first function on (see ADA_OPTIONS in
 * docs/reference/options.md). Use these functions to record only part of a run:
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

/* ADA_DEFAULT_OPTIONS("enabled=1"); in one file of a program: its options where ADA_OPTIONS says nothing else. Without
 * this, a program records nothing unless ADA_OPTIONS is set, `adatrace record` runs it, or `adatrace start` asks it to.
 * `ada-clang --ada-record-always` links an object with this line. */
#define ADA_DEFAULT_OPTIONS(text) ADA_DEFAULT_OPTIONS_LINKAGE const char ada_default_options[] = text
#ifdef __cplusplus
#define ADA_DEFAULT_OPTIONS_LINKAGE extern "C" __attribute__((used, visibility("default")))
#else
#define ADA_DEFAULT_OPTIONS_LINKAGE __attribute__((used, visibility("default")))
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

/* Selects or deselects the functions that match `glob` (docs/reference/globs.md: mangled name, demangled name or source
 * file; '|' separates alternatives), in all images that are loaded now or later. The last call that matches a function
 * decides. Returns how many loaded functions matched, or -1 if there are too many rules (the limit is 256 rules,
 * 16 KiB in total). ada_enable() switches a function that the option budget has switched off on again, for good. */
int64_t ada_enable(const char *glob);
int64_t ada_disable(const char *glob);

/* Switches the recording of argument and return registers and of the top of the stack on or off, as option detail does,
 * for the selected functions that match `glob`. Same rules and result as ada_enable(). */
int64_t ada_enable_detail(const char *glob);
int64_t ada_disable_detail(const char *glob);

/* With detail_mode=window: opens a window now, so that the detail events from pre_roll_ms before to post_roll_ms after
 * the call are kept. With flight: writes what is kept in memory to a session, while the program runs on.
 * Events recorded before the drain starts on this are part of the session, too, unless ada_flush() follows directly:
 * it returns when the drain has started. With neither option it does nothing. Async-signal-safe;
 * takes well under a microsecond. */
void ada_trigger(void);

/* Writes out everything that was recorded before the call, in all threads, and returns when
 * it is in the files (in the page cache; no fsync). Returns 0, or -1 if it could not be written. */
int ada_flush(void);

/* Names the calling thread in the trace (at most 15 bytes are kept). Otherwise the trace has the system's name for the
 * thread (pthread_setname_np) at the time the thread ends. */
void ada_set_thread_name(const char *name);

/* Fibers: several stacks that a thread itself switches between. Each has its own row in the trace, like a thread,
 * even if it continues in another thread. swapcontext and its relatives, and longjmp between such stacks, are followed
 * where code that was compiled with the plugin calls them and setjmp. A program that switches in another way
 * (Boost.Context, assembly) has to say so:
 *
 *     ada_fiber *main_fiber = ada_fiber_current();
 *     ada_fiber *worker = ada_fiber_create("worker");
 *     …
 *     ada_fiber_switch(worker);        // from now on the worker records, so: directly before
 *     switch_to_the_workers_stack();
 *     …                                // and the worker, before it switches back:
 *     ada_fiber_switch(main_fiber);
 *
 * If nothing is recorded, the functions may still be called, and do nothing that matters.
 * Costs about as much as four system calls. */
typedef struct ada_fiber ada_fiber;

/* A fiber that has not run yet. Its row is called `name` (at most 15 bytes are kept), or "fiber N" if
 * that is null. Null if there is no memory, which the other functions accept. */
ada_fiber *ada_fiber_create(const char *name);

/* The fiber that the calling thread records for: at first the thread itself. */
ada_fiber *ada_fiber_current(void);

/* From now on the calling thread records for this fiber. It must not be running in another thread. */
void ada_fiber_switch(ada_fiber *to);

/* The fiber will not run again: finishes its row and frees it. If it is the calling thread's, that
 * happens at the next switch. */
void ada_fiber_end(ada_fiber *fiber);

/* Records which media time it is now: `value`, in units of 1/`timescale` seconds. The manifest lists all such pairs
 * (timing_anchors), so that audio, video or a log can be lined up with the trace; `adatrace tree --from=@label` goes
 * there. At most 71 bytes of the label are kept. Returns when the anchor is in a file, after about a tenth of a
 * millisecond: it is kept even if the program is killed then. */
void ada_timing_anchor(const char *label, int64_t value, int64_t timescale);

/* Now, on the clock of the events: nanoseconds of the machine's CLOCK_BOOTTIME, also in a time namespace, where
 * clock_gettime() differs. An event's time differs from it by less than a microsecond. Makes one or two system calls.
 * Async-signal-safe. */
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
