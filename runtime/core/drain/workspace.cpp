// Allocates a drain thread's memory.
#include "workspace.h"

namespace ada {
namespace {

template <class T> void take(T *&memory, uint64_t count) {
  memory = static_cast<T *>(sys::mapMemory(count * sizeof(T)));
}

template <class T> void unmap(T *memory, uint64_t count) {
  if (memory)
    sys::unmap(memory, count * sizeof(T));
}

} // namespace

int Workspace::start() {
  take(batch.records, ADA_CHUNK_RECORDS);
  take(batch.details, ADA_CHUNK_RECORDS);
  take(batch.places, ADA_CHUNK_RECORDS);
  take(events, kEventBytes);
  take(detailBytes, kDetailBytes);
  take(links, kMostLinks);
  return batch.records && batch.details && batch.places && events && detailBytes && links ? 0 : -ENOMEM;
}

void Workspace::reset() {
  unmap(batch.records, ADA_CHUNK_RECORDS);
  unmap(batch.details, ADA_CHUNK_RECORDS);
  unmap(batch.places, ADA_CHUNK_RECORDS);
  unmap(events, kEventBytes);
  unmap(detailBytes, kDetailBytes);
  unmap(links, kMostLinks);
  __builtin_memset(static_cast<void *>(this), 0, sizeof *this);
}

} // namespace ada
