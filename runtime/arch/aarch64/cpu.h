// What the runtime needs from an AArch64 CPU: its counter, and a reservation that a signal can't split.
#pragma once

#include <stdint.h>

// A relocation that refers to a symbol and changes nothing.
#define ADA_NO_RELOCATION "R_AARCH64_NONE"

// Functions that the program, or libc for it, calls. Here the stack is always aligned: the CPU checks that.
#define ADA_ANY_STACK

namespace ada::runtime::arch {

inline constexpr uint64_t kEntryPhase = 0; // of the stack pointer at a function's first instruction, modulo 16
inline constexpr uint32_t kAtfArch = 2;    // arm64 in ATF headers
inline constexpr const char *kCounterName = "cntvct";
inline constexpr const char *kClockSource = nullptr;                // the kernel has no alternative
inline constexpr const char *kVdsoClock = "__kernel_clock_gettime"; // clock_gettime in the vDSO

// Read by name, because some compilers turn __builtin_readcyclecounter() into PMCCNTR_EL0, which user mode may not
// read.
inline uint64_t readCounter() {
  uint64_t t;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(t));
  return t;
}

// Whether the instruction at an address that was just executed reads CNTVCT_EL0 or CNTVCTSS_EL0.
inline bool readsCounter(uint64_t address) {
  const uint32_t code = *reinterpret_cast<const volatile uint32_t *>(address) & ~31u;
  return code == 0xd53be040 || code == 0xd53be0c0;
}

// Ticks per second as set by the firmware; 0 if it did not set them.
inline uint64_t counterFrequency() {
  uint64_t f;
  __asm__("mrs %0, cntfrq_el0" : "=r"(f));
  return f;
}

// Guaranteed by the architecture.
inline bool counterIsInvariant() { return true; }

// Adds `bytes` to the calling thread's own position and returns the old value. A signal between the load and the store
// makes the store fail, and the pair is retried. Not atomic between threads.
inline uint64_t reserve(uint64_t *position, uint64_t bytes) {
  uint64_t old, sum;
  uint32_t failed;
  __asm__ volatile("1: ldxr %0, %3\n\tadd %1, %0, %4\n\tstxr %w2, %1, %3\n\tcbnz %w2, 1b"
                   : "=&r"(old), "=&r"(sum), "=&r"(failed), "+Q"(*position)
                   : "r"(bytes)
                   : "memory");
  return old;
}

// Changes nothing, but faults where the memory can't be written. Other threads may use it at the same time.
inline void touch(char *address) {
  uint32_t value, failed;
  __asm__ volatile("1: ldxrb %w0, %2\n\tstxrb %w1, %w0, %2\n\tcbnz %w1, 1b"
                   : "=&r"(value), "=&r"(failed), "+Q"(*address));
}

inline void pause() { __asm__ volatile("yield"); }

} // namespace ada::runtime::arch
