// Creates and describes the ring of this process.
#include "own_ring.h"
#include "clock_source.h"
#include "process_info.h"
#include "session.h"

namespace ada {
namespace {

Path ringPath, ringLink; // of the ring in memory, and its name in the process's directory
int makeError;

// Whether detail is wanted for a death after which no process may be left to write it.
bool hasDeathWindow() { return runtime.triggers.onSignal && runtime.options.detail_mode[0] == 'w'; }

// Writes the clock and options to the ring's header.
void describeRing(ada_ring_header &h) {
  Runtime &r = runtime;
  const Options &o = r.options;
  const options::Clock clock = o.clockChoice();
  const bool isNone = clock.kind == options::ClockKind::None, isSystem = clock.kind == options::ClockKind::System;
  const bool counter =
      !r.forbidsCounter &&
      (clock.kind == options::ClockKind::Counter ||
       (!isNone && !isSystem && arch::counterIsInvariant() && kernelTrustsCounter(arch::kClockSource)));
  if (isNone || isSystem || r.forbidsCounter)
    r.ring.avoidCounter();
  h.clock = counter ? ADA_CLOCK_COUNTER : ADA_CLOCK_SYSTEM;
  h.times = isNone                                              ? ADA_TIMES_NONE
            : counter && clock.kind == options::ClockKind::Tick ? ADA_TIMES_TICK
                                                                : ADA_TIMES_EXACT;
  h.tick_ns = h.times == ADA_TIMES_TICK ? clock.tickNs : 0;
  h.pid = r.processId, h.format = o.ringFormat();
  h.detail_windows = o.detail_mode[0] == 'w';
  h.death_pre_roll = hasDeathWindow() ? Windows::nanoseconds(o.pre_roll_ms) + 1 : 0;
  h.detail_gone_ns = h.started_ns = sys::nowNs(); // nothing was recorded before
  h.flight = o.isFlight(), h.least_ns = o.min_duration, h.most_depth = o.max_depth;
}

} // namespace

void placeRing(const char *memory) {
  ringLink = runtime.processDirectory;
  ringLink << "/ring";
  ringPath.clear();
  ringPath << memory << "/adatrace-" << runtime.processId << '-';
  ringPath.number(sys::nowNs(), 16, 1);
  makeError = 0;
  runtime.forbidsCounter = !mayReadCounter();
}

int ringError() { return makeError; }

int makeRing() {
  Runtime &r = runtime;
  gatherHostInfo();
  const uint64_t lent = r.options.detail_mode[0] == 'w' ? r.options.detail_buffer : 0;
  makeError = r.ring.create(ringPath.c_str(), r.options.buffer, lent, r.images.count());
  if (makeError == 0)
    sys::call(SYS_symlinkat, ringPath.c_str(), AT_FDCWD, ringLink.c_str());
  else // it can't be in memory: it is a file beside the trace
    makeError = r.ring.create(ringLink.c_str(), r.options.buffer, lent, r.images.count());
  if (makeError < 0)
    return makeError;
  ada_ring_header &h = r.ring.header();
  describeRing(h);
  __builtin_memcpy(r.ring.processDirectory(), r.processDirectory.c_str(), r.processDirectory.size() + 1);
  h.state = ADA_RING_RECORDING;
  __atomic_store_n(&h.magic, ADA_RING_MAGIC, __ATOMIC_RELEASE);
  r.ring.begin();
  r.images.writeModules(r.ring);
  return 0;
}

void dropRing() {
  runtime.ring.unlink();
  sys::unlink(ringLink.c_str());
  runtime.ring.abandon();
}

void explainClock() {
  const options::ClockKind kind = runtime.options.clockChoice().kind;
  if (runtime.forbidsCounter && kind != options::ClockKind::None && kind != options::ClockKind::System)
    say(Message("the program forbids itself to read the CPU's counter (PR_SET_TSC), so each event takes its time from "
                "the system's clock with a system call, as with clock=system"));
}

} // namespace ada
