/* Layout of the ring file, in which the newest events of a process outlive it.
 *
 * While a process records, its newest events live in one file that is mapped
 * shared, in /dev/shm where there is one. The file outlives the process: after
 * kill -9, an OOM kill or a crash, `adatrace recover` takes from it what the drain
 * had not yet written. `adatrace record` reads its statistics for the progress line.
 *
 *   0 ┌──────────────────────────┐
 *     │ ada_ring_header          │  4 KiB
 *     │ anchors                  │  2048 pairs (counter, time): the newest ones
 *     │ process directory        │  NUL-terminated path, 4 KiB
 *     │ ada_ring_orders          │  16 KiB
 *     │ another process directory│  4 KiB, for a process that moves to another session
 *     │ ada_ring_sched [4]       │  4 KiB
 *     ├──────────────────────────┤  modules_offset
 *     │ ada_ring_module [16384]  │  1 MiB, sparse; a slot is reused when its unloaded module has no unread records
 *     ├──────────────────────────┤  threads_offset
 *     │ ada_ring_thread [65536]  │  32 MiB, sparse; slots are reused when threads have ended
 *     ├──────────────────────────┤  chunks_offset, a multiple of 64 KiB
 *     │ chunk 0                  │  64 KiB: header, 3580 records, guard
 *     │ chunk 1 …                │
 *     └──────────────────────────┘
 *
 *   a chunk:  0        64                                 57344        65536
 *             │ header │ record 0 │ … │ record 3579        │ guard, 8 KiB │
 *
 * Chunks are aligned to 64 KiB in memory. So the low 16 bits of a position are its
 * offset in the chunk, and one comparison with 57344 shows whether it is full. The guard has two uses.
 * The detail of the last record may end in it. And positions that are reserved in a full chunk lie in it,
 * until the slow path gives the thread a new chunk: those of the thread, and of signal handlers that interrupt it.
 * There is room for a dozen handlers that interrupt each other within those few instructions.
 *
 * Chunks are zeroed before they are used again. So a record is complete when its
 * stamp is not 0, and its `what` is known when that is not 0, whatever the clock.
 * Records of a thread may have equal stamps, but no record has an older stamp than those the thread recorded before it.
 * shared/ring/chunk_walk.h has the rules for reading.
 *
 * Only the drain gives memory to the file's holes, before it is needed, and only parts with memory are ever mapped:
 * a store to a hole could raise SIGBUS when the file system is full.
 *
 * All fields are little-endian, of fixed width, and naturally aligned. Fields marked
 * (atomic) are read while they are written.
 */
#pragma once

#include <ada/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ADA_RING_MAGIC 0x37474e4952414441ull /* "ADARING7" */

#ifndef ADA_CHUNK_BYTES
#define ADA_CHUNK_BYTES 65536u
#define ADA_CHUNK_GUARD_BYTES 8192u
#endif
#define ADA_CHUNK_HEADER_BYTES 64u
/* ADA_CHUNK_FULL, where the guard begins, is in abi.h. */
#define ADA_CHUNK_RECORDS ((ADA_CHUNK_FULL - ADA_CHUNK_HEADER_BYTES) / 16u)
#define ADA_CHUNK_NOTES_PER_CURSOR ((ADA_CHUNK_BYTES - ADA_CHUNK_HEADER_BYTES) / 2u / 16u)

#define ADA_RING_ANCHORS 2048u
#define ADA_RING_ANCHORS_OFFSET 4096u
#define ADA_RING_PATH_OFFSET (ADA_RING_ANCHORS_OFFSET + ADA_RING_ANCHORS * 16u)
#define ADA_RING_PATH_BYTES 4096u
#define ADA_RING_ORDERS_OFFSET (ADA_RING_PATH_OFFSET + ADA_RING_PATH_BYTES)
#define ADA_RING_OTHER_PATH_OFFSET (ADA_RING_ORDERS_OFFSET + 16384u)
#define ADA_RING_SCHED_OFFSET (ADA_RING_OTHER_PATH_OFFSET + ADA_RING_PATH_BYTES)
#define ADA_RING_SCHEDS 4u
/* In ada_ring_header.directory_number: the path is the other one. */
#define ADA_RING_OTHER_PATH (1ull << 63)
#define ADA_RING_MODULES 16384u
#define ADA_RING_THREADS 65536u

/* ada_ring_header.state */
#define ADA_RING_RECORDING 1u
#define ADA_RING_FINISHED 2u /* all files have their footers; nothing to recover */
#define ADA_RING_EXEC 3u     /* the process went into exec after writing everything out */
#define ADA_RING_STOPPED 4u  /* an order stopped recording: all files have their footers, and the process goes on */

/* ada_ring_header.format: packed index and detail files. */
#define ADA_FORMAT_PACKED 3u

/* What a record's stamp counts. */
#define ADA_CLOCK_COUNTER 1u /* the CPU's counter */
#define ADA_CLOCK_SYSTEM 2u  /* nanoseconds of CLOCK_BOOTTIME */

/* Where records get their stamps from. */
#define ADA_TIMES_EXACT 0u /* each reads the clock */
#define ADA_TIMES_TICK 1u  /* from the time word; while that stands still, each reads the clock */
#define ADA_TIMES_NONE 2u  /* from the time word, which is not advanced on purpose: they only show the order */

typedef struct ada_anchor {
  uint64_t counter;
  uint64_t time_ns; /* CLOCK_BOOTTIME */
} ada_anchor;

typedef struct ada_ring_header {
  uint64_t magic;
  uint32_t abi_version;
  uint32_t state; /* (atomic) ADA_RING_* */
  uint32_t pid;
  uint32_t format;                       /* of the files: ATF version 1 or 2, or ADA_FORMAT_PACKED */
  uint32_t arch;                         /* ATF architecture code: 1 x86-64, 2 AArch64 */
  uint32_t clock;                        /* ADA_CLOCK_* */
  uint64_t modules_offset, modules_used; /* (atomic) used: high-water mark of slots */
  uint64_t threads_offset, threads_used; /* (atomic) used: high-water mark of slots */
  uint64_t chunks_offset, chunks_used;   /* (atomic) used: chunks that have memory */
  uint64_t chunks_capacity;
  uint64_t anchors_used;      /* (atomic) anchors ever taken; number n is at n % 2048 */
  uint64_t threads_seen;      /* (atomic) threads that have recorded: thread_N for N below it */
  uint64_t events_written;    /* (atomic) events in the files */
  uint64_t events_lost;       /* (atomic) records dropped, for any reason */
  uint64_t bytes_written;     /* (atomic) */
  uint64_t events_unattached; /* (atomic) of events_lost, those of threads that got no ada_ring_thread */
  uint64_t events_late;       /* (atomic) of events_lost, those of threads that had ended: of their signal handlers */
  uint64_t events_ended;      /* of events_lost, those of threads whose slots are free again. See ADA_THREAD_GONE */
  uint64_t started_ns;        /* (atomic) when recording began or was last resumed, on CLOCK_BOOTTIME */
  uint64_t stopped_ns;        /* (atomic) when an order stopped it; 0 while it is on */
  uint32_t locked;            /* (atomic) the drain holds a lock on this file (flock) for as long as it lives */
  uint32_t detail_windows;    /* detail is kept around triggers only */
  /* With times from a word that is advanced now and then (clock=tick, clock=none). In units of the stamps: */
  uint32_t times;             /* ADA_TIMES_* */
  uint32_t flight;            /* events are kept in memory until a trigger */
  uint64_t tick_ns;           /* how often it is to be advanced; 0 if only by the way */
  uint64_t tick_gaps;         /* (atomic) sum of the times between two advances, */
  uint64_t tick_gaps_squared; /* (atomic) of their squares, divided by 2^16, */
  uint64_t tick_longest;      /* (atomic) and the longest */
  /* Faults of the counter, which occur when a virtual machine is restored and where CPUs have different counters: */
  uint64_t counter_faults; /* (atomic) how often it went back, or a thread's was far ahead of the drain's */
  uint64_t anchors_from;   /* (atomic) older anchors are of a counter that has gone back since */
  /* Calls that stay out of the files: see shared/ring/left_out.h */
  uint64_t least_ns;       /* shorter calls */
  uint64_t most_depth;     /* calls inside of that many others; 0: none */
  uint64_t left_out_ended; /* events that stayed out, of threads whose slots are free again. See ADA_THREAD_GONE */
  /* With option rotate. While this is 0, the process directory is the one named in this file.
   * A number N that is not 0 means its neighbour pid_P_N, where P is `pid`. With the bit ADA_RING_OTHER_PATH, the
   * other one of the two paths in this file counts.
   * The cursors describe the files in that directory only. */
  uint64_t directory_number; /* (atomic) */
  uint64_t events_before;    /* (atomic) of events_written, those in the directories before it; */
  uint64_t bytes_before;     /* (atomic) likewise of bytes_written */
  uint64_t lost_before;      /* (atomic) likewise of events_lost */
  /* With trigger=signal, detail_windows: the death of the process opens a window,
   * and there may be no thread left to see that. */
  uint64_t death_pre_roll; /* how far back the window reaches, in nanoseconds, plus 1; 0: none is opened */
  uint64_t detail_gone_ns; /* (atomic) detail up to this time would not be in it */
  uint64_t alive_ns;       /* (atomic) when the drain last looked for records */
  /* Why nothing more is written to the files. Recovery reads it, because there may be no manifest that says it.
   * NUL-terminated from its first byte on. */
  char failure[512];
  /* What a signal handler saw of the signal that ends the process (option crash). */
  struct ada_ring_death {
    uint32_t signal; /* (atomic) its number, stored last; 0: nothing was seen */
    int32_t cause;   /* si_code */
    uint32_t tid;    /* the thread that it hit */
    uint32_t sender; /* the process that sent it, and its user: if `cause` is not above 0 */
    uint32_t sender_user;
    uint32_t taken;             /* (atomic) the first handler writes */
    uint64_t address;           /* si_addr of a fault */
    uint64_t registers[34];     /* in the order of ArchInfo::onFault */
    uint64_t forbidden_counter; /* 1: it read the CPU's counter, which its thread had forbidden itself (PR_SET_TSC) */
  } death;
  /* In the state ADA_RING_EXEC, events_written plus events_lost of that moment, plus 1. Later events, of other threads
   * or of signal handlers, are not in the manifest. */
  uint64_t events_at_exec;
} ada_ring_header;

/* Copies of its functions may have been inlined together with their hooks: two open calls can have one frame. */
#define ADA_MODULE_INLINED 1u
/* With INLINED: nobody has looked yet whether there are any. Looking takes time that grows with the number of
 * functions, and most programs never make it necessary. */
#define ADA_MODULE_UNEXAMINED 2u

/* Orders from other processes, which the drain executes: docs/explanation/control.md.
 * A controller holds a lock on this part of the file (F_OFD_SETLK), waits until `done` equals `asked`, writes the text,
 * adds 1 to `asked` and to `wake`, wakes the drain if it sleeps, and waits until `done` equals `asked`. After two
 * seconds it empties the text: an order that has not begun then does nothing. Both futexes are shared between
 * processes. */
typedef struct ada_ring_orders {
  uint32_t wake;     /* (atomic) futex: changes when there is something for the drain to do */
  uint32_t sleeping; /* (atomic) the drain sleeps on `wake` */
  uint32_t asked;    /* (atomic) the number of the newest order */
  uint32_t done;     /* (atomic) futex: the number of the last order that was executed */
  uint64_t asked_ns; /* when it was given, on CLOCK_BOOTTIME */
  int64_t result;    /* of the last order: how many functions match, or 0; negative: `answer` says what is wrong */
  uint64_t lease_ns; /* (atomic) recording stops at this time unless its controller moves it; 0: no such time */
  uint32_t begun;    /* (atomic) the number of the last order that was read */
  uint32_t reserved[5];
  char text[8128];   /* "verb" or "verb argument", NUL-terminated */
  char answer[8192]; /* likewise */
} ada_ring_orders;

typedef struct ada_ring_module {
  uint64_t begin, end;   /* its ada_functions section in memory */
  uint64_t loaded_stamp; /* (atomic) counter when it was registered: of the modules that cover an */
                         /* address and are not younger than the record, the newest counts; */
                         /* UINT64_MAX while the slot is being filled in */
  uint32_t module_id;
  uint32_t next_retired;   /* the runtime's: the slot number + 1 that can be reused after this one */
  uint64_t unloaded_stamp; /* counter when it was unloaded, the runtime's as well */
  uint64_t flags;          /* ADA_MODULE_* */
  uint64_t reserved[2];
} ada_ring_module;

/* A run of places that a thread had reserved, but about which nothing was known yet when the drain had to move on past
 * them (see chunk_walk.h). */
typedef struct ada_ring_run {
  uint32_t seq;        /* the low bits of the chunk's sequence number */
  uint16_t begin, end; /* the first place, and the one after the last; both 0 if unused */
  uint32_t depth;      /* calls that were open there */
  uint32_t reserved;
} ada_ring_run;
#define ADA_RING_RUNS 3u

/* Why records were lost: indices of the arrays `lost`. */
#define ADA_LOST_RING_FULL 0u   /* overflow=drop and no chunk was free */
#define ADA_LOST_NO_MEMORY 1u   /* the ring file could not grow */
#define ADA_LOST_WRITE_ERROR 2u /* disk full and the like */
#define ADA_LOST_INTERRUPTED 3u /* signal handlers left more hooks by longjmp than can be tracked */
#define ADA_LOST_NO_MODULE 4u   /* of functions that are not in any registered module */
#define ADA_LOST_REASONS 5u

/* How far the drain has come with one thread: `events` events are in the index file, the next record to look at is
 * number `record` of the chunk with sequence number `chunk_seq`, and records in `runs` may still come.
 * Losses among the records before that one are in `lost` and `gaps`, unless they are in ada_ring_thread.lost:
 * see shared/ring/losses.h. */
typedef struct ada_ring_cursor {
  uint64_t events;
  uint64_t chunk_seq;
  uint32_t record;
  uint32_t notes;        /* how many ada_ring_note of this cursor's half of the thread's notes chunk are valid; */
                         /* ADA_NOTES_MISSING if there should be some, but there was no memory */
  uint64_t newest_stamp; /* of the records taken since there have been runs */
  ada_ring_run runs[ADA_RING_RUNS];
  int64_t gaps;
  uint64_t lost[ADA_LOST_REASONS];
} ada_ring_cursor;

/* What an index file can't show about the calls that are open at a cursor: which ones carry a setjmp's mark,
 * where there are open calls that were entered while records were lost, and which open calls are not in the file. */
typedef struct ada_ring_note {
  uint32_t depth; /* index in the stack of open calls */
  uint32_t lost;  /* number of lost calls that lie here; 0 for a mark, or one of the two below */
  uint64_t mark;  /* frame address, of the call at `depth`; its function; or when it began, in nanoseconds */
} ada_ring_note;

#define ADA_NOTE_FUNCTION UINT32_MAX    /* the call is not in the file */
#define ADA_NOTE_BEGIN (UINT32_MAX - 1) /* follows it: when the call began */

#define ADA_NOTES_MISSING UINT32_MAX

/* ada_ring_thread.state */
#define ADA_THREAD_FREE 0u
#define ADA_THREAD_LIVE 1u
#define ADA_THREAD_ENDED 2u /* the thread is gone, its records are not all written yet */
#define ADA_THREAD_GONE                                                                                                \
  3u /* its files are finished: events_ended and left_out_ended of the header are to be what it says here */

/* One thread that records. The cursor is a two-slot journal: the drain writes the
 * cursor that will be true after its next write to cursor[1 - current], writes the
 * events, then flips `current`. After a kill, the other slot is the right one if
 * the file holds as many events as it says.
 *
 * A thread that finds no free chunk sets `waiting` and sleeps on it. The drain
 * answers by setting it to 0 when there may be one, or when the thread's own chunk
 * has been read to its end: then `drained` is (its sequence number + 1) * 2, and the
 * thread may zero that chunk and use it again under the next sequence number. If a
 * place of it may still be written to (ADA_DRAINED_HELD), the thread gets another
 * chunk even beyond the limit. So threads can't make each other wait, however many there are. */
typedef struct ada_ring_thread {
  uint32_t state;   /* (atomic) ADA_THREAD_* */
  uint32_t index;   /* N of thread_N, dense, in order of first event */
  uint32_t tid;     /* OS thread id */
  uint32_t current; /* (atomic) which cursor is valid */
  ada_ring_cursor cursor[2];
  uint64_t first_chunk;            /* (atomic) chunk number + 1 */
  uint64_t lost[ADA_LOST_REASONS]; /* (atomic) what the thread itself could not record */
  char name[16];         /* as for pthread_setname_np; empty for a live thread unless the program gave it one */
  uint64_t drained;      /* (atomic) */
  uint32_t waiting;      /* (atomic) futex */
  uint32_t notes_chunk;  /* chunk number + 1 of the notes: a half per cursor; 0 if there never were any */
  uint64_t events_ended; /* see ADA_THREAD_GONE */
  char comm[16];         /* the system's name for it when the drain last asked */
  uint64_t left_out[2];  /* with each cursor: events that least_ns and most_depth kept out of the file */
  uint64_t left_out_ended;
  uint64_t lost_in_gaps[2]; /* with each cursor: the part of `lost` that records read so far report (ADA_RECORD_LOST) */
  /* How long the recorder held the thread up: see shared/ring/held.h. The thread writes the first three and
   * the last two, on the clock of ada_chunk.held_from; the drain writes the others, in nanoseconds. */
  uint64_t held_since;           /* (atomic) when it began to wait for a chunk; 0 if it is not waiting */
  uint64_t held_at_end;          /* (atomic) when it began to wait for all to be written, before exit or exec; or 0 */
  uint64_t held_unplaced;        /* (atomic) the sum of the times that no chunk reports */
  uint64_t held_seq;             /* what chunks below this number report is in the thread's lane, or in held_missing */
  uint64_t held_missing;         /* of the present part: what chunks reported and the lane does not have */
  uint64_t held_unplaced_before; /* the part of held_unplaced that earlier parts have reported */
  uint64_t stack_low;            /* the thread's own: how far its stack is known to reach, or ADA_STACK_OF_FIBER, */
  uint64_t signal_stack;         /* and the signal stack it was asked about, with 1 if that lies in frames */
  uint64_t stack_window;         /* the last ADA_RECORD_STACK */
  uint64_t held_lost;            /* (atomic) the cost of the events lost since the newest chunk began, */
  uint64_t held_lost_seq;        /* if the chunk that will report it has this sequence number, plus 1 */
  uint32_t inferred[2];          /* with each cursor: exits in the file that no hook saw (EventKind::Inferred) */
} ada_ring_thread;

/* The scheduling record of the thread in one of the first slots, as long as it is short: then a process that ends soon
 * needs no file for it, because its manifest has it. They are the bytes of a scheduling file (docs/formats/sched.md).
 */
typedef struct ada_ring_sched {
  uint32_t bytes; /* (atomic) how many there are; 0: if there is a file, that has them */
  uint32_t reserved;
  /* ada_ring_header.directory_number when they began: they say nothing about other parts of the trace. */
  uint64_t directory;
  unsigned char data[1008];
} ada_ring_sched;

#define ADA_DRAINED_HELD 1u
#define ADA_STACK_OF_FIBER UINT64_MAX

/* Why the recorder held a thread up: ada_chunk.held_reason, and the values in a lane (docs/formats/sched.md). */
#define ADA_HELD_WAITED 1u  /* the ring was full: no chunk was free */
#define ADA_HELD_TOUCH 2u   /* the first touch of a chunk's memory */
#define ADA_HELD_OTHER 4u   /* anything else on the slow path: the first event of a process and of a thread, locks */
#define ADA_HELD_LOST 8u    /* in a lane only: the cost of events that were lost */
#define ADA_HELD_MEMORY 16u /* the ring was not full, but the drain had to make memory for a chunk */

/* ada_chunk.state */
#define ADA_CHUNK_FREE 0u
#define ADA_CHUNK_USED 1u
#define ADA_CHUNK_NOTES 2u  /* holds ada_ring_note instead of records */
#define ADA_CHUNK_DETAIL 3u /* is an ada_detail_chunk */

typedef struct ada_chunk {
  uint32_t state;       /* (atomic) ADA_CHUNK_* */
  uint32_t thread;      /* N of thread_N */
  uint64_t seq;         /* (atomic) ordinal of the chunk in its thread, from 0 */
  uint64_t start_stamp; /* when the thread got it */
  uint32_t next;        /* (atomic) chunk number + 1 of the successor, 0 while this is the newest */
  uint32_t number;      /* its place in the file */
  /* From when to when getting this chunk held the thread up, on the clock of the anchors (never the time word,
   * which may stand still), or on the system's clock where stamps count that. Both 0 if it was not measured. */
  uint64_t held_from, held_to;
  uint32_t held_reason; /* ADA_HELD_*, except for the */
  uint32_t held_touch;  /* last part of it, of this length, which was ADA_HELD_TOUCH */
  uint64_t held_lost;   /* before that, the cost of events that were lost since the previous chunk */
  /* ada_record records[ADA_CHUNK_RECORDS]; guard */
} ada_chunk;

/* Detail that waits for a trigger: encoded detail events of a thread whose index events
 * are written, each after an ada_detail_entry. `seq` orders the chunks of a thread. */
typedef struct ada_detail_chunk {
  uint32_t state;  /* (atomic) ADA_CHUNK_DETAIL while `thread` has it */
  uint32_t thread; /* N of thread_N */
  uint64_t seq;
  uint32_t begin, end; /* (atomic) bytes after this header that are entries */
  uint64_t next;       /* the drain's own: the address of its next one */
  uint64_t number;     /* its place in the file */
  uint64_t reserved[3];
} ada_detail_chunk;

typedef struct ada_detail_entry {
  uint64_t ns, index_seq; /* of the index event */
  uint32_t bytes;         /* of the detail events that follow, as in an ATF detail file; then zeros up to 8 */
  uint8_t count;          /* how many there are */
  uint8_t state;          /* ADA_DETAIL_WANTED, or the drain's own */
} ada_detail_entry;

/* A slow trigger has caught its call, so it belongs to the trace even if it lies in no window. */
#define ADA_DETAIL_WANTED 2u

ADA_ABI_ASSERT(sizeof(ada_ring_header) <= ADA_RING_ANCHORS_OFFSET, "header fits");
ADA_ABI_ASSERT(sizeof(ada_ring_orders) == 16384, "ada_ring_orders is 16 KiB");
ADA_ABI_ASSERT(ADA_RING_ORDERS_OFFSET + sizeof(ada_ring_orders) == ADA_RING_OTHER_PATH_OFFSET,
               "orders lie before the other path");
ADA_ABI_ASSERT(sizeof(ada_ring_sched) == 1024, "ada_ring_sched is 1 KiB");
ADA_ABI_ASSERT(ADA_RING_SCHED_OFFSET + ADA_RING_SCHEDS * sizeof(ada_ring_sched) <= 65536u,
               "they lie before the modules");
ADA_ABI_ASSERT(sizeof(ada_ring_module) == 64, "ada_ring_module is 64 bytes");
ADA_ABI_ASSERT(sizeof(ada_ring_thread) == 512, "ada_ring_thread is 512 bytes");
ADA_ABI_ASSERT(ADA_CHUNK_FULL == ADA_CHUNK_BYTES - ADA_CHUNK_GUARD_BYTES, "the guard begins at ADA_CHUNK_FULL");
ADA_ABI_ASSERT(sizeof(ada_chunk) == ADA_CHUNK_HEADER_BYTES, "ada_chunk is 64 bytes");
ADA_ABI_ASSERT(sizeof(ada_detail_chunk) == ADA_CHUNK_HEADER_BYTES, "ada_detail_chunk is 64 bytes");
ADA_ABI_ASSERT(sizeof(ada_detail_entry) == 24, "ada_detail_entry is 24 bytes");

#ifdef __cplusplus
}
#endif
