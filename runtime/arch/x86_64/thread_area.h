// A thread-local area for the drain thread, which pthread does not know about.
#pragma once

#include "core/record/thread.h"
#include <stddef.h>

namespace ada::runtime::arch {

inline char *threadPointer() {
  char *tp;
  __asm__("movq %%fs:0, %0" : "=r"(tp));
  return tp;
}

// The number of bytes that makeThreadArea needs: thread-local variables lie below the thread pointer.
inline size_t threadAreaBytes() {
  return static_cast<size_t>(threadPointer() - reinterpret_cast<char *>(&ada_thread)) + 8192;
}

// Sets up zeroed `memory` of that size and returns the thread pointer for clone. The area has what compiled code and
// libc's simplest functions need (the self pointers, the stack protector's canary) and an AdaThread that records
// nothing.
inline void *makeThreadArea(char *memory, size_t bytes) {
  auto *tp = reinterpret_cast<char *>(reinterpret_cast<uintptr_t>(memory + bytes - 4096) & ~uintptr_t{63});
  *reinterpret_cast<void **>(tp) = tp;      // tcbhead_t.tcb: %fs:0
  *reinterpret_cast<void **>(tp + 16) = tp; // tcbhead_t.self
  uint64_t canary;
  __asm__("movq %%fs:0x28, %0" : "=r"(canary));
  *reinterpret_cast<uint64_t *>(tp + 0x28) = canary;
  AdaThread &t = *reinterpret_cast<AdaThread *>(tp - (threadPointer() - reinterpret_cast<char *>(&ada_thread)));
  t.position = t.systemPosition = kPositionParked;
  t.busy = 1;
  return tp;
}

} // namespace ada::runtime::arch
