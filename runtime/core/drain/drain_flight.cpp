// The drain's part of the flight recorder: dumps that are asked for, and the last one.
#include "core/base/message.h"
#include "drain.h"

namespace ada::runtime {

void Drain::askForDump(bool isUrgent) {
  const uint32_t number = __atomic_add_fetch(&dumpsAsked_, 1, __ATOMIC_RELEASE);
  if (isUrgent)
    __atomic_store_n(&urgentDump_, number, __ATOMIC_RELEASE);
  wake();
}

// Begins a dump of everything that was recorded before the last pass.
int Drain::beginDump() {
  trace_.finishFiles();
  int error = dump_.begin(directory_, session_, ring_->header().pid);
  if (error < 0)
    return error;
  const int signal = __atomic_load_n(&fatalSignal_, __ATOMIC_RELAXED);
  error = signal ? trace_.writeDumpManifest(Ending::Signal, signal, dump_.directory())
                 : trace_.writeDumpManifest(ending_, exitStatus_, dump_.directory());
  if (error < 0)
    dump_.abandon();
  trace_.holdOldest(error == 0);
  signalOfDump_ = signal;
  return error;
}

// Begins a dump, or continues one. `asked`: the number of dumps asked for before the last pass, which took everything
// recorded before it. True if there is more to copy. `toTheEnd`: complete all of them, because the dump that is being
// copied may be older than the last request.
bool Drain::dump(uint32_t asked, bool toTheEnd) {
  constexpr uint64_t kSlice = 4 << 20; // a few milliseconds
  while (dump_.active() || asked != dumpsBegun_) {
    int error = 0;
    if (!dump_.active()) {
      dumpsBegun_ = asked;
      error = beginDump();
    }
    do
      if (error == 0)
        error = dump_.step(kSlice);
    while (toTheEnd && dump_.active());
    if (dump_.active())
      return true;
    trace_.holdOldest(false);
    if (error < 0)
      signalOfDump_ = 0;
    if (error < 0 && dumpFailure_.empty())
      dumpFailure_ << "cannot write " << session_ << ": " << errorText(error) << "; its events are in " << directory_;
    if (!toTheEnd)
      break;
  }
  endUrgentDump();
  return asked != dumpsBegun_;
}

// Called once the dump that a dying thread asked for exists, even if it was copied before the thread began to wait. It
// is the program's last dump, and what the program has in memory is of no further use: it dies when its handler
// returns. Without files for them, events of other threads that still come are lost.
void Drain::endUrgentDump() {
  uint32_t urgent = __atomic_load_n(&urgentDump_, __ATOMIC_ACQUIRE);
  if (urgent == 0 || dump_.active() || static_cast<int32_t>(dumpsBegun_ - urgent) < 0)
    return;
  __atomic_compare_exchange_n(&urgentDump_, &urgent, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (signalOfDump_ != 0) {
    __atomic_store_n(&ring_->header().state, ADA_RING_EXEC, __ATOMIC_RELEASE);
    trace_.removeRing();
    removeProcessDirectory(directory_);
  }
}

// At the end of the process: makes a last dump if the exit status shows a failure.
void Drain::endFlight() {
  if (exitStatus_ != 0)
    askForDump(false);
  while (true) {
    const uint32_t asked = __atomic_load_n(&dumpsAsked_, __ATOMIC_ACQUIRE);
    if (asked == dumpsBegun_ && !dump_.active())
      return;
    dump(asked, true);
  }
}

} // namespace ada::runtime
