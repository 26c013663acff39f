// The registers of a thread that a signal has interrupted.
#pragma once

#include <stdint.h>
#include <ucontext.h>

namespace ada::runtime::arch {

// In the order of ArchInfo::onFault. `context`: of a signal handler.
inline void takeFaultRegisters(const void *context, uint64_t *registers) {
  const auto &from = static_cast<const ucontext_t *>(context)->uc_mcontext;
  *registers++ = from.pc;
  *registers++ = from.sp;
  for (const auto value : from.regs)
    *registers++ = value;
}

} // namespace ada::runtime::arch
