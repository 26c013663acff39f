// The registers of a thread that a signal has interrupted.
#pragma once

#include <stdint.h>
#include <ucontext.h>

namespace ada::runtime::arch {

// In the order of ArchInfo::onFault. `context`: of a signal handler.
inline void takeFaultRegisters(const void *context, uint64_t *registers) {
  const auto &from = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  constexpr int kOrder[] = {REG_RIP, REG_RSP, REG_RBP, REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
                            REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_EFL};
  for (const int number : kOrder)
    *registers++ = static_cast<uint64_t>(from[number]);
}

} // namespace ada::runtime::arch
