// The encoded detail events of one thread that wait for a trigger, oldest first.
//
// They are kept in blocks of a pool that all threads share (option detail_buffer). With trigger=signal the blocks are
// chunks of the ring file, as far as that has room: they outlive a process that can no longer write, and recovery finds
// them.
//
// In addition to the queue there is a stack of watched calls: open calls that a slow trigger may still catch. When the
// entry of a watched call becomes older than any window can need, it is held in separate memory until the call returns,
// so that a slow call is written with its arguments however long it took. At most kMaxWatched open calls per thread
// are watched, the outermost ones: 150 KB per thread, used only as far as calls are held.
#pragma once

#include "core/ring/ring.h"
#include "shared/encode/ring_detail.h"

namespace ada::runtime {

class DetailPool {
public:
  // `ring`: the ring that blocks are allocated in; null if they need not outlive the process.
  void start(uint64_t bytes, Ring *ring) {
    left_ = bytes / ADA_CHUNK_BYTES;
    left_ = left_ < 4 ? 4 : left_;
    ring_ = ring;
  }
  // An empty block, or null.
  ada_detail_chunk *take();
  void giveBack(ada_detail_chunk *block);
  static bool isSafe(const ada_detail_chunk &block) { return block.number != 0; } // the ring's first hold records

private:
  bool grow();

  Ring *ring_ = nullptr;
  uint64_t left_ = 0;
  ada_detail_chunk *free_ = nullptr;
};

class RetainedDetails {
public:
  enum State : uint8_t {
    Plain,                      // a window decides
    Watched,                    // the entry of an open call that a slow trigger may catch
    Wanted = ADA_DETAIL_WANTED, // must be written: a slow trigger has caught its call
  };
  using Entry = ada_detail_entry; // `state`: a State
  static const unsigned char *dataOf(const Entry &entry) { return reinterpret_cast<const unsigned char *>(&entry + 1); }
  struct Block : ada_detail_chunk {
    unsigned char data[ADA_CHUNK_BYTES - sizeof(ada_detail_chunk)];
  };
  static constexpr unsigned kMaxWatched = 256;

  // Keeps an entry of thread_N; false if the pool is empty.
  bool keep(DetailPool &pool, uint32_t thread, const Entry &entry, const unsigned char *data);
  // Whether the newest entry outlives the process.
  bool newestIsSafe() const { return DetailPool::isSafe(*last_); }
  Entry *oldest() const {
    return oldestIn_ && oldestAt_ < oldestIn_->end ? reinterpret_cast<Entry *>(oldestIn_->data + oldestAt_) : nullptr;
  }
  // The oldest entry is not in the queue any more, but it stays in memory, where recovery finds it, until settle().
  void removeOldest();
  // All removed entries are in a file, or are not wanted. The pool gets back the blocks that have no other entries.
  void settle(DetailPool &pool);
  // The block of the oldest entry.
  const void *oldestBlock() const { return oldest() ? oldestIn_ : nullptr; }

  // The newest entry belongs to a call at `depth` that a slow trigger may catch.
  void watch(uint32_t depth);
  // The same for an entry that does not fit in the pool, in a thread that has no other entries: it is held at once.
  void watch(uint32_t depth, const Entry &entry, const unsigned char *data);
  // A call at `depth` has ended, and was `caught` or not. Returns its entry if that was watched and is held: if it is
  // wanted, it must be written before anything else is watched.
  const Entry *unwatch(uint32_t depth, bool caught);
  // Holds the oldest entry, which is Watched and about to be removed. False if there is no memory for it.
  bool holdOldest();
  // The oldest entry, which is Watched, has been written and is about to be removed: nothing is left to watch for.
  void forgetOldest();

  // Prepares for the next thread of the same slot. Memory for held entries stays.
  void reset(DetailPool &pool);

private:
  bool makeRoomToWatch(uint32_t depth);

  struct Watch {
    Entry *entry;
    uint32_t depth;
  };
  struct alignas(8) HeldEntry {
    unsigned char bytes[sizeof(Entry) + atf::kMaxRingDetailBytes];
  };
  // In order of the calls' depth. The entries of the first `held_` are in `held`, because entries are removed oldest
  // first.
  struct WatchedCalls {
    Watch watches[kMaxWatched];
    HeldEntry held[kMaxWatched];
  };

  Block *first_ = nullptr, *last_ = nullptr;
  Block *oldestIn_ = nullptr; // the blocks before it have only entries that were removed
  uint32_t oldestAt_ = 0;
  Entry *newest_ = nullptr;
  uint64_t nextSeq_ = 0; // of blocks
  WatchedCalls *calls_ = nullptr;
  unsigned watched_ = 0, held_ = 0;
};

} // namespace ada::runtime
