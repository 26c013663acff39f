// session.cpp - starts and ends the trace of a process, and carries it over fork.
#include "session.h"
#include "message.h"
#include "process_info.h"
#include "thread.h"
#include "process_events.h"

#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>

namespace ada {

constinit Runtime runtime;

namespace {

// Makes the directory and what is missing above it. 0 or a negative errno.
int makeDirectories(const char *path) {
  Path p;
  for (const char *s = path;; ++s) {
    if ((*s == '/' && !p.empty()) || !*s) {
      int error = sys::makeDirectory(p.c_str());
      if (error < 0 && error != -EEXIST && !*s)
        return error;
      if (!*s)
        return 0;
    }
    p << *s;
  }
}

Path absolute(const char *path) {
  Path p;
  if (path[0] != '/') {
    char here[4096];
    if (sys::currentDirectory(here, sizeof here) > 0)
      p << here << '/';
  }
  p << path;
  return p;
}

// Makes `path`, or path_2, path_3, … if it exists. 0 or a negative errno.
int makeNew(Path &path) {
  size_t n = path.size();
  for (uint32_t i = 2;; ++i) {
    int error = sys::makeDirectory(path.c_str());
    if (error != -EEXIST || i == 10000)
      return error;
    path.shorten(n);
    path << '_' << i;
  }
}

bool off(const Message &m) {
  say(m);
  runtime.setState(State::Off);
  return false;
}

bool makeSessionDirectory() {
  const Options &o = runtime.options;
  Path &path = runtime.sessionDirectory;
  int error;
  if (o.session[0]) {
    path = absolute(o.session);
    error = makeDirectories(path.c_str());
  } else {
    path = absolute(o.output);
    error = makeDirectories(path.c_str());
    if (error == 0) {
      time_t now = time(nullptr);
      struct tm local = {};
      localtime_r(&now, &local);
      path << "/session_";
      path.number((uint64_t)local.tm_year + 1900, 10, 4).number((uint64_t)local.tm_mon + 1, 10, 2);
      path.number((uint64_t)local.tm_mday, 10, 2) << '_';
      path.number((uint64_t)local.tm_hour, 10, 2).number((uint64_t)local.tm_min, 10, 2);
      path.number((uint64_t)local.tm_sec, 10, 2);
      error = makeNew(path);
    }
  }
  if (path.cut())
    error = -ENAMETOOLONG;
  if (error < 0)
    return off(Message("cannot make the trace directory ")
               << path.c_str() << ": " << errorText(error)
               << ". Set another one with ADA_OPTIONS=output=DIR. This program runs untraced.");
  return true;
}

// Directory, ring file and drain of this process. The session directory exists.
bool startProcess() {
  Runtime &r = runtime;
  r.processId = sys::processId();
  r.processDirectory = r.sessionDirectory;
  r.processDirectory << "/pid_" << r.processId;
  int error = makeNew(r.processDirectory);
  if (error < 0)
    return off(Message("cannot make ") << r.processDirectory.c_str() << ": " << errorText(error)
                                       << ". This program runs untraced.");

  // Where a ring is not kept in memory by the system, it is a file beside the trace.
  Path link(r.processDirectory.c_str());
  link << "/ring";
  Path ring(r.options.ring[0] ? r.options.ring : "/dev/shm");
  ring << "/adatrace-" << r.processId << '-';
  ring.number(sys::nowNs(), 16, 1);
  error = r.ring.create(ring.c_str(), r.options.buffer);
  if (error == 0)
    sys::call(SYS_symlinkat, ring.c_str(), AT_FDCWD, link.c_str());
  else
    error = r.ring.create(link.c_str(), r.options.buffer);
  if (error < 0)
    return off(Message("cannot make the ring file ") << link.c_str() << ": " << errorText(error)
                                                     << ". This program runs untraced.");

  ada_ring_header &h = r.ring.header();
  bool counter = r.options.clock[0] == 'c' || (r.options.clock[0] == 'a' && arch::counterIsInvariant());
  h.clock = counter ? ADA_CLOCK_COUNTER : ADA_CLOCK_SYSTEM;
  h.pid = r.processId;
  h.format = r.options.formatVersion();
  copyBytes(r.ring.processDirectory(), r.processDirectory.c_str(), r.processDirectory.size() + 1);
  h.uses_detail = r.options.detail[0] != 0;
  h.detail_windows = r.options.detail_mode[0] == 'w';
  h.state = ADA_RING_RECORDING;
  __atomic_store_n(&h.magic, ADA_RING_MAGIC, __ATOMIC_RELEASE);
  r.images.writeModules(r.ring);
  error = r.drain.start(r.ring, r.images, r.options, r.triggers, r.processDirectory.c_str());
  if (error < 0) {
    r.ring.unlink();
    sys::unlink(link.c_str());
    return off(Message("cannot start the thread that writes the trace: ") << errorText(error)
                                                                         << ". This program runs untraced.");
  }
  r.setState(State::On);
  return true;
}

void removeRing() {
  Path link(runtime.processDirectory.c_str());
  link << "/ring";
  runtime.ring.unlink();
  sys::unlink(link.c_str());
}

void printSummary() {
  Runtime &r = runtime;
  const char *failure = r.drain.failure();
  ada_ring_header &h = r.ring.header();
  uint64_t lost = h.events_lost;
  if (failure[0])
    say(Message() << failure << ". " << lost << " events were lost; what was written before is complete.");
  bool wanted = r.options.summary[1] == 'l';
  if (r.options.summary[1] == 'u') { // auto: a terminal answers TCGETS
    char termios[256];
    wanted = sys::call(SYS_ioctl, 2, 0x5401, termios) == 0;
  }
  if (!wanted)
    return;
  Message m;
  m << h.events_written << " events of " << h.threads_seen << (h.threads_seen == 1 ? " thread" : " threads");
  if (lost && !failure[0])
    m << " (" << lost << " lost)";
  m << " in " << r.processDirectory.c_str() << "; next: adatrace tree " << r.sessionDirectory.c_str();
  say(m);
}

void lockForFork() {
  // In the order in which everybody takes them.
  runtime.startMutex.lock();
  runtime.images.mutex().lock();
  runtime.ring.lockForFork();
}

void parentAfterFork() {
  runtime.ring.unlockAfterFork();
  runtime.images.mutex().unlock();
  runtime.startMutex.unlock();
}

void childAfterFork() {
  Runtime &r = runtime;
  // The parent's ring is shared memory: this process must not write to it.
  ada_thread = AdaThread{ADA_POSITION_PARKED, ADA_POSITION_PARKED, nullptr, nullptr, 0, 0, 0, 0, 0};
  r.ring.abandon();
  r.images.mutex().reset();
  r.startMutex.reset();
  r.drain.reset();
  if (r.currentState() == State::On)
    r.setState(State::Forked);
  else if (r.currentState() == State::Finished)
    r.setState(State::Off);
}

} // namespace

void startOnce() {
  Runtime &r = runtime;
  uint64_t signals = sys::blockSignals();
  {
    Lock lock(r.startMutex);
    if (r.currentState() == State::NotStarted) {
      // A set-uid program does not take orders from its caller's environment, nor writes where it says.
      if (getauxval(AT_SECURE))
        r.setState(State::Off);
      else if (!parseOptions(r.options, getenv("ADA_OPTIONS")))
        r.setState(State::Off);
      else if (!r.triggers.parse(r.options.trigger))
        r.setState(State::Off);
      else if (r.options.stack_size > ADA_MOST_STACK_BYTES)
        off(Message("option 'stack_size' in ADA_OPTIONS: ")
            << r.options.stack_size << " is more than 256. This program runs untraced.");
      else if (makeSessionDirectory()) {
        r.recording = r.options.enabled;
        r.stackBytes = (uint32_t)r.options.stack_size;
        r.images.setTriggers(&r.triggers);
        if (r.triggers.onSignal)
          watchFatalSignals([] {
            runtime.drain.trigger(sys::nowNs(), TriggerKind::Signal);
            if (runtime.currentState() == State::On && sys::processId() == runtime.processId)
              runtime.drain.flush();
          });
        r.images.selection().start(r.options);
        gatherProcessInfo();
        watchProcess({lockForFork, parentAfterFork, childAfterFork});
        startProcess();
      }
    }
  }
  sys::restoreSignals(signals);
}

bool startChild() {
  Runtime &r = runtime;
  Lock lock(r.startMutex);
  if (r.currentState() != State::Forked)
    return r.currentState() == State::On;
  gatherProcessInfo();
  if (!startProcess())
    return false;
  r.drain.flush(); // the manifest is there, as after the registration of an image
  return true;
}

void finishProcess(int status) {
  Runtime &r = runtime;
  // A vfork child shares our memory but is not us.
  if (r.currentState() != State::On || sys::processId() != r.processId)
    return;
  r.setState(State::Finished);
  r.drain.finish(Ending::Exit, status);
  __atomic_store_n(&r.ring.header().state, ADA_RING_FINISHED, __ATOMIC_RELEASE);
  removeRing();
  printSummary();
}

} // namespace ada

using namespace ada;

extern "C" void __ada_before_exec(void) {
  Runtime &r = runtime;
  if (r.currentState() != State::On || sys::processId() != r.processId)
    return;
  r.drain.finish(Ending::Exec, 0);
  // If exec succeeds nobody is left to remove the file. If it fails, recording goes on in it; only a kill after that is not survived.
  removeRing();
}

extern "C" void __ada_before_exit(int status) { finishProcess(status); }

// Runs after the destructors of all images: the runtime is what they depend on; in a static program by its priority.
extern "C" __attribute__((destructor(101))) void ada_at_exit(void) { finishProcess(processExitStatus()); }
