// What the runtime asks of an AArch64 CPU: its counter, and a reservation that a signal can't split.
#ifndef ADA_RUNTIME_ARCH_CPU_H
#define ADA_RUNTIME_ARCH_CPU_H

#include <stdint.h>

// A relocation that refers to a symbol and changes nothing.
#define ADA_NO_RELOCATION "R_AARCH64_NONE"

namespace ada::arch {

inline constexpr uint64_t kEntryPhase = 0; // of the stack pointer at a function's first instruction, modulo 16
inline constexpr uint32_t kAtfArch = 2;    // arm64 in ATF headers
inline constexpr const char *kCounterName = "cntvct";
inline constexpr const char *kClockSource = nullptr;                // the kernel has no other
inline constexpr const char *kVdsoClock = "__kernel_clock_gettime"; // clock_gettime in the vDSO

// By name: __builtin_readcyclecounter() is PMCCNTR_EL0 in some compilers, which user mode may not read.
inline uint64_t readCounter() {
  uint64_t t;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
}

// Ticks per second, as the firmware has set them; 0 if it has not.
inline uint64_t counterFrequency() {
  uint64_t f;
  __asm__("mrs %0, cntfrq_el0" : "=r"(f));
  return f;
}

// The architecture guarantees it.
inline bool counterIsInvariant() { return true; }

// Adds `bytes` to a thread's own position and returns the old value. A signal between the two halves makes the store
// fail, and it is tried again. Not atomic between threads.
inline uint64_t reserve(uint64_t *position, uint64_t bytes) {
  uint64_t old, sum;
  uint32_t failed;
  __asm__ volatile("1: ldxr %0, %3\n\tadd %1, %0, %4\n\tstxr %w2, %1, %3\n\tcbnz %w2, 1b"
                   : "=&r"(old), "=&r"(sum), "=&r"(failed), "+Q"(*position)
                   : "r"(bytes)
                   : "memory");
  return old;
}

inline void pause() { __asm__ volatile("yield"); }

} // namespace ada::arch
#endif
