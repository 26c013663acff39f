// What the drain does now and then beside its passes.
#pragma once

#include "core/ring/ring.h"

namespace ada::runtime {

// Zero-initialised is the initial state, too.
class Upkeep {
public:
  // Before recording: the process may have left a ring behind before an exec. It is looked for.
  void lookForOwnOrphan() { mayHaveOrphan_ = true; }
  // Copies the kernel's names of threads to the ring once a second, because they are lost once a process is killed.
  void askNames(Ring &ring);
  // Removes ring files that nobody needs any more. Done once or twice, when there is nothing else to do; true if it was
  // done now. For a thread with its own table of files.
  bool lookForOrphans(Ring &ring);

private:
  uint64_t namesDueNs_ = 0, namesNext_ = 0; // when the next round of askNames begins, and its next slot
  bool mayHaveOrphan_ = false;
  enum class Looked : uint8_t { Not, ForOwn, ForAll } looked_ = Looked::Not;
};

} // namespace ada::runtime
