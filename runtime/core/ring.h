// ring.h - the ring file of this process: memory for records, and who owns which chunk.
//
// All functions may be called from any thread with signals blocked, the drain included; none calls into libc. See
// include/ada/ring_file.h for the layout.
#ifndef ADA_RUNTIME_CORE_RING_H
#define ADA_RUNTIME_CORE_RING_H

#include "os.h"
#include "text.h"
#include <ada/ring_file.h>

namespace ada {

class Ring {
public:
  // Makes the file at `path` and maps it. `bufferBytes`: what all threads together may use (every thread without a chunk may
  // take one beyond it). Returns 0 or a negative errno.
  int create(const char *path, uint64_t bufferBytes);
  // Forgets the mapping without touching the file: in a forked child, whose parent goes on using it.
  void abandon();
  void unlink();
  // Around fork: nobody is in the middle of anything.
  void lockForFork() { mutex_.lock(); }
  void unlockAfterFork() { mutex_.unlock(); }

  bool exists() const { return header_ != nullptr; }
  ada_ring_header &header() { return *header_; }
  const char *path() const { return path_.c_str(); }
  char *processDirectory() { return (char *)header_ + ADA_RING_PATH_OFFSET; }

  enum class Taken { Yes, Full, NoMemory };
  // A free chunk, without contents. `first`: the thread has none, so the limit does not count.
  Taken takeChunk(bool first, ada_chunk *&chunk);
  void giveBack(ada_chunk *chunk);
  // Grows the pool ahead of need and touches its pages, so that threads find memory that is there. For the drain.
  void prepareChunks();
  uint64_t chunksInUse() const { return __atomic_load_n(&inUse_, __ATOMIC_RELAXED); }
  uint64_t limit() const { return limit_; }
  // Changes whenever a chunk is given back; futex of threads that wait for one.
  uint32_t *freedWord() { return &freed_; }

  ada_ring_thread *takeThread();
  void giveBack(ada_ring_thread *thread);
  ada_ring_thread *threads() { return threads_; }

  // Null if there are too many.
  ada_ring_module *addModule();
  ada_ring_module *modules() { return modules_; }

  void addAnchor(ada_anchor anchor);
  const ada_anchor *anchors() { return (ada_anchor *)((char *)header_ + ADA_RING_ANCHORS_OFFSET); }

  ada_chunk *chunk(uint64_t number) { return (ada_chunk *)(chunks_ + number * ADA_CHUNK_BYTES); }
  uint64_t numberOf(const ada_chunk *c) { return (uint64_t)((const char *)c - chunks_) / ADA_CHUNK_BYTES; }

private:
  // Makes sure that the file has memory for these bytes: a store to a hole could raise SIGBUS on a full file system.
  int back(uint64_t offset, uint64_t bytes);
  bool growPool(bool first);

  Path path_;
  ada_ring_header *header_ = nullptr;
  ada_ring_module *modules_ = nullptr;
  ada_ring_thread *threads_ = nullptr;
  char *chunks_ = nullptr;
  void *reserved_ = nullptr;
  uint64_t reservedBytes_ = 0;
  uint64_t limit_ = 0, capacity_ = 0, inUse_ = 0;
  uint32_t *freeChunks_ = nullptr; // a stack: the chunk that was freed last is in the cache
  uint64_t freeCount_ = 0;
  uint32_t *freeThreads_ = nullptr;
  uint64_t freeThreadCount_ = 0;
  uint64_t modulesBacked_ = 0, threadsBacked_ = 0;
  uint32_t freed_ = 0;
  Mutex mutex_;
};

} // namespace ada
#endif
