// A thread-local area for the drain thread, which pthread does not know about.
#pragma once

#include "core/record/thread.h"
#include <stddef.h>

namespace ada::runtime::arch {

inline char *threadPointer() {
  char *tp;
  __asm__("mrs %0, tpidr_el0" : "=r"(tp));
  return tp;
}

// The number of bytes that makeThreadArea needs: libc's thread descriptor lies below the thread pointer, thread-local
// variables above it.
inline size_t threadAreaBytes() {
  return static_cast<size_t>(reinterpret_cast<char *>(&ada_thread) - threadPointer()) + sizeof(AdaThread) + 16384;
}

// Sets up zeroed `memory` of that size, with an AdaThread that records nothing, and returns the thread pointer for
// clone.
inline void *makeThreadArea(char *memory, size_t) {
  auto *tp = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(memory) + 8192 + 63) & ~uintptr_t{63});
  AdaThread &t = *reinterpret_cast<AdaThread *>(tp + (reinterpret_cast<char *>(&ada_thread) - threadPointer()));
  t.position = t.systemPosition = kPositionParked;
  t.busy = 1;
  return tp;
}

} // namespace ada::runtime::arch
