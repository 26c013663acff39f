// The text store: a hash table in its own memory.
#include "text_store.h"
#include "shared/fnv.h"
#include "text.h"

namespace ada::runtime {
char *TextStore::take(size_t bytes) {
  bytes = (bytes + 15) & ~size_t{15};
  if (bytes > kBlockBytes / 4)
    return static_cast<char *>(sys::mapMemory(bytes));
  if (bytes > left_) {
    block_ = static_cast<char *>(sys::mapMemory(kBlockBytes));
    left_ = block_ ? kBlockBytes : 0;
    if (!block_)
      return nullptr;
  }
  left_ -= bytes;
  return block_ + left_;
}

const char *TextStore::keep(const char *bytes, size_t size) {
  const uint64_t hash = fnv1a(bytes, size);
  Entry *&bucket = buckets_[hash % kBuckets];
  for (const Entry *e = bucket; e; e = e->next)
    if (e->hash == hash && TextPiece(reinterpret_cast<const char *>(e + 1), e->size) == TextPiece(bytes, size))
      return reinterpret_cast<const char *>(e + 1);
  auto *e = reinterpret_cast<Entry *>(take(sizeof(Entry) + size + 1));
  if (!e)
    return nullptr;
  auto *text = reinterpret_cast<char *>(e + 1);
  __builtin_memcpy(text, bytes, size);
  text[size] = 0;
  *e = {bucket, hash, size};
  bucket = e;
  return text;
}

} // namespace ada::runtime
