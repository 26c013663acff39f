// The CPU architectures that programs can be traced on: one row for each, with everything that readers need to know.
//
// A port adds a row here, a folder in runtime/arch/, and a case in the pass (pass/llvm/argument_registers.cpp).
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace ada {

// The numbers are those of ATF's headers and of the ring file.
enum class Arch : uint8_t { X86_64 = 1, Arm64 = 2 };

struct ArchInfo {
  Arch arch;
  uint16_t elfMachine; // e_machine
  const char *name;
  // The names of a detail event's registers, on a call and on a return; null where a place is not used.
  const char *onCall[8], *onReturn[8];
  unsigned argumentRegisters; // the first ones of `onCall`; the others carry no arguments
  const char *vectorPrefix;   // "xmm" for xmm0
  const char *onFault[34];    // the registers of a thread that a fatal signal hit; null after the last
};

inline constexpr ArchInfo kArchitectures[] = {
    {Arch::X86_64,
     62,
     "x86-64",
     {"rdi", "rsi", "rdx", "rcx", "r8", "r9", "rax"}, // rax: number of vector registers that a variadic call uses
     {"rax", "rdx"},
     6,
     "xmm",
     {"rip", "rsp", "rbp", "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
      "r15", "eflags"}},
    {Arch::Arm64,
     183,
     "AArch64",
     {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"},
     {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"},
     8,
     "v",
     {"pc",  "sp",  "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",
      "x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19",
      "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30"}},
};

// For files of architectures that have no row.
inline constexpr ArchInfo kOtherArchitecture = {Arch(0),
                                                0,
                                                "another machine",
                                                {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"},
                                                {"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7"},
                                                8,
                                                "v",
                                                {}};

// By ATF's code.
constexpr const ArchInfo &archInfo(uint8_t code) {
  for (const ArchInfo &info : kArchitectures)
    if (static_cast<uint8_t>(info.arch) == code)
      return info;
  return kOtherArchitecture;
}

constexpr const ArchInfo *archOfElfMachine(unsigned machine) {
  for (const ArchInfo &info : kArchitectures)
    if (info.elfMachine == machine)
      return &info;
  return nullptr;
}

} // namespace ada
