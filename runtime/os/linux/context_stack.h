// The stack that a ucontext_t was given for makecontext().
#pragma once

#include <stdint.h>
#include <ucontext.h>

namespace ada::runtime {

inline bool isOnStackOf(const void *context, uint64_t address) {
  const stack_t &stack = static_cast<const ucontext_t *>(context)->uc_stack;
  return address - reinterpret_cast<uint64_t>(stack.ss_sp) < stack.ss_size;
}

} // namespace ada::runtime
