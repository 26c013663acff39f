// What a detail hook knows about its call.
#pragma once

#include <ada/abi.h>

namespace ada::runtime {

struct DetailSite {
  uint64_t sp, returnAddress;
  const void *memory;         // the va_list of a variadic call; a result that is in memory; else null
  uint32_t integers, vectors; // registers that carry parameters, or the result
  uint32_t resultBytes;       // at `memory`, on exit

  DetailSite(const ada_frame &frame, uint64_t returnAddress, bool isCall) : sp(frame.sp), returnAddress(returnAddress) {
    const uint32_t carried = frame.function->carried;
    memory = carried & (isCall ? ADA_CARRIED_VARIADIC : ADA_CARRIED_AT_EXIT) ? frame.memory : nullptr;
    integers = isCall ? ADA_CARRIED_INTEGERS(carried) : ADA_CARRIED_RESULT_INTEGERS(carried);
    vectors = isCall ? ADA_CARRIED_VECTORS(carried) : ADA_CARRIED_RESULT_VECTORS(carried);
    resultBytes = isCall ? 0 : ADA_CARRIED_RESULT_BYTES(carried);
    if (reinterpret_cast<uintptr_t>(memory) == ADA_NO_RESULT)
      memory = nullptr, integers = vectors = resultBytes = 0;
  }
};

} // namespace ada::runtime
