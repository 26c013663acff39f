// max_size and max_time: which packed blocks of a process are oldest, and when they must be removed.
//
// Owned by the drain thread.
#pragma once

#include "core/base/os.h"
#include "core/facts/options.h"

namespace ada::runtime {

class Bound {
public:
  // A closed block. The blocks of one thread are added in order, and removed in order.
  struct Block {
    uint64_t bytes, lastNs;
    uint64_t thread; // N of thread_N
    uint64_t slot;   // the thread's, while it lives
  };

  void start(const Options &options) {
    mostBytes_ =
        options.flight && (options.flight < options.max_size || !options.max_size) ? options.flight : options.max_size;
    mostNs_ = options.max_time * 1000000000;
    active_ = options.isBounded();
  }
  bool active() const { return active_; }
  // Frees all memory.
  void reset() {
    if (queue_)
      sys::unmap(queue_, capacity_ * sizeof(Block));
    *this = Bound();
  }

  // Adds a block that was just closed. False if there is no memory for it: then the oldest block must be removed.
  // The queue is ordered by the time of the last event: the drain reads one thread after the other, each up to now.
  bool add(const Block &block) {
    if (end_ == capacity_ && !makeRoom())
      return false;
    uint64_t at = end_++;
    for (; at > begin_ && queue_[at - 1].lastNs > block.lastNs; --at)
      queue_[at] = queue_[at - 1];
    queue_[at] = block;
    bytes_ += block.bytes;
    return true;
  }
  // Whether the oldest block must go because of the size, or because it is too old at that time.
  bool isDue(uint64_t nowNs) const {
    return begin_ != end_ && !held_ &&
           ((mostBytes_ > 0 && bytes_ > mostBytes_) ||
            (mostNs_ > 0 && nowNs > mostNs_ && queue_[begin_].lastNs < nowNs - mostNs_));
  }
  // While held, no block is due.
  void hold(bool held) { held_ = held; }
  bool isEmpty() const { return begin_ == end_; }
  Block takeOldest() {
    bytes_ -= queue_[begin_].bytes;
    return queue_[begin_++];
  }

private:
  // Moves the queue to the beginning of its memory, or to larger memory if it fills more than half.
  bool makeRoom() {
    const uint64_t count = end_ - begin_;
    Block *to = queue_;
    uint64_t capacity = capacity_;
    if (!queue_ || count * 2 > capacity_) {
      const uint64_t more = queue_ ? capacity_ * 2 : 1024;
      if (auto *memory = static_cast<Block *>(sys::mapMemory(more * sizeof(Block))))
        to = memory, capacity = more;
      else if (count == capacity_)
        return false;
    }
    for (uint64_t i = 0; i < count; ++i)
      to[i] = queue_[begin_ + i];
    if (queue_ && to != queue_)
      sys::unmap(queue_, capacity_ * sizeof(Block));
    queue_ = to, capacity_ = capacity, begin_ = 0, end_ = count;
    return true;
  }

  Block *queue_ = nullptr;
  uint64_t begin_ = 0, end_ = 0, capacity_ = 0;
  uint64_t bytes_ = 0, mostBytes_ = 0, mostNs_ = 0;
  bool active_ = false, held_ = false;
};

} // namespace ada::runtime
