// Makes the flight recorder's dumps.
#include "flight_dumps.h"
#include "core/base/message.h"
#include "process_writer.h"

namespace ada::runtime {

// Begins a dump of everything that was recorded before the last pass.
int FlightDumps::begin(Ending ending, int status) {
  trace_->finishFiles();
  int error = dump_.begin(directory_, session_, trace_->ring().header().pid);
  if (error < 0)
    return error;
  const int signal = __atomic_load_n(&fatalSignal_, __ATOMIC_RELAXED);
  error = signal ? trace_->writeDumpManifest(Ending::Signal, signal, dump_.directory())
                 : trace_->writeDumpManifest(ending, status, dump_.directory());
  if (error < 0)
    dump_.abandon();
  trace_->holdOldest(error == 0);
  signalOfDump_ = signal;
  return error;
}

bool FlightDumps::write(uint32_t asked, bool toTheEnd, Ending ending, int status) {
  constexpr uint64_t kSlice = 4 << 20; // a few milliseconds
  while (dump_.active() || asked != begun_) {
    int error = 0;
    if (!dump_.active()) {
      begun_ = asked;
      error = begin(ending, status);
    }
    do
      if (error == 0)
        error = dump_.step(kSlice);
    while (toTheEnd && dump_.active());
    if (dump_.active())
      return true;
    trace_->holdOldest(false);
    if (error < 0)
      signalOfDump_ = 0;
    if (error < 0 && failure_.empty())
      failure_ << "cannot write " << session_ << ": " << errorText(error) << "; its events are in " << directory_;
    if (!toTheEnd)
      break;
  }
  endUrgent();
  return asked != begun_;
}

// Called once the dump that a dying thread asked for exists, even if it was copied before the thread began to wait. It
// is the program's last dump, and what the program has in memory is of no further use: it dies when its handler
// returns. Without files for them, events of other threads that still come are lost.
void FlightDumps::endUrgent() {
  uint32_t urgent = __atomic_load_n(&urgent_, __ATOMIC_ACQUIRE);
  if (urgent == 0 || dump_.active() || static_cast<int32_t>(begun_ - urgent) < 0)
    return;
  __atomic_compare_exchange_n(&urgent_, &urgent, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (signalOfDump_ != 0) {
    __atomic_store_n(&trace_->ring().header().state, ADA_RING_EXEC, __ATOMIC_RELEASE);
    trace_->removeRing();
    removeProcessDirectory(directory_);
  }
}

void FlightDumps::finish(int status) {
  if (status != 0)
    ask(false);
  for (uint32_t asked; (asked = this->asked()) != begun_ || dump_.active();)
    write(asked, true, Ending::Exit, status);
}

void FlightDumps::removeMemory() const {
  if (isOn() && failure_.empty())
    removeProcessDirectory(directory_);
}

} // namespace ada::runtime
