// Creates and grows the ring file's memory, and hands it out.
#include "ring.h"
#include "drain_thread.h"
#include "shared/arch.h"
#include "shared/ring/record_reader.h"

#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/statfs.h>

namespace ada::runtime {
namespace {

constexpr uint64_t kGrowChunks = 16;
// At the start there are as many as a thread needs to fill one while the drain makes the next ready. The limit is not
// below that. Most processes of a build or a test suite need no more than one, so only that is touched.
constexpr uint64_t kFirstChunks = 2, kTouchedChunks = 1;
// So many chunks are mapped before there is memory for them, if the limit is not lower and addresses are not limited:
// what a thread that does nothing but call fills in 18 ms. With more, programs that limit their addresses had less.
constexpr uint64_t kAhead = 256;
constexpr uint64_t kThreadsOffset = ADA_CHUNK_BYTES + ADA_RING_MODULES * sizeof(ada_ring_module);
constexpr uint64_t kChunksOffset = kThreadsOffset + ADA_RING_THREADS * sizeof(ada_ring_thread);
static_assert(kChunksOffset % ADA_CHUNK_BYTES == 0);
// Addresses for header, tables and first chunks, which lie there as in the file. A part of them is before the first
// chunk boundary.
constexpr uint64_t placesBytes(uint64_t chunks) { return kChunksOffset + (chunks + 1) * ADA_CHUNK_BYTES; }
static_assert(archInfo(arch::kAtfArch).elfMachine != 0, "shared/arch.h has no row for this architecture");

// The tables of modules and threads grow by this many bytes when fewer than half of that are left. Until more than a
// few are in use, they have memory for a page.
constexpr uint64_t kTableStep = ADA_CHUNK_BYTES, kFirstBytes = 4096;
constexpr uint64_t kFewModules = kFirstBytes / sizeof(ada_ring_module) / 2;
constexpr uint64_t kFewThreads = kFirstBytes / sizeof(ada_ring_thread) / 2;
constexpr uint64_t kModulesPerStep = kTableStep / sizeof(ada_ring_module);
constexpr uint64_t kThreadsPerStep = kTableStep / sizeof(ada_ring_thread);
static_assert(kTableStep % sizeof(ada_ring_module) == 0 && kTableStep % sizeof(ada_ring_thread) == 0, "no rest");

template <class T> T load(const T &value) { return __atomic_load_n(&value, __ATOMIC_ACQUIRE); }
template <class T> void store(T &to, T value) { __atomic_store_n(&to, value, __ATOMIC_RELEASE); }

void *reserveAddresses(uint64_t bytes) {
  return sys::map(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
}

} // namespace

int Ring::create(const char *path, uint64_t bufferBytes, uint64_t lentBytes, uint64_t modules) {
  setPath(path);
  error_ = 0;
  held_ = heldNext_ = -1;
  limit_ = bufferBytes / ADA_CHUNK_BYTES;
  if (limit_ < kFirstChunks)
    limit_ = kFirstChunks;
  fd_ = sys::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd_ < 0)
    return fd_;
  isInProgramsTable_ = false, avoidsCounter_ = false;
  // One chunk for each thread beyond the limit, fewer if file sizes are limited (ulimit -f). Holes cost nothing.
  int error = -EFBIG;
  for (uint64_t extra = ADA_RING_THREADS; error == -EFBIG && extra >= 16; extra /= 8) {
    capacity_ = limit_ + extra + lentBytes / ADA_CHUNK_BYTES;
    error = sys::truncate(fd_, kChunksOffset + capacity_ * ADA_CHUNK_BYTES);
  }
  if (error == 0)
    error = back(0, ADA_CHUNK_BYTES + kFirstBytes);
  if (error == 0) {
    freeCount_ = freeThreadCount_ = inUse_ = lent_ = mapped_ = modulesReady_ = threadsReady_ = numbersReady_ = 0,
    isPopulated_ = true;
    firstRetired_ = lastRetired_ = 0, passed_ = 0;
    chunksExhausted_ = threadsExhausted_ = isWantedBeyond_ = false, closedChunks_ = 0;
    ahead_ = limit_ < kAhead ? limit_ : kAhead;
    while (!(places_ = static_cast<char *>(reserveAddresses(placesBytes(ahead_)))) && ahead_ > kFirstChunks)
      ahead_ = ahead_ / 8 > kFirstChunks ? ahead_ / 8 : kFirstChunks;
    lists_ = static_cast<char *>(sys::mapMemory(listBytes()));
    error = places_ && lists_ ? 0 : -ENOMEM;
  }
  if (error == 0) {
    first_ = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(places_) + ADA_CHUNK_BYTES - 1) &
                                      ~uintptr_t{ADA_CHUNK_BYTES - 1});
    // With the first modules, which follow it.
    header_ = reinterpret_cast<ada_ring_header *>(mapFile(0, ADA_CHUNK_BYTES + kTableStep, first_));
    modulesReady_ = 2 * kFewModules;
    modules_ = reinterpret_cast<ada_ring_module *>(first_ + ADA_CHUNK_BYTES);
    threads_ = reinterpret_cast<ada_ring_thread *>(first_ + kThreadsOffset);
    chunks_ = reinterpret_cast<char **>(lists_);
    freeChunks_ = reinterpret_cast<uint32_t *>(chunks_ + capacity_);
    freeThreads_ = freeChunks_ + capacity_;
    error = header_ ? 0 : error_;
  }
  if (error == 0) {
    ada_ring_header &h = *header_;
    h.abi_version = ADA_ABI_VERSION;
    h.arch = arch::kAtfArch;
    h.modules_offset = ADA_CHUNK_BYTES;
    h.threads_offset = kThreadsOffset;
    h.chunks_offset = kChunksOffset;
    h.chunks_capacity = capacity_;
    prepareModules(modules);
    mapAhead();
    prepareChunks();
    if (freeCount_ == 0)
      error = error_;
  }
  if (error < 0) {
    sys::unlink(path);
    sys::close(fd_);
    abandon();
  } else {
    isInProgramsTable_ = !hasOwnFileTable();
  }
  return error;
}

// The bytes of three lists: where chunks are, free chunks, and free slots of threads.
uint64_t Ring::listBytes() const {
  return capacity_ * (sizeof *chunks_ + sizeof *freeChunks_) + ADA_RING_THREADS * sizeof *freeThreads_;
}

// The place of the chunks that are mapped first.
char *Ring::firstChunk() const { return first_ + kChunksOffset; }

void Ring::abandon() {
  store(exists_, false);
  auto unmap = [](void *memory, uint64_t bytes) {
    if (memory)
      sys::unmap(memory, bytes);
  };
  const uint64_t inPlaces = chunks_ && chunks_[0] == firstChunk() ? ahead_ : 0;
  for (uint64_t i = inPlaces, end; chunks_ && i < capacity_ && chunks_[i]; i = end) {
    for (end = i + 1; end < capacity_ && chunks_[end] == chunks_[end - 1] + ADA_CHUNK_BYTES;)
      ++end; // mapped together
    unmap(chunks_[i], (end - i) * ADA_CHUNK_BYTES);
  }
  unmap(places_, placesBytes(ahead_));
  unmap(lists_, listBytes());
  if (isInProgramsTable_)
    sys::close(fd_);
  isInProgramsTable_ = false;
  places_ = first_ = lists_ = nullptr;
  header_ = nullptr, modules_ = nullptr, threads_ = nullptr, chunks_ = nullptr;
  freeChunks_ = nullptr, freeThreads_ = nullptr;
  mutex_.reset();
  growing_.reset();
}

void Ring::unlink() { sys::unlink(path_.c_str()); }

static int openAndLock(const char *directory) {
  const int fd = sys::open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (fd >= 0)
    sys::call(SYS_flock, fd, LOCK_EX | LOCK_NB);
  return fd;
}

void Ring::hold() {
  held_ = openAndLock(processDirectory()); // for mount namespaces in which the ring can't be seen
  if (sys::call(SYS_flock, fd_, LOCK_EX | LOCK_NB) == 0)
    store(header_->locked, 1u);
}

void Ring::holdNext(const char *directory) { heldNext_ = openAndLock(directory); }

void Ring::letGo(bool hasBegun) {
  const int gone = hasBegun ? held_ : heldNext_;
  if (hasBegun)
    held_ = heldNext_;
  heldNext_ = -1;
  if (gone >= 0)
    sys::close(gone);
}

//===--- memory -----------------------------------------------------------===//

int Ring::back(uint64_t offset, uint64_t bytes) {
  int error = sys::allocate(fd_, offset, bytes);
  if (error == -EOPNOTSUPP || error == -ENOSYS) {
    // The file system can't reserve: writing zeros reserves as well.
    static const char zeros[4096] = {};
    error = 0;
    for (uint64_t at = 0; at < bytes && error >= 0; at += sizeof zeros) {
      long n = sys::pwrite(fd_, zeros, sizeof zeros, offset + at);
      error = n == static_cast<long>(sizeof zeros) ? 0 : n < 0 ? static_cast<int>(n) : -ENOSPC;
    }
  }
  if (error < 0)
    noteError(error);
  return error < 0 ? error : 0;
}

char *Ring::mapFile(uint64_t offset, uint64_t bytes, void *at, int access) {
  auto map = [&](void *place) {
    const long r = sys::call(SYS_mmap, place, bytes, access, MAP_SHARED | MAP_FIXED, fd_, offset);
    const bool failed = r < 0 && r > -4096;
    if (failed) // what else there is, such as EINVAL, comes from file systems that can't
      noteError(r == -ENOMEM || r == -EAGAIN ? static_cast<int>(r) : -ENODEV);
    return failed ? nullptr : reinterpret_cast<char *>(r);
  };
  char *memory;
  if (at)
    memory = map(at);
  else {
    auto *room = static_cast<char *>(reserveAddresses(bytes + ADA_CHUNK_BYTES));
    if (!room) {
      noteError(-ENOMEM);
      return nullptr;
    }
    char *base = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(room) + ADA_CHUNK_BYTES - 1) &
                                          ~uintptr_t{ADA_CHUNK_BYTES - 1});
    memory = map(base);
    char *end = room + bytes + ADA_CHUNK_BYTES;
    if (!memory)
      sys::unmap(room, static_cast<size_t>(end - room));
    else {
      if (base > room)
        sys::unmap(room, static_cast<size_t>(base - room));
      if (base + bytes < end)
        sys::unmap(base + bytes, static_cast<size_t>(end - base - bytes));
    }
  }
  return memory;
}

// Notes where the next chunks are mapped.
void Ring::addMapped(char *memory, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    chunks_[mapped_ + i] = memory + i * ADA_CHUNK_BYTES;
  store(mapped_, mapped_ + count);
}

// Maps the first chunks, without memory: not accessible and not locked, or mlockall() would make all of it.
void Ring::mapAhead() {
  const uint64_t bytes = ahead_ * ADA_CHUNK_BYTES;
  char *const memory = mapFile(kChunksOffset, bytes, firstChunk(), PROT_NONE);
  if (!memory) // locked memory is limited
    return;
  sys::call(SYS_munlock, memory, bytes);
  addMapped(memory, ahead_);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 // Linux 5.14; older kernels refuse
#endif

// Makes memory for that many chunks after those that have some, all of which are mapped ahead, or none. By a new
// mapping, which takes no further system call that a filter might not allow.
char *Ring::fillChunks(uint64_t count) {
  const uint64_t used = header_->chunks_used, bytes = count * ADA_CHUNK_BYTES;
  const uint64_t offset = kChunksOffset + used * ADA_CHUNK_BYTES;
  const bool isAhead = used < mapped_;
  char *const memory = back(offset, bytes) < 0 ? nullptr : mapFile(offset, bytes, isAhead ? chunks_[used] : nullptr);
  if (!memory)
    return nullptr;
  if (!isAhead)
    addMapped(memory, count);
  const uint64_t touched = used == 0 ? kTouchedChunks * ADA_CHUNK_BYTES : bytes;
  if (sys::call(SYS_madvise, memory, touched, MADV_POPULATE_WRITE) < 0)
    __atomic_store_n(&isPopulated_, false, __ATOMIC_RELAXED);
  for (uint64_t i = 0; i < count; ++i)
    chunk(used + i)->number = static_cast<uint32_t>(used + i);
  return memory;
}

// These have memory now: threads may take them.
void Ring::addChunks(uint64_t count) {
  Lock lock(mutex_);
  const uint64_t used = header_->chunks_used;
  for (uint64_t i = count; i-- > 0;)
    freeChunks_[freeCount_++] = static_cast<uint32_t>(used + i);
  store(header_->chunks_used, used + count);
}

bool Ring::growPool(uint64_t chunks) {
  Lock growing(growing_); // a thread, or another one of the drain, may have been faster
  const uint64_t used = header_->chunks_used;
  if (used >= capacity_)
    return false;
  chunks = chunks < capacity_ - used ? chunks : capacity_ - used;
  if (used < mapped_ && used + chunks > mapped_)
    chunks = mapped_ - used;
  const bool isDone = fillChunks(chunks) != nullptr;
  store(chunksExhausted_, !isDone);
  if (isDone)
    addChunks(chunks);
  return isDone;
}

// Makes memory for one more chunk. A thread calls this when no chunk is ready. Without memory madvise() fails, whereas
// a store would raise SIGBUS. A thread with a seccomp filter waits for the drain instead: the filter might kill it for
// these system calls.
bool Ring::makeChunk(bool beyond) {
  if (!growing_.tryLock())
    return false;
  const uint64_t used = header_->chunks_used;
  const bool isDone = used < mapped_ && used < (beyond ? capacity_ : limit_) &&
                      sys::call(SYS_prctl, PR_GET_SECCOMP) == 0 &&
                      sys::call(SYS_mprotect, chunks_[used], ADA_CHUNK_BYTES, PROT_READ | PROT_WRITE) == 0 &&
                      sys::call(SYS_madvise, chunks_[used], ADA_CHUNK_BYTES, MADV_POPULATE_WRITE) == 0;
  if (isDone) {
    chunk(used)->number = static_cast<uint32_t>(used);
    addChunks(1);
  }
  growing_.unlock();
  return isDone;
}

ada_chunk *Ring::lend() {
  Lock growing(growing_);
  while (header_->chunks_used < mapped_ && header_->chunks_used + kLent > mapped_) { // the last that are mapped ahead
    if (!fillChunks(1))
      return nullptr;
    addChunks(1);
  }
  const uint64_t used = header_->chunks_used;
  const uint64_t needed = (limit_ > used ? limit_ - used : 0) + kLent;
  struct statfs room = {};
  if (used + kLent > capacity_ || sys::call(SYS_fstatfs, fd_, &room) < 0 ||
      room.f_bavail * static_cast<uint64_t>(room.f_bsize) < needed * ADA_CHUNK_BYTES)
    return nullptr;
  char *const memory = fillChunks(kLent);
  if (!memory)
    return nullptr;
  Lock lock(mutex_);
  lent_ += kLent, limit_ += kLent;
  store(header_->chunks_used, used + kLent);
  return reinterpret_cast<ada_chunk *>(memory);
}

// The number of threads that wait for a chunk beyond the limit: they have none, or one that can't be handed back yet.
uint64_t Ring::countBeyond() {
  if (!__atomic_exchange_n(&isWantedBeyond_, false, __ATOMIC_ACQ_REL))
    return 0;
  uint64_t count = 0, used = load(header_->threads_used);
  for (uint64_t i = 0; i < used; ++i)
    count += load(threads_[i].waiting) &&
             (load(threads_[i].first_chunk) == 0 || (load(threads_[i].drained) & ADA_DRAINED_HELD) != 0);
  return count;
}

// Half as many chunks as are in use are kept ready: a burst must not wait for the drain, which is still busy with
// earlier records. The kernel takes 0.7 ms for a MiB of the file, so until there is a second one the first two do.
uint64_t Ring::wantedChunks() const {
  const uint64_t inUse = chunksInUse(), ready = inUse / 2 > kGrowChunks ? inUse / 2 : kGrowChunks;
  const uint64_t wanted = lent_ + (inUse < kFirstChunks ? kFirstChunks : inUse + ready);
  return wanted < limit_ ? wanted : limit_;
}

bool Ring::isShort() const { return !load(chunksExhausted_) && load(header_->chunks_used) < wantedChunks(); }

void Ring::prepareChunks() {
  // The kernel takes 40 us for a chunk's memory. A thread that comes meanwhile waits for these, or makes its own after
  // it.
  constexpr uint64_t kMaxAtOnce = 2;
  uint64_t beyond = countBeyond();
  while (true) {
    uint64_t used = header_->chunks_used, wanted = wantedChunks(), free = load(freeCount_);
    if (used < wanted) {
      uint64_t more = wanted - used < kMaxAtOnce ? wanted - used : kMaxAtOnce;
      if (!growPool(more) && !growPool(1))
        return;
    } else if (beyond > free && used < capacity_) {
      // Add some more: a program with that many threads may create further threads one after the other, and each would
      // wait for a pass over all the others.
      uint64_t more = beyond - free + chunksInUse() / 16;
      if (!growPool(more < capacity_ - used ? more : capacity_ - used) && !growPool(1))
        return;
    } else
      return;
  }
}

Ring::Taken Ring::takeReady(bool beyond, ada_chunk *&result) {
  Lock lock(mutex_);
  if (freeCount_ > 0) {
    uint32_t number = freeChunks_[freeCount_ - 1];
    __atomic_store_n(&freeCount_, freeCount_ - 1, __ATOMIC_RELAXED);
    result = chunk(number);
    __atomic_store_n(&inUse_, inUse_ + 1, __ATOMIC_RELAXED);
    return Taken::Yes;
  }
  if (load(header_->chunks_used) >= (beyond ? capacity_ : limit_))
    return beyond ? Taken::NoMemory : Taken::Full;
  if (beyond)
    store(isWantedBeyond_, true);
  return load(chunksExhausted_) ? Taken::NoMemory : Taken::Later;
}

Ring::Taken Ring::takeChunk(bool beyond, ada_chunk *&result, uint64_t &madeFrom) {
  madeFrom = 0;
  Taken taken = takeReady(beyond, result);
  while (taken == Taken::Later) {
    madeFrom = madeFrom || isTimeless() ? madeFrom : stamp();
    if (!makeChunk(beyond))
      return taken;
    taken = takeReady(beyond, result); // another thread may be faster
  }
  if (const uint64_t from = taken == Taken::Yes ? touch(*result) : 0; from && !madeFrom)
    madeFrom = from;
  return taken;
}

// Touches the chunk's memory if nothing has touched it yet and the kernel did not do so when it was made; otherwise
// every page would hold up a hook. Returns the stamp before that, or 0 if there was nothing to do.
uint64_t Ring::touch(ada_chunk &chunk) const {
  const bool isUsed = chunk.start_stamp != 0;
  const bool isTouched = chunk.number < kTouchedChunks || chunk.number >= kFirstChunks;
  if (__builtin_expect(isUsed || (isTouched && __atomic_load_n(&isPopulated_, __ATOMIC_RELAXED)), 1))
    return 0;
  const uint64_t from = isTimeless() ? 0 : stamp();
  constexpr uint64_t kLeastPage = 4096;
  for (uint64_t at = kLeastPage; at < ADA_CHUNK_BYTES; at += kLeastPage)
    *(reinterpret_cast<volatile char *>(&chunk) + at) = 0;
  return from;
}

bool Ring::takeChunkForDrain(ada_chunk *&result) {
  while (takeReady(true, result) != Taken::Yes) // another thread may be faster
    if (header_->chunks_used >= capacity_ || !growPool(1))
      return false;
  return true;
}

void Ring::giveBack(ada_chunk *c) {
  ring::zeroRecords(*c); // see ring_file.h
  store(c->state, ADA_CHUNK_FREE);
  Lock lock(mutex_);
  freeChunks_[freeCount_] = static_cast<uint32_t>(numberOf(c));
  __atomic_store_n(&freeCount_, freeCount_ + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&inUse_, inUse_ - 1, __ATOMIC_RELAXED);
}

//===--- threads and modules ----------------------------------------------===//

// The number of slots there should be; 0 if there are enough.
uint64_t Ring::threadsToPrepare() {
  const uint64_t used = load(header_->threads_used);
  const uint64_t wanted = used + used / 2 + (used < kFewThreads ? kFewThreads : kThreadsPerStep / 2);
  return wanted <= threadsReady_ || threadsReady_ == ADA_RING_THREADS ? 0
         : threadsReady_ == 0 && used < kFewThreads                   ? 2 * kFewThreads
                                                    : (threadsReady_ / kThreadsPerStep + 1) * kThreadsPerStep;
}

// Makes the entries of a table from byte `at` to `end` ready, which are within a step.
bool Ring::extendTable(uint64_t table, void *memory, uint64_t at, uint64_t end) {
  const uint64_t step = at / kTableStep * kTableStep;
  return back(table + at, end - at) == 0 &&
         (at != step || mapFile(table + step, kTableStep, static_cast<char *>(memory) + step));
}

bool Ring::prepareThreads(uint64_t ready) {
  const uint64_t bytes = sizeof(ada_ring_thread);
  const bool done = ready > 0 && extendTable(kThreadsOffset, threads_, threadsReady_ * bytes, ready * bytes);
  store(threadsExhausted_, !done);
  if (done)
    store(threadsReady_, ready);
  askThreadsToLookAgain();
  return done;
}

// Called even if there is no memory.
void Ring::askThreadsToLookAgain() {
  __atomic_add_fetch(&slotsWord_, 1, __ATOMIC_RELEASE);
  sys::futexWake(&slotsWord_, INT32_MAX);
}

// Slots are reused, numbers are not.
uint64_t Ring::numbersToPrepare() const {
  const uint64_t seen = load(header_->threads_seen);
  return numbersReady_ < seen + kThreadsPerStep ? seen + 2 * kThreadsPerStep : 0;
}

void Ring::prepareNumbers(uint64_t ready) {
  if (ready > 0)
    store(numbersReady_, ready);
  else if (load(header_->threads_seen) < numbersReady_)
    return; // there are some left
  else
    store(threadsExhausted_, true);
  askThreadsToLookAgain();
}

ada_ring_thread *Ring::takeThread(bool &later) {
  later = false;
  Lock lock(mutex_);
  if (header_->threads_seen >= load(numbersReady_)) {
    later = !load(threadsExhausted_);
    return nullptr;
  }
  uint64_t number;
  if (freeThreadCount_ > 0)
    number = freeThreads_[--freeThreadCount_];
  else {
    number = header_->threads_used;
    if (number >= load(threadsReady_)) {
      later = number < ADA_RING_THREADS && !load(threadsExhausted_);
      return nullptr;
    }
    store(header_->threads_used, number + 1);
  }
  ada_ring_thread *t = threads_ + number;
  __builtin_memset(static_cast<void *>(t), 0, sizeof *t);
  t->index = static_cast<uint32_t>(header_->threads_seen);
  __atomic_store_n(&header_->threads_seen, header_->threads_seen + 1, __ATOMIC_RELAXED);
  return t;
}

// In steps that recovery can finish: what the thread lost is counted exactly once, in its slot or in the header.
void Ring::giveBack(ada_ring_thread *t) {
  uint64_t lost[ADA_LOST_REASONS];
  t->events_ended = header_->events_ended + ring::lossesAt(*t, t->cursor[t->current], lost);
  t->left_out_ended = header_->left_out_ended + t->left_out[t->current];
  store(t->state, ADA_THREAD_GONE);
  store(header_->events_ended, t->events_ended);
  store(header_->left_out_ended, t->left_out_ended);
  store(t->state, ADA_THREAD_FREE);
  Lock lock(mutex_);
  freeThreads_[freeThreadCount_++] = static_cast<uint32_t>(t - threads_);
}

bool Ring::canReuseModule() const {
  return firstRetired_ && modules_[firstRetired_ - 1].unloaded_stamp < __atomic_load_n(&passed_, __ATOMIC_ACQUIRE);
}

bool Ring::hasRoomForModule() { return canReuseModule() || header_->modules_used < load(modulesReady_); }

uint32_t Ring::publish(ada_ring_module *m, uint64_t stamp) {
  auto slot = static_cast<uint64_t>(m - modules_);
  __atomic_store_n(&m->loaded_stamp, stamp, __ATOMIC_RELEASE);
  if (slot >= header_->modules_used)
    __atomic_store_n(&header_->modules_used, slot + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&modulesPublished_, modulesPublished_ + 1, __ATOMIC_RELEASE);
  return static_cast<uint32_t>(slot);
}

void Ring::retire(uint32_t slot, uint64_t stamp) {
  modules_[slot].unloaded_stamp = stamp;
  modules_[slot].next_retired = 0;
  (lastRetired_ ? modules_[lastRetired_ - 1].next_retired : firstRetired_) = slot + 1;
  lastRetired_ = slot + 1;
}

void Ring::prepareModules(uint64_t count) {
  constexpr uint64_t kBytes = sizeof(ada_ring_module);
  const bool areFew = count < kFewModules;
  while (modulesReady_ < ADA_RING_MODULES && count + (areFew ? kFewModules : kModulesPerStep / 2) > modulesReady_) {
    const uint64_t ready = areFew ? 2 * kFewModules : (modulesReady_ / kModulesPerStep + 1) * kModulesPerStep;
    if (!extendTable(ADA_CHUNK_BYTES, modules_, modulesReady_ * kBytes, ready * kBytes))
      return;
    store(modulesReady_, ready);
  }
}

ada_ring_module *Ring::addModule() {
  if (canReuseModule()) {
    ada_ring_module *m = modules_ + (firstRetired_ - 1);
    firstRetired_ = m->next_retired;
    if (!firstRetired_)
      lastRetired_ = 0;
    // A reader meanwhile sees that the slot is unused: see shared/ring/module_map.h.
    __atomic_store_n(&m->loaded_stamp, UINT64_MAX, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return m;
  }
  Lock lock(mutex_);
  uint64_t number = header_->modules_used;
  return number < load(modulesReady_) ? modules_ + number : nullptr;
}

void Ring::forgetStamps() {
  uint64_t used = load(header_->modules_used);
  for (uint64_t i = 0; i < used; ++i) {
    ada_ring_module &m = modules_[i];
    uint64_t stamp = load(m.loaded_stamp); // a thread that refills the slot meanwhile wins
    __atomic_compare_exchange_n(&m.loaded_stamp, &stamp, load(m.unloaded_stamp) ? UINT64_MAX : 0, false,
                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  __atomic_store_n(&header_->anchors_from, header_->anchors_used, __ATOMIC_RELEASE);
}

void Ring::addAnchor(ada_anchor anchor) {
  uint64_t n = header_->anchors_used;
  const_cast<ada_anchor *>(anchors())[n % ADA_RING_ANCHORS] = anchor;
  __atomic_store_n(&header_->anchors_used, n + 1, __ATOMIC_RELEASE);
}

} // namespace ada::runtime
