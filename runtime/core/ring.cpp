// ring.cpp - makes, grows and hands out the ring file's memory.
//
// The whole capacity is mapped at once, as a sparse file, and memory is put behind it in steps of 1 MiB. Address space is cheap; a
// mapping that moves is not: records hold no offsets, the threads' positions are addresses.
#include "ring.h"

namespace ada {
namespace {

constexpr uint64_t kGrowChunks = 16;
constexpr uint64_t kThreadsOffset = ADA_CHUNK_BYTES + ADA_RING_MODULES * sizeof(ada_ring_module);
constexpr uint64_t kChunksOffset = kThreadsOffset + ADA_RING_THREADS * sizeof(ada_ring_thread);
static_assert(kChunksOffset % ADA_CHUNK_BYTES == 0);
constexpr uint64_t kTableStep = 65536;

} // namespace

int Ring::create(const char *path, uint64_t bufferBytes) {
  path_.clear();
  path_ << path;
  limit_ = bufferBytes / ADA_CHUNK_BYTES;
  if (limit_ < 4)
    limit_ = 4;
  int fd = sys::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0)
    return fd;
  // Room for as many threads as the table holds, one chunk each; less where address space is limited (ulimit -v).
  int error = -ENOMEM;
  for (uint64_t extra = ADA_RING_THREADS / 4; extra >= 16; extra /= 8) {
    capacity_ = limit_ + extra;
    uint64_t bytes = kChunksOffset + capacity_ * ADA_CHUNK_BYTES;
    reservedBytes_ = bytes + ADA_CHUNK_BYTES;
    reserved_ = sys::map(nullptr, reservedBytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
    if (!reserved_)
      continue;
    char *base = (char *)(((uintptr_t)reserved_ + ADA_CHUNK_BYTES - 1) & ~(uintptr_t)(ADA_CHUNK_BYTES - 1));
    error = sys::truncate(fd, bytes);
    if (error == 0 && !sys::map(base, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd))
      error = -ENOMEM;
    if (error == 0) {
      header_ = (ada_ring_header *)base;
      break;
    }
    sys::unmap(reserved_, reservedBytes_);
  }
  sys::close(fd);
  if (header_) {
    modules_ = (ada_ring_module *)((char *)header_ + ADA_CHUNK_BYTES);
    threads_ = (ada_ring_thread *)((char *)header_ + kThreadsOffset);
    chunks_ = (char *)header_ + kChunksOffset;
    modulesBacked_ = threadsBacked_ = 0;
    freeCount_ = freeThreadCount_ = inUse_ = 0;
    freeChunks_ = (uint32_t *)sys::mapMemory(capacity_ * sizeof(uint32_t));
    freeThreads_ = (uint32_t *)sys::mapMemory(ADA_RING_THREADS * sizeof(uint32_t));
    error = !freeChunks_ || !freeThreads_ ? -ENOMEM : back(0, ADA_CHUNK_BYTES);
  }
  if (error < 0) {
    sys::unlink(path);
    abandon();
    return error;
  }
  ada_ring_header &h = *header_;
  h.abi_version = ADA_ABI_VERSION;
  h.arch = arch::kAtfArch;
  h.modules_offset = ADA_CHUNK_BYTES;
  h.threads_offset = kThreadsOffset;
  h.chunks_offset = kChunksOffset;
  h.chunks_capacity = capacity_;
  if (!growPool(true)) {
    sys::unlink(path);
    abandon();
    return -ENOSPC;
  }
  return 0;
}

void Ring::abandon() {
  if (reserved_)
    sys::unmap(reserved_, reservedBytes_);
  if (freeChunks_)
    sys::unmap(freeChunks_, capacity_ * sizeof(uint32_t));
  if (freeThreads_)
    sys::unmap(freeThreads_, ADA_RING_THREADS * sizeof(uint32_t));
  reserved_ = nullptr, header_ = nullptr, modules_ = nullptr, threads_ = nullptr, chunks_ = nullptr;
  freeChunks_ = nullptr, freeThreads_ = nullptr;
  mutex_.reset();
}

void Ring::unlink() { sys::unlink(path_.c_str()); }

int Ring::back(uint64_t offset, uint64_t bytes) {
  int fd = sys::open(path_.c_str(), O_RDWR | O_NOFOLLOW);
  if (fd < 0)
    return fd;
  int error = sys::allocate(fd, offset, bytes);
  if (error == -EOPNOTSUPP || error == -ENOSYS) {
    // A file system that can't reserve: writing zeros reserves as well.
    static const char zeros[4096] = {};
    error = 0;
    for (uint64_t at = 0; at < bytes && error >= 0; at += sizeof zeros) {
      long n = sys::pwrite(fd, zeros, sizeof zeros, offset + at);
      error = n == (long)sizeof zeros ? 0 : n < 0 ? (int)n : -ENOSPC;
    }
  }
  sys::close(fd);
  return error;
}

// With mutex_ held.
bool Ring::growPool(bool first) {
  uint64_t used = header_->chunks_used;
  uint64_t most = first ? capacity_ : limit_;
  if (used >= most)
    return false;
  uint64_t more = most - used < kGrowChunks ? most - used : kGrowChunks;
  if (first && used >= limit_ && more > 4)
    more = 4; // beyond the limit: only what is needed
  uint64_t offset = kChunksOffset + used * ADA_CHUNK_BYTES, bytes = more * ADA_CHUNK_BYTES;
  if (back(offset, bytes) < 0)
    return false;
#ifdef MADV_POPULATE_WRITE
  sys::call(SYS_madvise, chunks_ + used * ADA_CHUNK_BYTES, bytes, MADV_POPULATE_WRITE);
#else
  sys::call(SYS_madvise, chunks_ + used * ADA_CHUNK_BYTES, bytes, 23); // MADV_POPULATE_WRITE, Linux 5.14; older ones refuse
#endif
  for (uint64_t i = more; i-- > 0;)
    freeChunks_[freeCount_++] = (uint32_t)(used + i);
  __atomic_store_n(&header_->chunks_used, used + more, __ATOMIC_RELEASE);
  return true;
}

Ring::Taken Ring::takeChunk(bool first, ada_chunk *&result) {
  Lock lock(mutex_);
  if (freeCount_ == 0 && !growPool(first))
    return header_->chunks_used < limit_ || first ? Taken::NoMemory : Taken::Full;
  result = chunk(freeChunks_[--freeCount_]);
  __atomic_store_n(&inUse_, inUse_ + 1, __ATOMIC_RELAXED);
  return Taken::Yes;
}

void Ring::giveBack(ada_chunk *c) {
  if (__atomic_load_n(&header_->uses_detail, __ATOMIC_RELAXED)) // see ring_file.h
    for (uint64_t *p = (uint64_t *)(c + 1); p < (uint64_t *)((char *)c + ADA_CHUNK_BYTES); ++p)
      *p = 0;
  __atomic_store_n(&c->state, ADA_CHUNK_FREE, __ATOMIC_RELEASE);
  {
    Lock lock(mutex_);
    freeChunks_[freeCount_++] = (uint32_t)numberOf(c);
    __atomic_store_n(&inUse_, inUse_ - 1, __ATOMIC_RELAXED);
  }
  __atomic_add_fetch(&freed_, 1, __ATOMIC_RELEASE);
}

void Ring::prepareChunks() {
  while (true) {
    Lock lock(mutex_);
    uint64_t wanted = inUse_ + kGrowChunks / 2;
    if (wanted > limit_)
      wanted = limit_;
    if (header_->chunks_used >= wanted || !growPool(false))
      return;
  }
}

ada_ring_thread *Ring::takeThread() {
  Lock lock(mutex_);
  uint64_t number;
  if (freeThreadCount_ > 0)
    number = freeThreads_[--freeThreadCount_];
  else {
    number = header_->threads_used;
    if (number == ADA_RING_THREADS)
      return nullptr;
    if ((number + 1) * sizeof(ada_ring_thread) > threadsBacked_) {
      if (back(kThreadsOffset + threadsBacked_, kTableStep) < 0)
        return nullptr;
      threadsBacked_ += kTableStep;
    }
    __atomic_store_n(&header_->threads_used, number + 1, __ATOMIC_RELEASE);
  }
  ada_ring_thread *t = threads_ + number;
  clearBytes(t, sizeof *t);
  t->index = (uint32_t)header_->threads_seen;
  __atomic_store_n(&header_->threads_seen, header_->threads_seen + 1, __ATOMIC_RELAXED);
  return t;
}

void Ring::giveBack(ada_ring_thread *t) {
  __atomic_store_n(&t->state, ADA_THREAD_FREE, __ATOMIC_RELEASE);
  Lock lock(mutex_);
  freeThreads_[freeThreadCount_++] = (uint32_t)(t - threads_);
}

ada_ring_module *Ring::addModule() {
  Lock lock(mutex_);
  uint64_t number = header_->modules_used;
  if (number == ADA_RING_MODULES)
    return nullptr;
  if ((number + 1) * sizeof(ada_ring_module) > modulesBacked_) {
    if (back(ADA_CHUNK_BYTES + modulesBacked_, kTableStep) < 0)
      return nullptr;
    modulesBacked_ += kTableStep;
  }
  return modules_ + number; // counted by the caller when it is filled in
}

void Ring::addAnchor(ada_anchor anchor) {
  uint64_t n = header_->anchors_used;
  ((ada_anchor *)anchors())[n % ADA_RING_ANCHORS] = anchor;
  __atomic_store_n(&header_->anchors_used, n + 1, __ATOMIC_RELEASE);
}

} // namespace ada
