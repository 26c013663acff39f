// Times and modules during one pass of the drain.
//
// When the pass began, which records are left to the next one, and how stamps become times. Owned by the drain thread;
// its helpers may call show() and check().
#pragma once

#include "ring.h"
#include "shared/ring/clock_map.h"
#include "shared/ring/module_map.h"
#include "tick_clock.h"

namespace ada::runtime {

class PassClock {
public:
  // What a drain thread converts records with: a copy for each, because both maps remember their latest answers.
  struct View {
    ring::ClockMap clock;
    ring::ModuleMap modules;
    uint64_t modulesVersion = 0; // that of `modules`
  };

  void start(Ring &ring);

  // Begins a pass: records younger than now are left to the next one. True if stamps start anew: then call lower() for
  // the chunk that each thread is read from.
  bool takeAnchor();
  void lower(ada_chunk &chunk) const {
    if (chunk.start_stamp > beginStamp_)
      chunk.start_stamp = firstStamp_;
  }
  // Checks for newly loaded modules. True if there are any.
  bool takeModules();
  // Gives a drain thread the times and modules of this pass.
  void show(View &view) const;
  // All threads were read up to the limit, and everything read is written.
  void notePassed() {
    ring_->notePassed(beginStamp_);
    hasPassed_ = true;
  }

  uint64_t beginStamp() const { return beginStamp_; }
  uint64_t limitStamp() const { return limitStamp_; }
  // No later record is older than this.
  uint64_t limitNs() {
    const uint64_t word = __atomic_load_n(&ada_tick, __ATOMIC_RELAXED);
    return clock_.toNanoseconds(word && word < beginStamp_ ? word : beginStamp_);
  }
  // When the previous pass began.
  uint64_t lastPassNs() const { return lastPassNs_; }

  // Whether check() is of use.
  bool hasToCheck() const { return limitStamp_ != UINT64_MAX && !ring_->usesSystemClock(); }
  // `stamp`: of a thread's next record. Notes if the thread's counter is far ahead of ours.
  void check(uint64_t stamp, View &view);

private:
  // Called if the counter has a fault: see docs/explanation/ring.md.
  bool goBack(ada_anchor now);

  Ring *ring_ = nullptr;
  ring::ClockMap clock_;
  uint64_t modulesSeen_ = 0;    // modulesPublished() at the last check
  uint64_t modulesVersion_ = 0; // changes when views must be updated
  uint64_t beginStamp_ = 0;     // of this pass
  uint64_t limitStamp_ = 0;     // likewise; none if the counters can't be compared
  uint64_t lastPassNs_ = 0;
  uint64_t firstStamp_ = 0; // since stamps started anew
  bool isBack_ = false;     // the counter has gone back, and older records are still unread
  bool isUneven_ = false;   // threads have different counters
  bool hasPassed_ = false;  // since isBack_
};

} // namespace ada::runtime
