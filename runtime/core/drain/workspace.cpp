// Allocates a drain thread's memory.
#include "workspace.h"

namespace ada::runtime {
namespace {

// Calls use(pointer, count) for each array, those with the strictest alignment first.
template <class Use> void eachArray(Workspace &w, Use &&use) {
  use(w.batch.records, ADA_CHUNK_RECORDS);
  use(w.batch.details, ADA_CHUNK_RECORDS);
  use(w.links, Workspace::kMaxLinks);
  use(w.events, Workspace::kEventBytes);
  use(w.detailBytes, Workspace::kDetailBytes);
  use(w.batch.places, ADA_CHUNK_RECORDS);
}

size_t bytesOf(Workspace &w) {
  size_t bytes = 0;
  eachArray(w, [&](const auto *array, uint64_t count) { bytes += count * sizeof *array; });
  return bytes;
}

} // namespace

// In one piece: asking for each array would take longer than all else that a small process does at its start.
int Workspace::start() {
  auto *at = static_cast<char *>(sys::mapMemory(bytesOf(*this)));
  if (!at)
    return -ENOMEM;
  eachArray(*this, [&]<class T>(T *&array, uint64_t count) {
    array = reinterpret_cast<T *>(at);
    at += count * sizeof(T);
  });
  return 0;
}

void Workspace::reset() {
  if (batch.records)
    sys::unmap(batch.records, bytesOf(*this));
  __builtin_memset(static_cast<void *>(this), 0, sizeof *this);
}

} // namespace ada::runtime
