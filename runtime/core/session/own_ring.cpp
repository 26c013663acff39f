// Creates and describes the ring of this process.
#include "own_ring.h"
#include "clock_source.h"
#include "core/drain/dump.h"
#include "core/facts/process_info.h"
#include "session.h"
#include "shared/ring/ring_places.h"
#include "shared/text/memory_room.h"

#include <sys/sysinfo.h>

namespace ada::runtime {
namespace {

constinit Path asked;    // the folder that option ring names, absolute; empty if it names none
constinit Path ringLink; // the ring's name in the process's directory
// The places that can't hold the ring, with the reasons: "/a: File too large; /b, /c: Permission denied".
constinit Message refusals;
int lastRefusal; // the reason of the last one; 0 if there is none

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
    recorder.ring.avoidCounter();
  h.clock = counter ? ADA_CLOCK_COUNTER : ADA_CLOCK_SYSTEM;
  h.times = isNone                                              ? ADA_TIMES_NONE
            : counter && clock.kind == options::ClockKind::Tick ? ADA_TIMES_TICK
                                                                : ADA_TIMES_EXACT;
  h.tick_ns = h.times == ADA_TIMES_TICK ? clock.tickNs : 0;
  h.pid = recorder.processId, h.format = o.ringFormat();
  h.detail_windows = o.detail_mode[0] == 'w';
  h.death_pre_roll = hasDeathWindow() ? Windows::nanoseconds(o.pre_roll_ms) + 1 : 0;
  h.detail_gone_ns = h.started_ns = sys::nowNs(); // nothing was recorded before
  h.flight = o.isFlight(), h.least_ns = o.min_duration, h.most_depth = o.max_depth;
}

const char *reasonText(int error) {
  return error == -ENODEV   ? "its file system can't map files into memory"
         : error == -EAGAIN ? "no more memory may be locked (ulimit -l)"
                            : errorText(error);
}

void refuse(const char *place, int error) {
  if (lastRefusal < 0)
    refusals << (lastRefusal == error ? ", " : ": ");
  if (lastRefusal < 0 && lastRefusal != error)
    refusals << reasonText(lastRefusal) << "; ";
  refusals << place;
  lastRefusal = error;
}

// With buffer=auto, what fits here becomes the option's value, which the manifest shows.
void chooseBuffer(uint64_t &buffer) {
  if (buffer != 0)
    return;
  struct sysinfo machine = {};
  sys::call(SYS_sysinfo, &machine);
  const auto readFile = [](const char *file, char *to, size_t n) { return sys::readFile(file, to, n); };
  buffer = bufferBytesFor(askMemoryRoom(readFile, machine));
}

int create(const char *path) {
  Options &o = runtime.options;
  chooseBuffer(o.buffer);
  const uint64_t lent = o.detail_mode[0] == 'w' ? o.detail_buffer : 0;
  return recorder.ring.create(path, o.buffer, lent, runtime.images.count());
}

// Whether the process's directory gets a link to a ring in the folder: where the manifest, which names the ring, does
// not exist or may be that of an earlier part, and where nobody would look for the ring of a process that is killed
// before it has one. Each file that is removed again costs ext4 time for some minutes, when others are created.
bool needsLink(const char *folder) {
  return runtime.options.isFlight() || runtime.options.rotates() || equal(folder, asked.c_str());
}

// Creates the ring in a folder; for a flight recorder, also the directory beside it in which it keeps its trace.
int makeRingIn(const char *folder) {
  Runtime &r = runtime;
  Path name;
  name << recorder.processId << '-';
  name.number(sys::nowNs(), 16, 1);
  if (r.options.isFlight()) {
    Path &directory = r.processDirectory;
    directory.clear();
    directory << folder << "/adatrace-flight-" << name.c_str();
    int error = directory.cut() ? -ENAMETOOLONG : sys::makeDirectory(directory.c_str());
    directory << "/pid_" << recorder.processId;
    if (error == 0)
      error = sys::makeDirectory(directory.c_str());
    if (error < 0)
      return error;
    ringLink = directory;
    ringLink << "/ring";
  }
  Path path(folder);
  path << "/adatrace-" << name.c_str();
  if (path.cut())
    return -ENAMETOOLONG;
  const bool isLinked = needsLink(folder);
  // The link comes first: without it nobody would find the ring of a process that is killed now.
  if (isLinked)
    sys::call(SYS_symlinkat, path.c_str(), AT_FDCWD, ringLink.c_str());
  const int error = create(path.c_str());
  if (error < 0 && isLinked)
    sys::unlink(ringLink.c_str());
  if (error < 0 && r.options.isFlight())
    removeProcessDirectory(r.processDirectory.c_str());
  return error;
}

// Creates the ring in the first place that can hold it. Returns 0 or the last place's negative errno.
int makeRingSomewhere() {
  int error = -ENOENT;
  auto take = [&](const char *place, int result) {
    error = result;
    if (error < 0)
      refuse(place, error);
    return error == 0;
  };
  if (!asked.empty() && take(asked.c_str(), makeRingIn(asked.c_str())))
    return 0;
  bool isFirst = true;
  for (const char *place : ring::kPlaces) {
    if (!equal(place, asked.c_str()) && take(place, makeRingIn(place)))
      return 0;
    if (isFirst && !runtime.options.isFlight() &&
        take(runtime.processDirectory.c_str(), create(ringLink.c_str()))) // a file beside the trace
      return 0;
    isFirst = false;
  }
  return error;
}

} // namespace

void placeRing(const char *folder) {
  asked.clear();
  asked << folder;
  refusals.clear();
  lastRefusal = 0;
  ringLink = runtime.processDirectory;
  ringLink << "/ring";
  runtime.forbidsCounter = !mayReadCounter();
}

Message ringRefusals() {
  Message m = refusals;
  if (lastRefusal < 0)
    m << ": " << reasonText(lastRefusal);
  return m;
}

int makeRing() {
  Runtime &r = runtime;
  gatherHostInfo();
  if (int error = makeRingSomewhere(); error < 0)
    return error;
  ada_ring_header &h = recorder.ring.header();
  describeRing(h);
  __builtin_memcpy(recorder.ring.processDirectory(), r.processDirectory.c_str(), r.processDirectory.size() + 1);
  h.state = ADA_RING_RECORDING;
  __atomic_store_n(&h.magic, ADA_RING_MAGIC, __ATOMIC_RELEASE);
  recorder.ring.begin();
  r.images.writeModules(recorder.ring);
  return 0;
}

void dropRing() {
  recorder.ring.unlink();
  sys::unlink(ringLink.c_str());
  recorder.ring.abandon();
}

void explainRing() {
  if (lastRefusal < 0)
    say(Message("the ring file is ") << recorder.ring.path() << ", because it can't be in " << ringRefusals().c_str());
}

void explainClock() {
  const options::ClockKind kind = runtime.options.clockChoice().kind;
  if (runtime.forbidsCounter && kind != options::ClockKind::None && kind != options::ClockKind::System)
    say(Message("the program forbids itself to read the CPU's counter (PR_SET_TSC), so each event takes its time from "
                "the system's clock with a system call, as with clock=system"));
}

} // namespace ada::runtime
