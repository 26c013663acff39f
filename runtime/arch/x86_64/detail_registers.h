// What the detail hooks saved, and how it maps to the registers of an ATF detail event, on x86-64.
//
//   on a call    rdi rsi rdx rcx r8 r9 rax 0    rax: its low byte is the number of vector registers of a variadic call
//   on a return  rax rdx 0 0 0 0 0 0            the hook receives them in argument position, in rdi and rsi
//
// These are exact: the registers that carry the function's parameters (`integers`, `vectors` of the frame), those of
// variadic arguments, sp and lr. All other registers have their values at the hook, a few instructions into the
// function. fp is the caller's rbp: it is exact in functions with a frame pointer, and in those that have not yet used
// rbp for something else.
#pragma once

#include "core/record/detail_site.h"
#include "saved_registers.h"
#include <ada/abi.h>

namespace ada::runtime::arch {

// Written by trampolines.S.
struct SavedRegisters {
  uint64_t integers[7]; // rdi rsi rdx rcx r8 r9 rax
  uint64_t rbp;
  unsigned char vectors[8][16]; // xmm0 … xmm7
  uint64_t frame;
};
static_assert(offsetof(SavedRegisters, rbp) == SAVED_RBP && offsetof(SavedRegisters, vectors) == SAVED_VECTORS &&
              offsetof(SavedRegisters, frame) == SAVED_FRAME && sizeof(SavedRegisters) == SAVED_BYTES - 8);

// System V's va_list.
struct VariadicList {
  uint32_t gpOffset, fpOffset;
  const char *overflowArea, *registerArea;
};

inline uint64_t returnAddressOf(const ada_frame &frame) { return *reinterpret_cast<const uint64_t *>(frame.sp); }

// Fills d.registers, d.fp and the d.vectors vector registers, which follow d.
inline void fillRegisters(ada_detail &d, char *vectors, const DetailSite &f, const SavedRegisters &s, bool call) {
  if (call) {
    for (int i = 0; i < 7; ++i)
      d.registers[i] = s.integers[i];
    d.registers[7] = 0;
  } else {
    d.registers[0] = f.integers > 0 ? s.integers[0] : 0;
    d.registers[1] = f.integers > 1 ? s.integers[1] : 0;
    for (int i = 2; i < 8; ++i)
      d.registers[i] = 0;
  }
  for (uint32_t i = 0; i < d.vectors; ++i)
    __builtin_memcpy(vectors + 16 * i, s.vectors[i], 16);
  if (call && f.memory) {
    const VariadicList &list = *static_cast<const VariadicList *>(f.memory);
    for (uint32_t i = list.gpOffset / 8; i < 6; ++i)
      d.registers[i] = *reinterpret_cast<const uint64_t *>(list.registerArea + 8 * i);
    for (uint32_t i = (list.fpOffset - 48) / 16; i < 8; ++i)
      __builtin_memcpy(vectors + 16 * i, list.registerArea + 48 + 16 * i, 16);
  }
  // In a function with a frame pointer, rbp points to the pushed rbp of the caller, right below the return address.
  d.fp = s.rbp == f.sp - 8 ? *reinterpret_cast<const uint64_t *>(s.rbp) : s.rbp;
}

} // namespace ada::runtime::arch
