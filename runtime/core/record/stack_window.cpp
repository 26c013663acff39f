// Decides whether a thread is on its own stack.
#include "stack_window.h"
#include "core/base/os.h"
#include "start_block.h"
#include "thread_area.h"

#include <linux/auxvec.h>

namespace ada::runtime {
namespace {

constexpr uint64_t kPage = 4096, kMaxPages = 16384; // checked: 64 MiB

// Whether everything between two addresses can be read. `from` is in use: memory below it on its page may not be.
bool isConnected(uint64_t from, uint64_t to) {
  if ((to - from) / kPage > kMaxPages)
    return false;
  for (uint64_t at = from; at < to; at = (at & ~(kPage - 1)) + kPage)
    if (!sys::isReadable(at))
      return false;
  return true;
}

// An address above all frames of the thread. The main thread's stack ends with the data that the kernel put there;
// those of other threads end with their static TLS.
uint64_t endOfStack(const AdaThread &t) {
  return t.slot->tid == sys::processId() ? auxiliaryValue(AT_RANDOM)
                                         : reinterpret_cast<uint64_t>(arch::threadPointer());
}

bool isOwnStack(AdaThread &t, uint64_t sp) {
  ada_ring_thread &slot = *t.slot;
  const uint64_t end = endOfStack(t), low = slot.stack_low ? slot.stack_low : end;
  if (sp >= end)
    return false;
  if (sp >= low)
    return true;
  if (!isConnected(sp, low))
    return false;
  slot.stack_low = sp;
  return true;
}

// A signal stack that is an array in a frame lies between frames.
bool mayRunInFrames(AdaThread &t, const stack_t &signals) {
  ada_ring_thread &slot = *t.slot;
  const auto begin = reinterpret_cast<uint64_t>(signals.ss_sp);
  if ((slot.signal_stack | 1) != (begin | 1)) // checked once
    slot.signal_stack = (begin & ~1ull) | isOwnStack(t, begin);
  return slot.signal_stack & 1;
}

bool provesJumps(AdaThread &t, uint64_t sp) {
  if (t.isFiber || !t.slot || sp % 16 != arch::kEntryPhase)
    return false;
  stack_t signals = {};
  signals.ss_flags = SS_DISABLE;
  // Ask the kernel only if traced code has asked it before: a sandbox may forbid the call.
  if (t.hasSignalStack && (sys::call(SYS_sigaltstack, nullptr, &signals) != 0 || (signals.ss_flags & SS_ONSTACK)))
    return false;
  return isOwnStack(t, sp) && ((signals.ss_flags & SS_DISABLE) || !mayRunInFrames(t, signals));
}

} // namespace

uint64_t moveWindow(AdaThread &t, uint64_t sp) {
  constexpr uint64_t kWindow = 1u << 20;
  const uint64_t below = t.stack != 0 && sp < t.stack ? kWindow / 8 : kWindow / 8 * 7;
  t.stack = ((sp - below) & ~15ull) | (sp & 15);
  const uint64_t what = (provesJumps(t, sp) ? t.stack & ~15ull : 0) | ADA_RECORD_STACK;
  if (t.slot)
    t.slot->stack_window = what;
  return what;
}

uint64_t windowFor(AdaThread &t, uint64_t sp) {
  // This makes no system call: a sandbox may allow none that was not used before it began.
  return t.slot && t.slot->stack_window && isInWindow(t, sp) ? t.slot->stack_window : moveWindow(t, sp);
}

} // namespace ada::runtime
