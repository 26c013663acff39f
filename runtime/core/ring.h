// The ring file of this process: memory for records, and who owns which chunk.
//
// All functions may be called from any thread with signals blocked, unless they are said to be the drain's; none calls
// into libc. See include/ada/ring_file.h for the layout.
//
// Threads only take what is ready: the drain puts memory behind the file's holes and maps it, through a descriptor in
// its own file table. So the program's limits, identity, root directory, full descriptor table and seccomp filter can
// neither stop the ring from growing nor be disturbed by it.
#ifndef ADA_RUNTIME_CORE_RING_H
#define ADA_RUNTIME_CORE_RING_H

#include "os.h"
#include "text.h"
#include <ada/ring_file.h>

namespace ada {

class Ring {
public:
  // Makes the file at `path` and maps its beginning. `bufferBytes`: what all threads together may use (every thread
  // without a chunk may take one beyond it). `lentBytes`: what lend() may take besides. `modules`: how many there are
  // to be told of. Returns 0 or a negative errno.
  int create(const char *path, uint64_t bufferBytes, uint64_t lentBytes, uint64_t modules);
  // Forgets the mapping without touching the file: in a forked child, whose parent goes on using it.
  void abandon();
  void unlink();
  // Locks the file and the directory of the process for as long as this thread lives: recovery leaves alone what is
  // locked, and knows that what is not is dead. For the drain, once its open files are its own: the program can't close
  // them then.
  void hold();
  // Likewise, the directory of the next part of the trace, and then lets go of one of the two: of the present part's if
  // the next one has begun.
  void holdNext(const char *directory);
  void letGo(bool hasBegun);
  // The file is known under another name.
  void setPath(const char *path) { path_.clear(), path_ << path; }
  int descriptor() const { return fd_; }
  // The drain has the descriptor in its own table: closes the program's copy.
  void closeProgramsDescriptor();
  // Around fork: no thread is in the middle of a change.
  void lockForFork() { mutex_.lock(); }
  void unlockAfterFork() { mutex_.unlock(); }

  // From its creation's end on, for all threads.
  bool exists() const { return __atomic_load_n(&exists_, __ATOMIC_ACQUIRE); }
  ada_ring_header &header() { return *header_; }
  const char *path() const { return path_.c_str(); }
  bool usesSystemClock() const { return header_->clock == ADA_CLOCK_SYSTEM; }
  // Nanoseconds or counter, as the process's records are stamped.
  uint64_t stamp() const { return usesSystemClock() ? sys::nowNs() : arch::readCounter(); }
  char *processDirectory() { return (char *)header_ + ADA_RING_PATH_OFFSET; }

  enum class Taken {
    Yes,
    Later,    // the drain has been asked for it
    Full,     // all that may be used is in use
    NoMemory, // the file could not grow
  };
  // A free chunk, without contents. `beyond`: the limit does not count, for the thread has nothing to wait with.
  Taken takeChunk(bool beyond, ada_chunk *&chunk);
  // Whoever took a chunk whose memory nobody has touched yet touches it, where the system did not do that when it was
  // mapped: else every page would hold up a hook. Returns the stamp before that, 0 if there was nothing to do.
  uint64_t touch(ada_chunk &chunk) const;
  // The drain's: it can make memory at once. False if there is none.
  bool takeChunkForDrain(ada_chunk *&chunk);
  // The drain's: kGranule chunks, one after the other, that never come back, and of which threads do without none.
  // Null if the file can't grow, or its file system would have too little room then for what threads may still take.
  ada_chunk *lend();
  static constexpr uint64_t kGranule = 4; // chunks that are mapped together
  void giveBack(ada_chunk *chunk);
  // Makes memory ready ahead of need. For the drain. `reserve(slots)` makes the drain's own ready for that many threads
  // at a time, `reserveNumbers(threads)` for that many ever.
  template <class Reserve, class ReserveNumbers> void prepare(Reserve &&reserve, ReserveNumbers &&reserveNumbers) {
    prepareChunks();
    prepareModules(__atomic_load_n(&header_->modules_used, __ATOMIC_ACQUIRE));
    bool isDone = true;
    for (uint64_t ready; isDone && (ready = threadsToPrepare()) > 0;)
      isDone = prepareThreads(reserve(ready) ? ready : 0);
    if (const uint64_t ready = numbersToPrepare(); ready > 0)
      prepareNumbers(reserveNumbers(ready) ? ready : 0);
  }
  // Whether less is ready than should be, and the file could grow when that was last tried. For the drain.
  bool isShort() const { return !chunksExhausted_ && header_->chunks_used < wantedChunks(); }
  uint64_t chunksInUse() const { return __atomic_load_n(&inUse_, __ATOMIC_RELAXED); }
  bool hasFreeChunks() const { return __atomic_load_n(&freeCount_, __ATOMIC_RELAXED) > 0; }
  // Tells a thread that sleeps on `waiting` to look again.
  void wake(ada_ring_thread &thread) {
    if (__atomic_load_n(&thread.waiting, __ATOMIC_RELAXED) && __atomic_exchange_n(&thread.waiting, 0, __ATOMIC_ACQ_REL))
      sys::futexWake(&thread.waiting, INT32_MAX);
  }

  // Changes when there are more slots for threads; futex of threads that wait for one.
  uint32_t *slotsWord() { return &slotsWord_; }
  // `later`: null is returned because the drain has to make room first. Null otherwise means that there can be no more.
  ada_ring_thread *takeThread(bool &later);
  void giveBack(ada_ring_thread *thread);
  ada_ring_thread *threads() { return threads_; }

  // A slot for a module to be filled in and published; null if too many are loaded. One caller at a time, as for the
  // two below.
  ada_ring_module *addModule();
  // From `stamp` on the module is there. Returns its slot's number.
  uint32_t publish(ada_ring_module *module, uint64_t stamp);
  // The module was unloaded. Its slot is used again when no record of it can be unread any more.
  void retire(uint32_t slot, uint64_t stamp);
  // All records up to this stamp are in the files. For the drain.
  void notePassed(uint64_t stamp) { __atomic_store_n(&passed_, stamp, __ATOMIC_RELEASE); }
  // Changes with every module that is published.
  uint64_t modulesPublished() const { return __atomic_load_n(&modulesPublished_, __ATOMIC_ACQUIRE); }
  bool hasRoomForModule();
  ada_ring_module *modules() { return modules_; }

  void addAnchor(ada_anchor anchor);
  // The counter has gone back: what is loaded now is older than anything that it will say, and what was unloaded is
  // over. For the drain.
  void forgetStamps();
  const ada_anchor *anchors() { return (ada_anchor *)((char *)header_ + ADA_RING_ANCHORS_OFFSET); }

  ada_chunk *chunk(uint64_t number) {
    return (ada_chunk *)(granules_[number / kGranule] + number % kGranule * ADA_CHUNK_BYTES);
  }
  static uint64_t numberOf(const ada_chunk *c) { return c->number; }

private:
  // Makes sure that the file has memory for these bytes: a store to a hole could raise SIGBUS on a full file system.
  int back(uint64_t offset, uint64_t bytes);
  // Maps a part of the file that has memory, at `at` or anywhere on a chunk's boundary. Null if that fails.
  char *mapFile(uint64_t offset, uint64_t bytes, void *at = nullptr);
  char *mapChunks(uint64_t count);
  bool growPool(uint64_t chunks);
  uint64_t countBeyond();
  uint64_t wantedChunks() const;
  void prepareChunks();
  void prepareModules(uint64_t count);
  uint64_t threadsToPrepare();
  bool prepareThreads(uint64_t ready);
  uint64_t numbersToPrepare() const;
  void prepareNumbers(uint64_t ready);
  void askThreadsToLookAgain();
  bool canReuseModule() const;

  Path path_;
  int fd_ = -1;
  int held_ = -1, heldNext_ = -1; // locked directories, in the drain's table
  bool isInProgramsTable_ = false, exists_ = false;
  ada_ring_header *header_ = nullptr;
  ada_ring_module *modules_ = nullptr; // address space for all; modulesReady_ of them are mapped
  ada_ring_thread *threads_ = nullptr; // likewise
  char **granules_ = nullptr;
  uint64_t limit_ = 0, capacity_ = 0, inUse_ = 0;
  uint64_t lent_ = 0;              // of the limit and of the capacity
  bool isPopulated_ = true;        // (atomic) the system has touched all memory that was mapped
  uint32_t *freeChunks_ = nullptr; // a stack: the chunk that was freed last is in the cache
  uint64_t freeCount_ = 0;
  bool isWantedBeyond_ = false; // (atomic) a thread has asked for a chunk beyond the limit
  uint32_t *freeThreads_ = nullptr;
  uint64_t freeThreadCount_ = 0;
  uint64_t modulesReady_ = 0, threadsReady_ = 0;
  uint64_t numbersReady_ = 0; // (atomic) threads that there may ever be
  uint32_t slotsWord_ = 0;
  bool chunksExhausted_ = false, threadsExhausted_ = false; // (atomic) the last try to grow failed
  uint64_t modulesPublished_ = 0, passed_ = 0;
  uint32_t firstRetired_ = 0, lastRetired_ = 0; // slot number + 1; linked by next_retired, in order of their stamps
  Mutex mutex_;
  Mutex growing_; // of the drain's threads
};

} // namespace ada
#endif
