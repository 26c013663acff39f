/* trace.h - the C API of the runtime, for programs that are traced.
 *
 * Nothing here is needed to be traced: a program that is built with the plugin and
 * linked with the runtime records from its first function on (see ADA_OPTIONS in
 * docs/options.md). Use it to record only part of a run:
 *
 *     ADA_OPTIONS=enabled=0 ./server
 *
 *     ada_start();
 *     handle(request);
 *     ada_stop();
 *     ada_flush();                        // what was recorded is in the files now
 *     printf("trace: %s\n", ada_session_path());
 *
 * All functions may be called from any thread. Unless said otherwise they are not
 * async-signal-safe. None of them fails visibly in a program that is not being
 * recorded (a wrong option, an unwritable directory): they do nothing then.
 *
 * Build with -DADA_TRACE_DISABLED to compile all of it away.
 */
#ifndef ADA_TRACE_H
#define ADA_TRACE_H

#include "attributes.h"
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ADA_TRACE_DISABLED
#pragma GCC visibility push(default)

/* Starts recording, or goes on after ada_stop(): calls that begin from here on are
 * recorded, in all threads, for all selected functions. Selected is what the options
 * include and exclude say, as changed by ada_enable() and ada_disable(). */
void ada_start(void);

/* Stops recording: calls that begin from here on are not recorded. A call that is
 * being recorded still gets its exit event, so the trace stays well nested. */
void ada_stop(void);

/* Selects, or deselects, the functions that match `glob` (`*`, `?`, `[a-z]`, alternatives
 * separated by '|'; matched against the mangled name, the demangled name and the source file), in all images that are loaded
 * and in those that will be. The last call that matches a function decides.
 * Returns how many loaded functions matched, or -1 if there are too many rules
 * (the limit is 256 rules of together 16 KiB). */
int64_t ada_enable(const char *glob);
int64_t ada_disable(const char *glob);

/* Switches the recording of argument and return registers and of the top of the stack on, or off, for the selected functions that match
 * `glob`, as option detail does. Same rules and result as ada_enable(). */
int64_t ada_enable_detail(const char *glob);
int64_t ada_disable_detail(const char *glob);

/* With detail_mode=window: opens a window now, so that the detail events from pre_roll_ms before to post_roll_ms after the call are
 * kept. Otherwise it does nothing. Async-signal-safe; takes well under a microsecond. */
void ada_trigger(void);

/* Writes out everything that was recorded before the call, in all threads, and returns when
 * it is in the files (in the page cache; no fsync). Returns 0, or -1 if it could not be written. */
int ada_flush(void);

/* Names the calling thread in the trace (at most 15 bytes are kept). Without it the name is the
 * one that the system knows (pthread_setname_np) when the thread ends. */
void ada_set_thread_name(const char *name);

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
static inline int64_t ada_enable(const char *glob) { (void)glob; return 0; }
static inline int64_t ada_disable(const char *glob) { (void)glob; return 0; }
static inline int64_t ada_enable_detail(const char *glob) { (void)glob; return 0; }
static inline int64_t ada_disable_detail(const char *glob) { (void)glob; return 0; }
static inline void ada_trigger(void) {}
static inline int ada_flush(void) { return 0; }
static inline void ada_set_thread_name(const char *name) { (void)name; }
static inline uint64_t ada_get_timestamp_ns(void) { return 0; }
static inline const char *ada_session_path(void) { return ""; }

#endif

#ifdef __cplusplus
}
#endif
#endif /* ADA_TRACE_H */
