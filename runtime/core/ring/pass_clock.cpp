// Takes anchors, and notices when counters can't be trusted.
#include "pass_clock.h"
#include "shared/wide.h"

namespace ada::runtime {

void PassClock::start(Ring &ring) {
  ring_ = &ring;
  clock_.update(ring.anchors(), 0);
  takeAnchor();
}

bool PassClock::takeAnchor() {
  lastPassNs_ = beginStamp_ ? limitNs() : 0;
  if (ring_->usesSystemClock()) {
    beginStamp_ = limitStamp_ = sys::nowNs(); // stamps are times already: no anchors
    if (ring_->isTimeless())
      TickClock::advance(*ring_, beginStamp_);
    return false;
  }
  // The pair whose two counter readings are closest together is the most accurate.
  ada_anchor best = {0, 0};
  uint64_t bestWidth = UINT64_MAX;
  for (int i = 0; i < 3; ++i) {
    uint64_t before = arch::readCounter(), now = sys::nowNs(), after = arch::readCounter();
    if (after - before < bestWidth)
      bestWidth = after - before, best = {before + (after - before) / 2, now};
  }
  uint64_t used = ring_->header().anchors_used;
  if (used > 0) {
    constexpr uint64_t kNoise = 1u << 22; // about a millisecond; a smaller step is soon over
    const ada_anchor &last = ring_->anchors()[(used - 1) % ADA_RING_ANCHORS];
    if (isBack_ || (best.counter < last.counter && last.counter - best.counter > kNoise))
      return goBack(best);
    if (best.counter <= last.counter)
      best.counter = last.counter + 1;
    if (best.time_ns < last.time_ns)
      best.time_ns = last.time_ns;
  }
  ring_->addAnchor(best);
  clock_.update(ring_->anchors(), used + 1, ring_->header().anchors_from);
  beginStamp_ = best.counter;
  limitStamp_ = isUneven_ ? UINT64_MAX : beginStamp_;
  return false;
}

// First everything that was recorded before is read, with the old times. Newer records seem to be old: each gets the
// time of the record before it. Then times start anew: true.
bool PassClock::goBack(ada_anchor now) {
  ada_ring_header &h = ring_->header();
  constexpr uint64_t kSecond = 1000000000;
  bool isAnew = false;
  if (!isBack_) {
    isBack_ = true, hasPassed_ = false;
    __atomic_add_fetch(&h.counter_faults, 1, __ATOMIC_RELAXED);
    if (h.times != ADA_TIMES_EXACT) // the word must not stay ahead; a ticker sets it again
      __atomic_store_n(&ada_tick, 0, __ATOMIC_RELEASE);
  } else if (hasPassed_) {
    isBack_ = false, isAnew = true;
    const uint64_t second = clock_.countsIn(kSecond), ago = second < now.counter ? second : now.counter;
    const auto agoNs = static_cast<uint64_t>(Wide{ago} * kSecond / (second ? second : 1));
    firstStamp_ = now.counter - ago;
    ring_->forgetStamps();
    ring_->addAnchor({firstStamp_, now.time_ns - agoNs});
    ring_->addAnchor(now);
    clock_.update(ring_->anchors(), h.anchors_used, h.anchors_from);
    modulesSeen_ = UINT64_MAX; // modules' stamps have changed
  }
  beginStamp_ = now.counter;
  limitStamp_ = isBack_ || isUneven_ ? UINT64_MAX : beginStamp_;
  return isAnew;
}

bool PassClock::takeModules() {
  uint64_t published = ring_->modulesPublished();
  if (published == modulesSeen_)
    return false;
  modulesSeen_ = published;
  ++modulesVersion_;
  return true;
}

void PassClock::show(View &view) const {
  view.clock = clock_;
  if (view.modulesVersion == modulesVersion_)
    return;
  view.modules.update(ring_->modules(), __atomic_load_n(&ring_->header().modules_used, __ATOMIC_ACQUIRE));
  view.modulesVersion = modulesVersion_;
}

// A thread whose counter is far ahead of ours, or faster, would be read too late and would have to wait for that.
void PassClock::check(uint64_t stamp, View &view) {
  const uint64_t second = view.clock.countsIn(1000000000);
  if (stamp > limitStamp_ && stamp - limitStamp_ > second && stamp > arch::readCounter() + second) {
    __atomic_store_n(&isUneven_, true, __ATOMIC_RELAXED);
    __atomic_add_fetch(&ring_->header().counter_faults, 1, __ATOMIC_RELAXED);
  }
}

} // namespace ada::runtime
