// Texts that are kept for as long as the process lives, each of them once.
#ifndef ADA_RUNTIME_CORE_TEXT_STORE_H
#define ADA_RUNTIME_CORE_TEXT_STORE_H

#include "os.h"

namespace ada {

// A program that loads the same library a thousand times has its path and its symbols here once. Zero-initialised, the
// store is empty. Guarded by its owner.
class TextStore {
public:
  // The same bytes with a NUL behind them, or null if there is no memory.
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

} // namespace ada
#endif
