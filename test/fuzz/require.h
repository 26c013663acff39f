// What every fuzz target needs: a property that must hold, and the memory that something asks for.
#ifndef ADA_TEST_FUZZ_REQUIRE_H
#define ADA_TEST_FUZZ_REQUIRE_H

#include <sanitizer/allocator_interface.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace ada::fuzz {

/// Ends the program, which is how libFuzzer learns of it.
inline void require(bool condition, const char *property) {
  if (condition)
    return;
  std::fprintf(stderr, "broken: %s\n", property);
  std::abort();
}

namespace memory {
inline std::size_t live = 0, peak = 0;
inline void onMalloc(const volatile void *p, std::size_t) {
  live += __sanitizer_get_allocated_size(const_cast<const void *>(p));
  peak = std::max(peak, live);
}
inline void onFree(const volatile void *p) {
  if (p)
    live -= std::min(live, __sanitizer_get_allocated_size(const_cast<const void *>(p)));
}
inline const int kHooked = __sanitizer_install_malloc_and_free_hooks(onMalloc, onFree);
} // namespace memory

/// The most bytes that were live during `work` over what was before.
template <class Work> std::size_t peakOf(Work work) {
  require(memory::kHooked > 0, "allocations are seen");
  const std::size_t before = memory::live;
  memory::peak = memory::live;
  work();
  return memory::peak - before;
}

} // namespace ada::fuzz

#endif // ADA_TEST_FUZZ_REQUIRE_H
