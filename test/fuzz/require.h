// The needs of every fuzz target: a property that must hold, and the memory that an operation allocates.
#pragma once

#include "ada/trace/error.h"

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace ada::fuzz {

/// Ends the program, which tells libFuzzer about the failure.
inline void require(bool condition, const char *property) {
  if (condition)
    return;
  std::fprintf(stderr, "broken: %s\n", property);
  std::abort();
}

inline void requireSpeaking(const Error &error) {
  require(!error.code.empty() && !error.message.empty(), "an error says what is wrong");
}

namespace memory {
inline size_t live = 0, peak = 0;
inline void onMalloc(const volatile void *p, size_t) {
  live += __sanitizer_get_allocated_size(const_cast<const void *>(p));
  peak = std::max(peak, live);
}
inline void onFree(const volatile void *p) {
  if (p)
    live -= std::min(live, __sanitizer_get_allocated_size(const_cast<const void *>(p)));
}
inline const int kHooked = __sanitizer_install_malloc_and_free_hooks(onMalloc, onFree);
} // namespace memory

/// The peak of live bytes during `work`, minus the bytes live before.
template <class Work> size_t peakOf(Work work) {
  require(memory::kHooked > 0, "allocations are seen");
  const size_t before = memory::live;
  memory::peak = memory::live;
  work();
  return memory::peak - before;
}

} // namespace ada::fuzz
