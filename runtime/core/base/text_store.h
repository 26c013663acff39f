// Texts that are kept once each for as long as the process lives.
#pragma once

#include "os.h"

namespace ada::runtime {

// If a program loads the same library a thousand times, its path and its symbols are here once. A zero-initialised
// store is empty. Guarded by its owner.
class TextStore {
public:
  // Returns the same bytes with a NUL after them, or null if there is no memory.
  const char *keep(const char *bytes, size_t size);

private:
  struct Entry {
    Entry *next;
    uint64_t hash;
    size_t size;
    // the bytes and a NUL
  };
  static constexpr size_t kBuckets = 1024, kBlockBytes = 65536;

  char *take(size_t bytes);

  Entry *buckets_[kBuckets] = {};
  char *block_ = nullptr;
  size_t left_ = 0; // of the block
};

} // namespace ada::runtime
