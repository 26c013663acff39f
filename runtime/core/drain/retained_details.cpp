// Queues of detail events in shared blocks, and copies of entries that outlive their blocks.
#include "retained_details.h"

namespace ada::runtime {
namespace {

uint32_t sizeOf(const RetainedDetails::Entry &e) { return static_cast<uint32_t>((sizeof e + e.bytes + 7) & ~7ull); }

} // namespace

bool DetailPool::grow() {
  if (left_ == 0)
    return false;
  if (ada_chunk *const lent = ring_ ? ring_->lend() : nullptr) {
    for (uint64_t i = 0; i < Ring::kLent; ++i) {
      auto *block = reinterpret_cast<RetainedDetails::Block *>(lent) + i;
      block->number = Ring::numberOf(reinterpret_cast<ada_chunk *>(block));
      giveBack(block);
    }
    left_ -= left_ < Ring::kLent ? left_ : Ring::kLent;
    return true;
  }
  auto *block = static_cast<RetainedDetails::Block *>(sys::mapMemory(sizeof(RetainedDetails::Block)));
  if (!block)
    return false;
  giveBack(block);
  --left_;
  return true;
}

ada_detail_chunk *DetailPool::take() {
  if (!free_ && !grow())
    return nullptr;
  ada_detail_chunk *block = free_;
  free_ = reinterpret_cast<ada_detail_chunk *>(block->next);
  block->next = block->begin = block->end = 0;
  return block;
}

void DetailPool::giveBack(ada_detail_chunk *block) {
  __atomic_store_n(&block->state, ADA_CHUNK_FREE, __ATOMIC_RELEASE);
  block->next = reinterpret_cast<uint64_t>(free_);
  free_ = block;
}

bool RetainedDetails::keep(DetailPool &pool, uint32_t thread, const Entry &entry, const unsigned char *data) {
  uint32_t all = sizeOf(entry);
  if (!last_ || sizeof last_->data - last_->end < all) {
    auto *block = static_cast<Block *>(pool.take());
    if (!block)
      return false;
    block->thread = thread, block->seq = nextSeq_++;
    __atomic_store_n(&block->state, ADA_CHUNK_DETAIL, __ATOMIC_RELEASE);
    if (first_)
      last_->next = reinterpret_cast<uint64_t>(block);
    else
      first_ = block;
    if (!oldest())
      oldestIn_ = block, oldestAt_ = 0;
    last_ = block;
  }
  newest_ = reinterpret_cast<Entry *>(last_->data + last_->end);
  *newest_ = entry;
  __builtin_memcpy(newest_ + 1, data, entry.bytes);
  __atomic_store_n(&last_->end, last_->end + all, __ATOMIC_RELEASE); // everything before it is complete
  return true;
}

void RetainedDetails::removeOldest() {
  oldestAt_ += sizeOf(*oldest());
  if (oldestAt_ >= oldestIn_->end && oldestIn_->next)
    oldestIn_ = reinterpret_cast<Block *>(oldestIn_->next), oldestAt_ = 0;
}

void RetainedDetails::settle(DetailPool &pool) {
  while (first_ && (first_ != oldestIn_ || !oldest())) {
    Block *block = first_;
    first_ = reinterpret_cast<Block *>(block->next);
    if (block == oldestIn_)
      oldestIn_ = last_ = nullptr;
    pool.giveBack(block);
  }
  if (first_)
    __atomic_store_n(&first_->begin, oldestAt_, __ATOMIC_RELEASE);
}

bool RetainedDetails::makeRoomToWatch(uint32_t depth) {
  while (watched_ > 0 && calls_->watches[watched_ - 1].depth >= depth)
    unwatch(calls_->watches[watched_ - 1].depth, false); // its end was missed: the stack could not grow
  if (!calls_)
    calls_ = static_cast<WatchedCalls *>(sys::mapMemory(sizeof *calls_));
  return calls_ && watched_ < kMaxWatched;
}

void RetainedDetails::watch(uint32_t depth) {
  if (!makeRoomToWatch(depth))
    return;
  newest_->state = State::Watched;
  calls_->watches[watched_++] = {newest_, depth};
}

void RetainedDetails::watch(uint32_t depth, const Entry &entry, const unsigned char *data) {
  if (!makeRoomToWatch(depth) || held_ != watched_)
    return;
  auto *copy = reinterpret_cast<Entry *>(calls_->held[held_++].bytes);
  *copy = entry;
  copy->state = State::Watched;
  __builtin_memcpy(copy + 1, data, entry.bytes);
  calls_->watches[watched_++] = {copy, depth};
}

const RetainedDetails::Entry *RetainedDetails::unwatch(uint32_t depth, bool caught) {
  while (watched_ > 0 && calls_->watches[watched_ - 1].depth > depth)
    unwatch(calls_->watches[watched_ - 1].depth, false);
  if (watched_ == 0 || calls_->watches[watched_ - 1].depth != depth)
    return nullptr;
  Entry *entry = calls_->watches[--watched_].entry;
  entry->state = caught ? State::Wanted : State::Plain;
  if (watched_ >= held_)
    return nullptr;
  held_ = watched_;
  return entry;
}

bool RetainedDetails::holdOldest() {
  Entry *entry = oldest();
  if (held_ == watched_ || calls_->watches[held_].entry != entry)
    return false;
  auto *copy = reinterpret_cast<Entry *>(calls_->held[held_].bytes);
  __builtin_memcpy(static_cast<void *>(copy), entry, sizeof *entry + entry->bytes);
  calls_->watches[held_++].entry = copy;
  return true;
}

void RetainedDetails::forgetOldest() {
  if (held_ == watched_ || calls_->watches[held_].entry != oldest())
    return;
  --watched_;
  for (unsigned i = held_; i < watched_; ++i)
    calls_->watches[i] = calls_->watches[i + 1];
}

void RetainedDetails::reset(DetailPool &pool) {
  while (oldest())
    removeOldest();
  settle(pool);
  newest_ = nullptr;
  watched_ = held_ = 0;
}

} // namespace ada::runtime
