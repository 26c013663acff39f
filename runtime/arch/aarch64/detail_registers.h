// What the detail hooks saved, and how it maps to the registers of an ATF detail event, on AArch64.
//
//   on a call    x0 … x7
//   on a return  x0 … x7 as far as they carry the return value, then 0
//
// These are exact: the registers that carry the function's parameters (`integers`, `vectors` of the frame), those of
// variadic arguments, sp and lr. All other registers have their values at the hook. fp is the caller's x29: it is exact
// in functions that keep a frame record, which is the default; otherwise it is x29 at the hook.
#pragma once

#include "core/record/detail_site.h"
#include "saved_registers.h"
#include <ada/abi.h>

namespace ada::runtime::arch {

// Written by trampolines.S.
struct SavedRegisters {
  uint64_t integers[8]; // x0 … x7
  uint64_t x29, unused;
  unsigned char vectors[8][16]; // q0 … q7
};
static_assert(offsetof(SavedRegisters, x29) == SAVED_X29 && offsetof(SavedRegisters, vectors) == SAVED_VECTORS &&
              sizeof(SavedRegisters) == SAVED_BYTES);

// AAPCS64's va_list.
struct VariadicList {
  const char *stack, *integerTop, *vectorTop;
  int32_t integerOffset, vectorOffset;
};

inline uint64_t returnAddressOf(const ada_frame &frame) { return frame.return_address; }

// Fills d.registers, d.fp and the d.vectors vector registers, which follow d.
inline void fillRegisters(ada_detail &d, char *vectors, const DetailSite &f, const SavedRegisters &s, bool call) {
  for (uint32_t i = 0; i < 8; ++i)
    d.registers[i] = call || i < f.integers ? s.integers[i] : 0;
  for (uint32_t i = 0; i < d.vectors; ++i)
    __builtin_memcpy(vectors + 16 * i, s.vectors[i], 16);
  if (call && f.memory) {
    const VariadicList &list = *static_cast<const VariadicList *>(f.memory);
    for (int i = 8 + list.integerOffset / 8; i < 8; ++i)
      d.registers[i] = *reinterpret_cast<const uint64_t *>(list.integerTop - 8 * (8 - i));
    for (int i = 8 + list.vectorOffset / 16; i < 8; ++i)
      __builtin_memcpy(vectors + 16 * i, list.vectorTop - 16 * (8 - i), 16);
  }
  // x29 points to the frame record (caller's x29, return address) of the traced function, if it keeps one. Only the low
  // 48 bits are compared, because the saved return address may be signed.
  const auto *record = reinterpret_cast<const uint64_t *>(s.x29);
  bool isOurs = s.x29 > reinterpret_cast<uint64_t>(&s) && s.x29 < f.sp && s.x29 % 8 == 0 &&
                ((record[1] ^ f.returnAddress) << 16) == 0;
  d.fp = isOurs ? record[0] : s.x29;
}

} // namespace ada::runtime::arch
