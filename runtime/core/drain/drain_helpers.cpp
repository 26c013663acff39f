// Starts the drain's helpers and gives them work.
#include "drain_helpers.h"
#include "drain_thread.h"

namespace ada::runtime {

void DrainHelpers::start(unsigned wanted) {
  for (wanted = wanted < kMax ? wanted : kMax; count_ < wanted; ++count_) {
    helpers_[count_] = {this, count_, round_};
    if (startOwnThread(threadMain, &helpers_[count_]) < 0)
      return;
  }
}

void DrainHelpers::threadMain(void *helper) {
  Helper &self = *static_cast<Helper *>(helper);
  DrainHelpers &all = *self.all;
  while (true) {
    while (__atomic_load_n(&all.round_, __ATOMIC_ACQUIRE) == self.round)
      sys::futexWait(&all.round_, self.round, UINT64_MAX);
    ++self.round; // the next one begins when all have done this one
    const Work work = all.work_;
    if (work)
      work(all.context_, self.number);
    if (__atomic_sub_fetch(&all.busy_, 1, __ATOMIC_ACQ_REL) == 0)
      sys::futexWake(&all.busy_, 1);
    if (!work)
      return;
  }
}

void DrainHelpers::begin(Work work, void *context) {
  if (count_ == 0)
    return;
  work_ = work, context_ = context;
  __atomic_store_n(&busy_, count_, __ATOMIC_RELAXED);
  __atomic_add_fetch(&round_, 1, __ATOMIC_RELEASE);
  sys::futexWake(&round_, INT32_MAX);
}

} // namespace ada::runtime
