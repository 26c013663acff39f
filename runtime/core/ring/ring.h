// The ring file of this process: memory for records, and which thread owns which chunk.
//
// All functions may be called from any thread with signals blocked, except those marked as the drain's; none calls
// libc. See shared/ring/ring_file.h for the layout.
//
// Threads take what is ready. The drain allocates memory for the file's holes and maps it, through a descriptor in its
// own file table. So the program's limits, identity, root directory, full descriptor table and seccomp filter can't
// stop the ring from growing, and growing the ring does not disturb them. If nothing is ready, because the drain has no
// core at that time, a thread makes memory for a chunk itself, in a part of the file that the drain has mapped ahead:
// that takes no descriptor.
#pragma once

#include "core/base/os.h"
#include "core/base/text.h"
#include "shared/ring/ring_file.h"

namespace ada::runtime {

class Ring {
public:
  // Creates the file at `path` and maps its beginning. `bufferBytes`: what all threads together may use (every thread
  // without a chunk may take one beyond that). `lentBytes`: what lend() may take in addition. `modules`: how many
  // modules will be added. Returns 0 or a negative errno. For the drain, so that the file is in its table.
  int create(const char *path, uint64_t bufferBytes, uint64_t lentBytes, uint64_t modules);
  // Drops the mapping without touching the file: in a forked child, whose parent continues to use it.
  void abandon();
  void unlink();
  // Locks the file and the directory of the process for as long as this thread lives: recovery leaves locked rings
  // alone, and knows that the processes of unlocked ones are dead. For the drain, once it has its own file table, so
  // that the program can't close the locked files.
  void hold();
  // Also locks the directory of the next part of the trace. letGo() then unlocks one of the two: that of the current
  // part if the next one has begun, otherwise that of the next.
  void holdNext(const char *directory);
  void letGo(bool hasBegun);
  // The file now has another name.
  void setPath(const char *path) { path_.clear(), path_ << path; }
  int descriptor() const { return fd_; }
  // Called around fork, so that no thread is in the middle of a change.
  void lockForFork() { mutex_.lock(); }
  void unlockAfterFork() { mutex_.unlock(); }

  // Called when the header says which clock records use.
  void begin() { __atomic_store_n(&exists_, true, __ATOMIC_RELEASE); }
  // For all threads: true since begin().
  bool exists() const { return __atomic_load_n(&exists_, __ATOMIC_ACQUIRE); }
  ada_ring_header &header() { return *header_; }
  const char *path() const { return path_.c_str(); }
  bool usesSystemClock() const { return header_->clock == ADA_CLOCK_SYSTEM; }
  // Whether the records' times come from a word that stands still (clock=none). Then nothing is measured.
  bool isTimeless() const { return header_->times == ADA_TIMES_NONE; }
  // Whether each record reads the system's clock, which only the slow path can do.
  bool stampsSlowly() const { return usesSystemClock() && !isTimeless(); }
  // For a process whose threads may not read the CPU's counter, or may forbid it to themselves.
  void avoidCounter() { avoidsCounter_ = true; }
  // The current time in nanoseconds or counter units, whichever the process's records use.
  uint64_t stamp() const {
    return !usesSystemClock() ? arch::readCounter() : avoidsCounter_ ? sys::askNowNs() : sys::nowNsQuickly();
  }
  // The same where no event passes, and the thread may have forbidden itself to read the counter: then `otherwise`.
  uint64_t stampOr(uint64_t otherwise) const {
    return usesSystemClock() ? sys::nowNs() : mayReadCounter() ? arch::readCounter() : otherwise;
  }
  // The time of the drain's last pass.
  uint64_t passStamp() const { return __atomic_load_n(&passed_, __ATOMIC_ACQUIRE); }
  ada_ring_orders &orders() { return *reinterpret_cast<ada_ring_orders *>(processDirectory() + ADA_RING_PATH_BYTES); }
  // The path that does not count now: for the next session.
  char *otherDirectory() {
    const bool isOther = __atomic_load_n(&header_->directory_number, __ATOMIC_ACQUIRE) & ADA_RING_OTHER_PATH;
    return reinterpret_cast<char *>(header_) + (isOther ? ADA_RING_PATH_OFFSET : ADA_RING_OTHER_PATH_OFFSET);
  }
  char *processDirectory() { return reinterpret_cast<char *>(header_) + ADA_RING_PATH_OFFSET; }

  enum class Taken {
    Yes,
    Later,    // the drain has been asked for memory
    Full,     // everything that may be used is in use
    NoMemory, // the file could not grow
  };
  // Takes a free chunk, without contents. `beyond`: ignore the limit, because the thread has no chunk to wait with.
  // `madeFrom`: the stamp before memory was made for it, or 0.
  Taken takeChunk(bool beyond, ada_chunk *&chunk, uint64_t &madeFrom);
  // For the drain, which can allocate memory at once. False if there is none.
  bool takeChunkForDrain(ada_chunk *&chunk);
  // For the drain: kLent consecutive chunks that are never returned, in addition to those that threads may use. Null
  // if the file can't grow, or if its file system would then have too little room for what threads may still take.
  ada_chunk *lend();
  static constexpr uint64_t kLent = 2;
  void giveBack(ada_chunk *chunk);
  // Prepares memory ahead of need. For the drain. `reserve(slots)` prepares the drain's own memory for that many
  // threads at a time, `reserveNumbers(threads)` for that many in total.
  template <class Reserve, class ReserveNumbers> void prepare(Reserve &&reserve, ReserveNumbers &&reserveNumbers) {
    prepareChunks();
    prepareModules(__atomic_load_n(&header_->modules_used, __ATOMIC_ACQUIRE));
    bool isDone = true;
    for (uint64_t ready; isDone && (ready = threadsToPrepare()) > 0;)
      isDone = prepareThreads(reserve(ready) ? ready : 0);
    if (const uint64_t ready = numbersToPrepare(); ready > 0)
      prepareNumbers(reserveNumbers(ready) ? ready : 0);
  }
  // Whether less is ready than should be, and the last attempt to grow the file succeeded.
  bool isShort() const;
  uint64_t chunksInUse() const { return __atomic_load_n(&inUse_, __ATOMIC_RELAXED); }
  // Whether it has all the memory that it may have, so that a thread without a free chunk waits for the drain to read.
  bool isFull() const {
    return __atomic_load_n(&header_->chunks_used, __ATOMIC_RELAXED) >= __atomic_load_n(&limit_, __ATOMIC_RELAXED);
  }
  bool hasFreeChunks() const { return __atomic_load_n(&freeCount_, __ATOMIC_RELAXED) > 0; }
  // That many more chunks have been closed by their threads and not yet given back. Returns how many there are now.
  uint32_t noteClosed(int more) {
    return __atomic_add_fetch(&closedChunks_, static_cast<uint32_t>(more), __ATOMIC_RELAXED);
  }
  // A thread has closed a chunk, and has another one.
  void chunkClosed() {
    if (noteClosed(1) >= kChunksToWakeFor || isShort())
      wakeDrain();
  }
  // Several chunks at once: waking costs a system call, and a batch stays in the cache.
  static constexpr uint32_t kChunksToWakeFor = 8;
  // Wakes the drain if it sleeps. Async-signal-safe.
  void wakeDrain() {
    if (!exists()) // in a process that has just been forked, too
      return;
    // Change the word first: a drain that is about to sleep sees that it changed since its pass began.
    __atomic_add_fetch(&orders().wake, 1, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&orders().sleeping, 0, __ATOMIC_SEQ_CST))
      sys::sharedFutexWake(&orders().wake, 1);
  }
  uint32_t closedChunks() const { return __atomic_load_n(&closedChunks_, __ATOMIC_RELAXED); }
  // Wakes a thread that sleeps on `waiting`, so that it looks again.
  void wake(ada_ring_thread &thread) {
    if (__atomic_load_n(&thread.waiting, __ATOMIC_RELAXED) && __atomic_exchange_n(&thread.waiting, 0, __ATOMIC_ACQ_REL))
      sys::futexWake(&thread.waiting, INT32_MAX);
  }

  // Changes when more slots for threads are ready; a futex for threads that wait for one.
  uint32_t *slotsWord() { return &slotsWord_; }
  // Returns null with `later` set if the drain must make room first. Null without `later` means that there can be no
  // more.
  ada_ring_thread *takeThread(bool &later);
  void giveBack(ada_ring_thread *thread);
  ada_ring_thread *threads() { return threads_; }
  // Where the drain keeps the scheduling record of the slot's thread while it is short; null if there is no place.
  ada_ring_sched *schedOf(const ada_ring_thread &thread) {
    const auto slot = static_cast<uint64_t>(&thread - threads_);
    char *const all = reinterpret_cast<char *>(header_) + ADA_RING_SCHED_OFFSET;
    return slot < ADA_RING_SCHEDS ? reinterpret_cast<ada_ring_sched *>(all) + slot : nullptr;
  }

  // A slot to be filled in for a module and published; null if too many are loaded. One caller at a time; this also
  // applies to the two functions below.
  ada_ring_module *addModule();
  // Publishes the module, which exists from `stamp` on. Returns its slot's number.
  uint32_t publish(ada_ring_module *module, uint64_t stamp);
  // Called when the module was unloaded. Its slot is reused when no record of it can be unread any more.
  void retire(uint32_t slot, uint64_t stamp);
  // Notes that all records up to this stamp are in the files. For the drain.
  void notePassed(uint64_t stamp) { __atomic_store_n(&passed_, stamp, __ATOMIC_RELEASE); }
  // Changes whenever a module is published.
  uint64_t modulesPublished() const { return __atomic_load_n(&modulesPublished_, __ATOMIC_ACQUIRE); }
  bool hasRoomForModule();
  ada_ring_module *modules() { return modules_; }

  void addAnchor(ada_anchor anchor);
  // Called when the counter has gone back: modules that are loaded now become older than any later stamp, and unloaded
  // modules are forgotten. For the drain.
  void forgetStamps();
  const ada_anchor *anchors() {
    return reinterpret_cast<ada_anchor *>(reinterpret_cast<char *>(header_) + ADA_RING_ANCHORS_OFFSET);
  }

  ada_chunk *chunk(uint64_t number) { return reinterpret_cast<ada_chunk *>(chunks_[number]); }
  static uint64_t numberOf(const ada_chunk *c) { return c->number; }

private:
  void noteError(int error) { __atomic_store_n(&error_, error, __ATOMIC_RELAXED); }
  // Allocates memory of the file for these bytes: a store to a hole could raise SIGBUS on a full file system.
  int back(uint64_t offset, uint64_t bytes);
  // Maps a part of the file, at `at` or at any chunk boundary. Null if that fails.
  char *mapFile(uint64_t offset, uint64_t bytes, void *at = nullptr, int access = PROT_READ | PROT_WRITE);
  void addMapped(char *memory, uint64_t count);
  void mapAhead();
  char *fillChunks(uint64_t count);
  void addChunks(uint64_t count);
  bool makeChunk(bool beyond);
  uint64_t touch(ada_chunk &chunk) const;
  Taken takeReady(bool beyond, ada_chunk *&chunk);
  char *firstChunk() const;
  uint64_t listBytes() const;
  bool growPool(uint64_t chunks);
  uint64_t countBeyond();
  uint64_t wantedChunks() const;
  void prepareChunks();
  void prepareModules(uint64_t count);
  bool extendTable(uint64_t table, void *memory, uint64_t at, uint64_t end);
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
  bool avoidsCounter_ = false;
  int error_ = 0;                             // (atomic) why the file last could not grow or be mapped
  char *places_ = nullptr, *first_ = nullptr; // address space; the chunk boundary in it where the header is
  char *lists_ = nullptr;
  ada_ring_header *header_ = nullptr;
  ada_ring_module *modules_ = nullptr; // address space for all; modulesReady_ of them are mapped
  ada_ring_thread *threads_ = nullptr; // likewise
  char **chunks_ = nullptr;            // where each is; null after the last that is mapped
  uint64_t ahead_ = 0;                 // the number of chunks for which `places_` has addresses
  uint64_t mapped_ = 0;                // the number that are mapped; those from chunks_used on have no memory yet
  uint64_t limit_ = 0, capacity_ = 0, inUse_ = 0;
  uint64_t lent_ = 0;              // part of both the limit and the capacity
  bool isPopulated_ = true;        // (atomic) the kernel has touched all memory that it was asked to
  uint32_t *freeChunks_ = nullptr; // a stack: the last freed chunk is in the cache
  uint64_t freeCount_ = 0;
  uint32_t closedChunks_ = 0;
  bool isWantedBeyond_ = false; // (atomic) a thread has asked for a chunk beyond the limit
  uint32_t *freeThreads_ = nullptr;
  uint64_t freeThreadCount_ = 0;
  uint64_t modulesReady_ = 0, threadsReady_ = 0;
  uint64_t numbersReady_ = 0; // (atomic) the most threads there may ever be
  uint32_t slotsWord_ = 0;
  bool chunksExhausted_ = false, threadsExhausted_ = false; // (atomic) the last try to grow failed
  uint64_t modulesPublished_ = 0, passed_ = 0;
  uint32_t firstRetired_ = 0, lastRetired_ = 0; // slot number + 1; linked by next_retired, in order of their stamps
  Mutex mutex_;
  Mutex growing_; // held while memory is made for chunks
};

} // namespace ada::runtime
