// What the program's threads ask the drain for.
//
// Both share it: all members are atomic. The drain reads `exitStatus` plainly, after the request to finish that follows
// it.
#pragma once

#include "core/facts/ending.h"

namespace ada::runtime {

// Zero-initialised is the state before the first request.
struct DrainRequests {
  uint32_t passes = 0, done = 0; // passes asked for and completed; `done` is a futex
  uint32_t finish = 0;           // an Ending for the next pass, the final one wins; 0 if none
  uint32_t finishedAt = 0;       // the request that the last finishing pass answered
  uint32_t resumed = 0;          // an exec failed
  uint32_t goesOn = 0;           // the program's own ada_start()
  int exitStatus = 0;
  bool stopped = false; // the last pass is over, and the drain is gone

  // Asks for a pass over everything that was recorded before the call. Returns its number, for isUpTo().
  uint32_t ask() { return __atomic_add_fetch(&passes, 1, __ATOMIC_ACQ_REL); }
  uint32_t asked() const { return __atomic_load_n(&passes, __ATOMIC_ACQUIRE); }
  static bool isUpTo(uint32_t done, uint32_t wanted) { return static_cast<int32_t>(done - wanted) >= 0; }
  bool isStopped() const { return __atomic_load_n(&stopped, __ATOMIC_ACQUIRE); }
  // Asks that the next pass finishes the files. Ending::Exit always wins.
  void askToFinish(Ending ending) {
    uint32_t none = 0;
    if (ending == Ending::Exit)
      __atomic_store_n(&finish, static_cast<uint32_t>(Ending::Exit), __ATOMIC_SEQ_CST);
    else
      __atomic_compare_exchange_n(&finish, &none, static_cast<uint32_t>(ending), false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST);
  }
  // That was done for this request. A stronger wish than `ending` stays.
  void noteFinished(uint32_t request, Ending ending) {
    __atomic_store_n(&finishedAt, request, __ATOMIC_RELEASE);
    auto answered = static_cast<uint32_t>(ending);
    __atomic_compare_exchange_n(&finish, &answered, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  }
};

} // namespace ada::runtime
