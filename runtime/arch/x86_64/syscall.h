// Raw system calls on x86-64.
//
// The runtime does not call libc's wrappers: the traced program may define instrumented functions with the same names,
// and the drain thread has no errno.
#pragma once

namespace ada::runtime::arch {

// Returns the kernel's value: negative errno on failure.
inline long syscall6(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

} // namespace ada::runtime::arch
