/* ring_file.h - layout of the ring file: what a traced process shares with its future.
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
 *     ├──────────────────────────┤  modules_offset
 *     │ ada_ring_module [16384]  │  1 MiB, sparse
 *     ├──────────────────────────┤  threads_offset
 *     │ ada_ring_thread [65536]  │  8 MiB, sparse; slots are reused when threads have ended
 *     ├──────────────────────────┤  chunks_offset, a multiple of 64 KiB
 *     │ chunk 0                  │  64 KiB: header, 3580 records, guard
 *     │ chunk 1 …                │
 *     └──────────────────────────┘
 *
 *   a chunk:  0        64                                 57344        65536
 *             │ header │ record 0 │ … │ record 3579        │ guard, 8 KiB │
 *
 * Chunks are 64 KiB-aligned in memory, so a position's low 16 bits are its offset
 * in the chunk, and one comparison with 57344 tells "full". The guard is where
 * the detail of the last record may end, and where positions land that are reserved in
 * a full chunk, by the thread or by signal handlers on top of it, before the slow path gives
 * it a new one: there is room for a dozen handlers that interrupt each other within those few instructions.
 *
 * Chunks are zeroed before they are used again once any function has had its detail recorded, so that a
 * reserved but unwritten record with detail is a run of zeros and not what happened to be there.
 *
 * Little-endian, fixed-width, naturally aligned. Fields marked (atomic) are read
 * while they are written.
 */
#ifndef ADA_RING_FILE_H
#define ADA_RING_FILE_H

#include "abi.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ADA_RING_MAGIC 0x31474e4952414441ull /* "ADARING1" */

#define ADA_CHUNK_BYTES 65536u
#define ADA_CHUNK_HEADER_BYTES 64u
#define ADA_CHUNK_GUARD_BYTES 8192u
#define ADA_CHUNK_FULL (ADA_CHUNK_BYTES - ADA_CHUNK_GUARD_BYTES)
#define ADA_CHUNK_RECORDS ((ADA_CHUNK_FULL - ADA_CHUNK_HEADER_BYTES) / 16u)

#define ADA_RING_ANCHORS 2048u
#define ADA_RING_ANCHORS_OFFSET 4096u
#define ADA_RING_PATH_OFFSET (ADA_RING_ANCHORS_OFFSET + ADA_RING_ANCHORS * 16u)
#define ADA_RING_PATH_BYTES 4096u
#define ADA_RING_MODULES 16384u
#define ADA_RING_THREADS 65536u

/* ada_ring_header.state */
#define ADA_RING_RECORDING 1u
#define ADA_RING_FINISHED 2u /* all files have their footers; nothing to recover */
#define ADA_RING_EXEC 3u     /* the process went into exec after writing everything out */

/* What a record's stamp counts. */
#define ADA_CLOCK_COUNTER 1u /* the CPU's counter */
#define ADA_CLOCK_SYSTEM 2u  /* nanoseconds of CLOCK_BOOTTIME */

typedef struct ada_anchor {
  uint64_t counter;
  uint64_t time_ns; /* CLOCK_BOOTTIME */
} ada_anchor;

typedef struct ada_ring_header {
  uint64_t magic;
  uint32_t abi_version;
  uint32_t state; /* (atomic) ADA_RING_* */
  uint32_t pid;
  uint32_t format;   /* ATF version of the files: 1 or 2 */
  uint32_t arch;     /* ATF architecture code: 1 x86-64, 2 AArch64 */
  uint32_t clock;    /* ADA_CLOCK_* */
  uint64_t modules_offset, modules_used; /* (atomic) used: entries, never shrinks */
  uint64_t threads_offset, threads_used; /* (atomic) used: high-water mark of slots */
  uint64_t chunks_offset, chunks_used;   /* (atomic) used: chunks that have memory */
  uint64_t chunks_capacity;
  uint64_t anchors_used;   /* (atomic) anchors ever taken; number n is at n % 2048 */
  uint64_t threads_seen;   /* (atomic) threads that have recorded: thread_N for N below it */
  uint64_t events_written; /* (atomic) events in the files */
  uint64_t events_lost;    /* (atomic) records dropped, for any reason */
  uint64_t bytes_written;  /* (atomic) */
  uint32_t uses_detail;    /* (atomic) a function has had its detail recorded */
  uint32_t detail_windows; /* detail is kept around triggers only */
  /* Orders from outside (adatrace trigger): a time on CLOCK_BOOTTIME, then the count, which the drain watches. */
  uint64_t trigger_time_ns;
  uint64_t trigger_count; /* (atomic) */
} ada_ring_header;

typedef struct ada_ring_module {
  uint64_t begin, end;   /* its ada_functions section in memory */
  uint64_t loaded_stamp; /* counter when it was registered: the newest module that */
                         /* covers an address and is not younger than the record counts */
  uint32_t module_id;
  uint32_t reserved0;
  uint64_t reserved[4];
} ada_ring_module;

/* How far the drain is with one thread: `events` events are in the index file, the
 * next record to look at is number `record` of the chunk with sequence number
 * `chunk_seq`. */
typedef struct ada_ring_cursor {
  uint64_t events;
  uint64_t chunk_seq;
  uint64_t record;
} ada_ring_cursor;

/* ada_ring_thread.state */
#define ADA_THREAD_FREE 0u
#define ADA_THREAD_LIVE 1u
#define ADA_THREAD_ENDED 2u /* the thread is gone, its records are not all written yet */

/* Why records were lost: indices of ada_ring_thread.lost. */
#define ADA_LOST_RING_FULL 0u   /* overflow=drop and no chunk was free */
#define ADA_LOST_NO_MEMORY 1u   /* the ring file could not grow */
#define ADA_LOST_WRITE_ERROR 2u /* disk full and the like */
#define ADA_LOST_REASONS 3u

/* One thread that records. The cursor is a two-slot journal: the drain writes the
 * cursor that will be true after its next write to cursor[1 - current], writes the
 * events, then flips `current`. After a kill, the other slot is the true one if
 * the file holds as many events as it says. */
typedef struct ada_ring_thread {
  uint32_t state;   /* (atomic) ADA_THREAD_* */
  uint32_t index;   /* N of thread_N, dense, in order of first event */
  uint32_t tid;     /* OS thread id */
  uint32_t current; /* (atomic) which cursor holds */
  ada_ring_cursor cursor[2];
  uint64_t first_chunk; /* (atomic) chunk number + 1 */
  uint64_t lost[ADA_LOST_REASONS]; /* (atomic) */
  char name[16];        /* as for pthread_setname_np */
  uint64_t reserved[2];
} ada_ring_thread;

/* ada_chunk.state */
#define ADA_CHUNK_FREE 0u
#define ADA_CHUNK_USED 1u

typedef struct ada_chunk {
  uint32_t state;       /* (atomic) ADA_CHUNK_* */
  uint32_t thread;      /* N of thread_N */
  uint64_t seq;         /* ordinal of the chunk in its thread, from 0 */
  uint64_t start_stamp; /* a record here is valid if its stamp is not older */
  uint64_t next;        /* (atomic) chunk number + 1 of the successor, 0 while this is the newest */
  uint64_t reserved[4];
  /* ada_record records[ADA_CHUNK_RECORDS]; guard */
} ada_chunk;

ADA_ABI_ASSERT(sizeof(ada_ring_header) <= ADA_RING_ANCHORS_OFFSET, "header fits");
ADA_ABI_ASSERT(sizeof(ada_ring_module) == 64, "ada_ring_module is 64 bytes");
ADA_ABI_ASSERT(sizeof(ada_ring_thread) == 128, "ada_ring_thread is 128 bytes");
ADA_ABI_ASSERT(sizeof(ada_chunk) == ADA_CHUNK_HEADER_BYTES, "ada_chunk is 64 bytes");

#ifdef __cplusplus
}
#endif
#endif /* ADA_RING_FILE_H */
