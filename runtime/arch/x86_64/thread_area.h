// A thread-local area for the drain thread, which pthread does not know about.
#ifndef ADA_RUNTIME_ARCH_THREAD_AREA_H
#define ADA_RUNTIME_ARCH_THREAD_AREA_H

#include "core/record/thread.h"
#include <stddef.h>

namespace ada::arch {

inline char *threadPointer() {
  char *tp;
  __asm__("movq %%fs:0, %0" : "=r"(tp));
  return tp;
}

// The number of bytes that makeThreadArea needs: thread-local variables lie below the thread pointer.
inline size_t threadAreaBytes() { return (size_t)(threadPointer() - (char *)&ada_thread) + 8192; }

// Sets up zeroed `memory` of that size and returns the thread pointer for clone. The area has what compiled code and
// libc's simplest functions need (the self pointers, the stack protector's canary) and an AdaThread that records
// nothing.
inline void *makeThreadArea(char *memory, size_t bytes) {
  char *tp = (char *)((uintptr_t)(memory + bytes - 4096) & ~(uintptr_t)63);
  *(void **)tp = tp;        // tcbhead_t.tcb: %fs:0
  *(void **)(tp + 16) = tp; // tcbhead_t.self
  uint64_t canary;
  __asm__("movq %%fs:0x28, %0" : "=r"(canary));
  *(uint64_t *)(tp + 0x28) = canary;
  AdaThread &t = *(AdaThread *)(tp - (threadPointer() - (char *)&ada_thread));
  t.position = t.systemPosition = ADA_POSITION_PARKED;
  t.busy = 1;
  return tp;
}

} // namespace ada::arch
#endif
