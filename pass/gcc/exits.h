// The ways out of a function, and the hooks on them.
//
// A call ends by one of
//   a return          __ada_exit(frame, value)
//   a musttail call   __ada_exit(frame), before the call: the callee returns to our caller
//   a transfer        __ada_exit(frame, next), before the call: another coroutine runs instead of this one
//   unwinding         __ada_unwind(frame), from a landing pad
// Unwinding leaves a function at a `resx` that has no landing pad, which gets the hook before it; and at calls outside
// of all regions. For those the function gets a cleanup region around all others, with one landing pad. As that region
// is there, the unwinder also stops at pads that handle some exceptions, for all others: these pads end in a `resx`.
#pragma once

#include "hooks.h"

namespace ada::pass {

/// Splits the block of STATEMENT before it, and returns a new block that runs there if VALUE is not 0. It is rarely
/// taken.
basic_block makeSeldomBefore(tree value, gimple *statement);
/// The same if FRAME's enable byte is not 0.
basic_block makeGuardedBefore(const Frame &frame, gimple *statement);

/// The ways out of one function, collected before it is changed.
class Exits {
public:
  /// UNWINDS: whether exits by unwinding are recorded.
  Exits(function *function, bool unwinds);

  /// Places the hooks. FRAME's enable byte must be available in the whole function.
  void instrument(Frame &frame);
  /// Whether control can leave in other ways than by returning a value.
  bool endOtherwise() const { return !tailCalls_.empty(); }

private:
  function *function_;
  std::vector<greturn *> returns_;
  std::vector<gcall *> tailCalls_;
  std::vector<gimple *> resumes_;
  std::vector<gimple *> throwing_; // outside of all regions

  void findTransfers();
  int makeCleanupPad(const Frame &frame);
};

} // namespace ada::pass
