// Compares the time that recording takes with the time that the program takes.
#include "budget.h"
#include "core/base/json.h"
#include "core/images/images.h"
#include "core/ring/ring.h"
#include "shared/manifest_keys.h"

namespace ada::runtime {
namespace {

uint64_t processorTime(clockid_t clock) {
  timespec t = {};
  sys::call(SYS_clock_gettime, clock, &t); // the vDSO lacks these clocks; if the call is refused, no time passes
  return static_cast<uint64_t>(t.tv_sec) * 1000000000u + static_cast<uint64_t>(t.tv_nsec);
}

// In picoseconds. The thread may be preempted, so the shortest of several measurements counts.
uint64_t timeOfReading(Ring &ring) {
  // With a time word, what matters is the counter that hooks read while the word stands still, even with clock=none.
  const bool isCounter = ring.header().times != ADA_TIMES_EXACT;
  constexpr uint64_t kReadings = 256, kTimes = 32;
  uint64_t best = UINT64_MAX;
  for (uint64_t i = 0; i < kTimes; ++i) {
    const uint64_t begin = sys::nowNs();
    for (uint64_t n = 0; n < kReadings; ++n)
      isCounter ? arch::readCounter() : ring.stamp();
    const uint64_t took = sys::nowNs() - begin;
    best = took < best ? took : best;
  }
  return best * 1000 / kReadings;
}

} // namespace

void Budget::start(Ring &ring, Images &images, const Options &options) {
  if (options.budget == 0)
    return;
  images.beginFigures();
  ring_ = &ring, images_ = &images, share_ = options.budget;
  clockPs_ = timeOfReading(ring);
  processors_ = sys::usableProcessors();
  account_.start(share_);
}

void Budget::enter(uint64_t module) {
  const Image *image = images_->find(static_cast<uint32_t>(module));
  module_ = module;
  figures_ = image ? image->figures : nullptr;
  functions_ = figures_ ? image->functions() : 0;
}

BudgetTimes Budget::times() const {
  const uint64_t nowNs = sys::nowNs(), processNs = processorTime(CLOCK_PROCESS_CPUTIME_ID);
  return BudgetTimes::after(from_, nowNs, processNs, processorTime(CLOCK_THREAD_CPUTIME_ID));
}

// Two hooks take as long as two readings of the clock; with the word of clock=tick, a third of that at most.
uint64_t Budget::callPs() const { return 2 * clockPs_ / (ring_->header().times == ADA_TIMES_EXACT ? 1 : 3); }

// The time that recording the functions that may be switched off took from the program since the window began: in its
// hooks, and in the drain if no processor is idle. The drain still has to read what other functions recorded before
// they were switched off.
uint64_t Budget::costOf(const BudgetTimes &to) const {
  const uint64_t busyNs = to.busyNs - from_.busyNs, drainNs = to.drainNs - from_.drainNs;
  const bool isFull = busyNs + drainNs > (to.nowNs - from_.nowNs) * processors_ / 10 * 9;
  return static_cast<uint64_t>(Wide{units_} * callPs() / 1000) +
         (isFull && allUnits_ ? static_cast<uint64_t>(Wide{drainNs} * units_ / allUnits_) : 0);
}

// A window ends with a pass: everything the pass read was recorded before now.
void Budget::beginPass() {
  if (from_.nowNs == 0)
    from_ = times();
  if (!isAtItsEnd_ && sys::nowNs() < from_.nowNs + kWindowNs)
    return;
  to_ = times();
  isAtItsEnd_ = true;
}

bool Budget::endPass(bool isBehind) {
  // If the drain is always behind, the ring is full both before and after a pass.
  if (!isAtItsEnd_ || (isBehind && to_.nowNs < from_.nowNs + kMaxWindowNs))
    return false;
  isAtItsEnd_ = false;
  const uint64_t busyNs = to_.busyNs - from_.busyNs;
  account_.add(busyNs, costOf(to_), units_);
  busyNs_ += busyNs;
  images_->noteTime(busyNs);
  if (speedUp_.isLearning())
    learn(busyNs);
  from_ = to_, units_ = allUnits_ = 0;
  return account_.isOver() && switchOff();
}

void Budget::learn(uint64_t busyNs) {
  speedUp_.add(busyNs, units_);
  images_->setSpeedUp(speedUp_.value());
}

bool Budget::switchOff() {
  const uint64_t busyNs = account_.periodBusyNs();
  uint64_t left = account_.periodUnits();
  const bool isAny = images_->switchOffHottest({account_.period(), account_.allowedUnits(), busyNs, from_.nowNs}, left);
  if (isAny) {
    hasNews_ = true;
    speedUp_.start(busyNs, account_.periodOwnNs(), left);
    images_->setSpeedUp(speedUp_.value());
  }
  account_.beginPeriod();
  return isAny;
}

void Budget::writeNews(JsonWriter &json) {
  if (hasNews_)
    writeManifest(json);
}

void Budget::writeManifest(JsonWriter &json) {
  if (!active())
    return;
  hasNews_ = false;
  const uint64_t busyNs = from_.nowNs ? times().busyNs - from_.busyNs : 0; // not yet in a window
  json.line().beginObject(manifest::kBudget);
  json.text(manifest::kShare, shareText(share_).c_str()).number(manifest::kCallNs, (callPs() + 500) / 1000);
  const bool isAny = images_->writeSwitchedOff(json, busyNs);
  json.endObject();
  if (!isAny)
    return;
  // Keeps the estimates of a killed program nearly up to date.
  constexpr uint64_t kLeastStepNs = 200000000;
  writtenNs_ = busyNs_ ? busyNs_ : 1;
  stepNs_ = busyNs_ / 4 > kLeastStepNs ? busyNs_ / 4 : kLeastStepNs;
}

} // namespace ada::runtime
