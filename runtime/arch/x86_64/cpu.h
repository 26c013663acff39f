// What the runtime needs from an x86-64 CPU: its counter, and a reservation that a signal can't split.
#pragma once

#include <cpuid.h>
#include <stdint.h>
#if __has_include(<sys/platform/x86.h>)
#define _Bool bool // which only some C++ compilers know
#include <sys/platform/x86.h>
#undef _Bool
#endif

// A relocation that refers to a symbol and changes nothing.
#define ADA_NO_RELOCATION "R_X86_64_NONE"

// Functions that the program, or libc for it, calls: their stack need not be aligned. A program may switch to a stack
// that is off by 8, and lives as long as its own code keeps no vectors there.
#define ADA_ANY_STACK __attribute__((force_align_arg_pointer))

namespace ada::runtime::arch {

inline constexpr uint64_t kEntryPhase = 8; // of the stack pointer at a function's first instruction, modulo 16
inline constexpr uint32_t kAtfArch = 1;    // x86_64 in ATF headers
inline constexpr const char *kCounterName = "tsc";
inline constexpr const char *kClockSource = "tsc";                // Linux's name; null if it has no alternative
inline constexpr const char *kVdsoClock = "__vdso_clock_gettime"; // clock_gettime in the vDSO

inline uint64_t readCounter() {
  uint32_t low, high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return static_cast<uint64_t>(high) << 32 | low;
}

// Whether the instruction at an address that was just executed is rdtsc or rdtscp.
inline bool readsCounter(uint64_t address) {
  const auto *code = reinterpret_cast<const volatile uint8_t *>(address);
  return code[0] == 0x0f && (code[1] == 0x31 || (code[1] == 0x01 && code[2] == 0xf9));
}

// Ticks per second if the CPU reports them. Always 0 here: the anchors of the clock map give the rate.
inline uint64_t counterFrequency() { return 0; }

// CPUID takes 4 to 6 µs in a virtual machine. glibc has asked for these at the start of the program.
#if __has_include(<sys/platform/x86.h>)
// Whether it ticks at a constant rate in all power states and equally on all cores.
inline bool counterIsInvariant() { return CPU_FEATURE_PRESENT(INVARIANT_TSC); }
// Whether the CPU has the instruction that sums CRC-32C.
inline bool hasCrc32c() { return CPU_FEATURE_PRESENT(SSE4_2); }
#else
inline bool counterIsInvariant() { // all CPUs with 64 bits have this leaf
  uint32_t a, b, c, d;
  __cpuid(0x80000007, a, b, c, d);
  return d & (1u << 8);
}
inline bool hasCrc32c() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_2);
}
#endif

// Adds `bytes` to the calling thread's own position and returns the old value. It is one instruction, so a signal
// handler on this thread runs entirely before or after it. Not atomic between threads.
inline uint64_t reserve(uint64_t *position, uint64_t bytes) {
  __asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(*position) : : "memory", "cc");
  return bytes;
}

// Changes nothing, but faults where the memory can't be written. Other threads may use it at the same time.
inline void touch(char *address) { __asm__ volatile("lock orb $0, %0" : "+m"(*address) : : "cc"); }

inline void pause() { __builtin_ia32_pause(); }

} // namespace ada::runtime::arch
