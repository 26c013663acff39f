// Starts and ends the trace of a process, and handles fork.
#include "session.h"
#include "core/base/message.h"
#include "core/base/own_stack.h"
#include "core/control/waiting_room.h"
#include "core/facts/process_info.h"
#include "core/record/fibers.h"
#include "core/record/late_events.h"
#include "drain_thread.h"
#include "fault_registers.h"
#include "orders.h"
#include "own_ring.h"
#include "process_events.h"
#include "start_block.h"
#include "summary.h"
#include "untraced.h"

#include <elf.h>
#include <errno.h>
#include <time.h>

// A program may define it: ADA_DEFAULT_OPTIONS in ada/trace.h.
extern "C" __attribute__((weak, visibility("default"))) const char ada_default_options[];

namespace ada::runtime {

constinit Recorder recorder;
constinit Runtime runtime;

void setState(State s) {
  __atomic_store_n(&recorder.state, static_cast<uint32_t>(s), __ATOMIC_RELEASE);
  waiting::setProcess(s == State::Waiting ? WaitingBlock::Waits
                      : s == State::On    ? WaitingBlock::Records
                                          : WaitingBlock::Over);
}

int makeDirectories(const char *path) {
  constinit static Path p; // not on the stack: see startProcess
  if (const int error = sys::makeDirectory(path); error == 0 || error == -EEXIST)
    return 0;
  p.clear();
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

namespace {

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

// Creates `path`, or path_2, path_3, … if it exists; `number` is the one used. Returns 0 or a negative errno.
int makeNew(Path &path, uint32_t &number) {
  size_t n = path.size();
  for (number = 1;; ++number) {
    if (number > 1) {
      path.shorten(n);
      path << '_' << number;
    }
    int error = sys::makeDirectory(path.c_str());
    if (error != -EEXIST || number == 10000000) // option rotate can make that many parts
      return error;
  }
}

bool off(const Message &m) {
  if (runtime.orderProblem) { // the process goes on waiting
    *runtime.orderProblem = m;
    return false;
  }
  say(m);
  setState(State::Off);
  return false;
}

// Appends YYYYMMDD_HHMMSS, in UTC: only libc knows local time, and its localtime_r() may be the program's own.
void putTime(Path &path, uint64_t seconds) {
  const uint64_t days = seconds / 86400, second = seconds % 86400;
  const uint64_t d = days + 719468, era = d / 146097, ofEra = d % 146097; // since 1 March of year 0, in 400 years each
  const uint64_t yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146096) / 365;
  const uint64_t ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
  const uint64_t fromMarch = (5 * ofYear + 2) / 153, month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  path.number(yearOfEra + era * 400 + (month <= 2), 10, 4).number(month, 10, 2);
  path.number(ofYear - (153 * fromMarch + 2) / 5 + 1, 10, 2) << '_';
  path.number(second / 3600, 10, 2).number(second / 60 % 60, 10, 2).number(second % 60, 10, 2);
}

// Names the session's directory now; it is created when something is recorded.
void nameSession() {
  const Options &o = runtime.options;
  Path &path = runtime.sessionDirectory;
  if (o.session[0]) {
    path = absolute(o.session);
    return;
  }
  path = absolute(o.output);
  timespec now;
  readKernelClock(CLOCK_REALTIME, now);
  path << "/session_";
  putTime(path, static_cast<uint64_t>(now.tv_sec));
  runtime.shared = static_cast<SharedSession *>(
      sys::map(nullptr, sizeof(SharedSession), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS));
}

// Creates a new directory for a process and all children that it forked before it had recorded anything: the first of
// them that records creates it.
int makeSharedSession() {
  Path &path = runtime.sessionDirectory;
  SharedSession *shared = runtime.shared;
  uint32_t none = SharedSession::None;
  if (shared && !__atomic_compare_exchange_n(&shared->state, &none, SharedSession::BeingMade, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE)) {
    // If the creating process is killed in the middle, the others do not wait for long.
    for (int i = 0; i < 1000 && __atomic_load_n(&shared->state, __ATOMIC_ACQUIRE) != SharedSession::Made; ++i) {
      timespec millisecond = {0, 1000000};
      sys::call(SYS_nanosleep, &millisecond, nullptr);
    }
    if (__atomic_load_n(&shared->state, __ATOMIC_ACQUIRE) == SharedSession::Made) {
      if (shared->number > 1)
        path << '_' << shared->number;
      return 0;
    }
  }
  constinit static Path parent;
  parent = path;
  parent.toParent();
  uint32_t number = 1;
  int error = makeDirectories(parent.c_str());
  if (error < 0)
    path = parent; // for the message
  else
    error = makeNew(path, number);
  if (shared && error == 0) {
    shared->number = number;
    __atomic_store_n(&shared->state, SharedSession::Made, __ATOMIC_RELEASE);
  }
  return error;
}

bool makeSessionDirectory() {
  Path &path = runtime.sessionDirectory;
  int error = runtime.options.session[0] ? makeDirectories(path.c_str()) : makeSharedSession();
  if (path.cut())
    error = -ENAMETOOLONG;
  if (error < 0)
    return off(Message("cannot create the trace directory ")
               << path.c_str() << ": " << errorText(error)
               << ". Choose another one with ADA_OPTIONS=output=DIR. This program runs untraced.");
  runtime.sessionIsMade = true;
  return true;
}

// An order in the waiting room: filled in by one thread at a time.
struct WaitingOrder {
  Order order;
  uint64_t leaseNs;
  Message problem;
};
constinit WaitingOrder late = {};

// Creates the session directory, ring file and drain of this process. Large texts are not on the stack: the first event
// may come from a thread or signal handler with a small one.
bool startProcess() {
  Runtime &r = runtime;
  constinit static Path folder; // absolute: the program may change directory, and recovery runs elsewhere
  folder.clear();
  if (r.options.ring[0])
    folder = absolute(r.options.ring);
  r.processDirectory.clear();
  if (!r.sessionIsMade)
    r.images.beginSession();
  uint32_t number = 0;
  if (!r.options.isFlight()) { // its directory is beside its ring; the session is created with a dump
    if (!r.sessionIsMade && !makeSessionDirectory())
      return false;
    r.processDirectory = r.sessionDirectory;
    r.processDirectory << "/pid_" << recorder.processId;
    if (int error = makeNew(r.processDirectory, number); error < 0)
      return off(Message("cannot create ")
                 << r.processDirectory.c_str() << ": " << errorText(error) << ". This program runs untraced.");
  }
  // In a session with a name, what the process recorded before an exec has the directory's name without a number.
  if (number != 1 || !r.options.session[0])
    r.drain.lookForOwnOrphan();
  placeRing(folder.c_str());
  if (int error = r.drain.start(recorder.ring, r.images, r.timingAnchors, r.options, r.triggers,
                                r.processDirectory.c_str(), r.sessionDirectory.c_str(), makeRing);
      error < 0) {
    if (recorder.ring.exists())
      dropRing();
    r.drain.reset();
    const Message refusals = ringRefusals();
    Message why;
    if (!refusals.empty())
      why << "cannot create the ring file in " << refusals.c_str();
    else
      why << "cannot start the thread that writes the trace: "
          << (error == -EAGAIN ? "no more threads are allowed (ulimit -u, or a control group)" : errorText(error));
    if (!r.processDirectory.empty())
      leaveUntraced(r.processDirectory.c_str(), why.c_str());
    return off(why << ". This program runs untraced.");
  }
  // The manifest exists now: a program that is killed right away must have its symbols.
  if (r.drain.hasFailed()) {
    Message m = Message() << r.drain.failure() << ". This program runs untraced.";
    r.drain.finish(Ending::Exit, 0);
    dropRing();
    sys::call(SYS_unlinkat, AT_FDCWD, r.processDirectory.c_str(), AT_REMOVEDIR);
    r.drain.reset();
    return off(m);
  }
  recorder.ticks.start(recorder.ring, r.options.clockChoice().tickIsGiven);
  explainRing();
  explainClock();
  if (r.orderProblem)
    __atomic_store_n(&recorder.ring.orders().lease_ns, late.leaseNs, __ATOMIC_RELAXED);
  setState(State::On);
  return true;
}

void lockForFork() {
  // In the order in which all code takes them.
  recorder.startMutex.lock();
  runtime.images.mutex().lock();
  runtime.timingAnchors.mutex().lock();
  recorder.ring.lockForFork();
}

void parentAfterFork() {
  recorder.ring.unlockAfterFork();
  runtime.timingAnchors.mutex().unlock();
  runtime.images.mutex().unlock();
  recorder.startMutex.unlock();
}

void childAfterFork() {
  Runtime &r = runtime;
  forgetBootOffset();
  // What a controller began for a time is about the parent, and nobody would end it in this process.
  const bool isLent =
      recorder.currentState() == State::On && __atomic_load_n(&recorder.ring.orders().lease_ns, __ATOMIC_RELAXED) != 0;
  // The parent's ring is shared memory: this process must not write to it.
  startAnew(ada_thread);
  recorder.ring.abandon();
  r.images.resetAfterFork();
  r.timingAnchors.resetAfterFork();
  recorder.startMutex.reset();
  r.drain.reset();
  forgetOwnThreads();
  recorder.ticks.reset();
  recorder.processId = noteFork(recorder.processId);
  if (r.options.isFlight())
    watchEndingsOfChild();
  if (r.isOriginal)
    *r.isOriginal = 1;
  if (isLent)
    r.recording = false;
  if (isLent || recorder.currentState() == State::Finished)
    r.images.disable();
  waiting::setEnabled(r.recording);
  if (recorder.currentState() == State::On)
    setState(State::Waiting);
  else if (recorder.currentState() == State::Finished)
    setState(State::Off);
  lateEvents = {};
}

// What counts before ADA_OPTIONS: what the program says, or else that nothing is recorded unless ADA_OPTIONS is set.
const char *defaultOptions() {
  if (&ada_default_options)
    return ada_default_options;
  const char *asked = environmentValue("ADA_OPTIONS");
  return asked && *asked ? nullptr : "enabled=0";
}

// Writes what is known of the signal that kills the process to the ring file.
void noteDeath(const siginfo_t &info, const void *context) {
  auto &death = recorder.ring.header().death;
  if (__atomic_exchange_n(&death.taken, 1, __ATOMIC_ACQ_REL) != 0)
    return; // another thread died first
  death.cause = info.si_code;
  death.tid = sys::threadId();
  if (info.si_code <= 0)
    death.sender = static_cast<uint32_t>(info.si_pid), death.sender_user = info.si_uid;
  else
    death.address = reinterpret_cast<uint64_t>(info.si_addr);
  arch::takeFaultRegisters(context, death.registers);
  death.forbidden_counter = info.si_signo == SIGSEGV && !mayReadCounter() && arch::readsCounter(death.registers[0]);
  __atomic_store_n(&death.signal, static_cast<uint32_t>(info.si_signo), __ATOMIC_RELEASE);
}

// In a signal handler.
void fatalSignal(const siginfo_t &info, const void *context, bool isTheEnd) {
  Runtime &r = runtime;
  if (sys::processId() != recorder.processId) // a vfork child, in our memory
    return;
  const bool isOn = recorder.currentState() == State::On;
  if (isOn && isTheEnd)
    noteDeath(info, context);
  if (!r.triggers.onSignal && !r.options.isFlight())
    return;
  if (isTheEnd)
    r.drain.noteFatalSignal(info.si_signo);
  r.drain.trigger(sys::nowNs(), TriggerKind::Signal);
  if (isOn)
    r.drain.flush();
}

// What options mean for recording.
void useOptions() {
  Runtime &r = runtime;
  recorder.stackBytes = static_cast<uint32_t>(r.options.stack_size);
  recorder.contentSizes = {static_cast<uint32_t>(r.options.strings), static_cast<uint32_t>(r.options.pointees)};
  if (r.options.crash || r.triggers.onSignal || r.options.isFlight())
    watchFatalSignals(fatalSignal, r.options.isFlight());
  recorder.dropsOverflow = r.options.overflowDrops();
  r.images.selection().start(r.options);
  recorder.selection = &r.images.selection();
  recorder.readsContents = r.options.strings > 0 || r.options.pointees > 0 || r.images.selection().hasArguments();
}

// Gets ready to record as an order says: "start", with options as in ADA_OPTIONS. False if nothing is to be recorded.
bool obey(Order &order) {
  Runtime &r = runtime;
  if (order.verb == "stop") {
    r.recording = false;
    return false;
  }
  if (order.verb != "start") {
    order.refuse("it has recorded nothing yet: start it first");
    return false;
  }
  Options chosen = r.options;
  if (!parseOptions(chosen, {defaultOptions(), environmentValue("ADA_OPTIONS"), order.argumentText()}, late.problem)) {
    order.refuse(late.problem.c_str());
    return false;
  }
  if (chosen.budget != r.options.budget || !equal(chosen.trigger, r.options.trigger)) {
    order.refuse("budget and trigger can't be given to a running program: they are options of its start");
    return false;
  }
  r.options = chosen;
  useOptions();
  r.sessionIsMade = false;
  nameSession();
  r.recording = true;
  return true;
}

// What a process does that does not record and has reached the runtime: its enable bytes were set by a controller, or
// by the process that it is a copy of. True if it is to record from now on. With the start lock held.
bool lookForOrder() {
  Runtime &r = runtime;
  late.leaseNs = 0;
  switch (waiting::take(recorder.processId, late.order, late.leaseNs)) {
  case waiting::Found::NotYet:
    return false;
  case waiting::Found::Order:
    if (obey(late.order))
      return true;
    waiting::answer(late.order);
    break;
  case waiting::Found::Nothing:
    break;
  }
  r.recording ? r.images.enable() : r.images.disable();
  return false;
}

// Starts recording in a process in the state Waiting. `startsParked`: option control. With the start lock held.
void startWaiting(bool startsParked) {
  Runtime &r = runtime;
  const bool isOrdered = !r.recording && !startsParked;
  if (!isBootOffsetFound()) // in a forked child
    findBootOffset();
  if (isOrdered && !lookForOrder())
    return;
  if (processInfoIsOf() != recorder.processId)
    gatherProcessInfo();
  findPipes();
  r.drain.whenAbandoned([] { recorder.ticks.stop(); });
  r.drain.whenOrdered(executeOrder);
  if (startsParked)
    r.drain.park();
  if (isOrdered) {
    recorder.beganLate = true;
    r.orderProblem = &late.problem;
    r.images.enable(); // before other threads may record: their calls may not be selected
  }
  startProcess();
  const bool isOn = recorder.currentState() == State::On;
  if (isOn && r.recording)
    r.images.tellMissing();
  if (isOrdered) {
    r.orderProblem = nullptr;
    if (isOn)
      late.order.answer << r.processDirectory.c_str();
    else
      r.recording = false, late.order.refuse(late.problem.c_str());
    waiting::answer(late.order);
  }
  if (!isOn)
    r.images.disable(); // no event needs to reach the runtime any more
}

} // namespace

void startOnce() {
  Runtime &r = runtime;
  SignalsBlocked<kLargeStack> blocked;
  Lock lock(recorder.startMutex);
  if (!isBootOffsetFound())
    findBootOffset();
  if (recorder.currentState() != State::NotStarted)
    return;
  // A set-uid program must not obey its caller's environment, or write where that says.
  if (hasMoreRightsThanItsCaller() || !parseOptions(r.options, defaultOptions(), environmentValue("ADA_OPTIONS")) ||
      !r.triggers.parse(r.options.trigger))
    return setState(State::Off);
  r.recording = r.options.enabled;
  waiting::setEnabled(r.recording);
  r.images.setTriggers(&r.triggers);
  if (r.options.budget > 0)
    r.images.keepFigures();
  useOptions();
  gatherProcessInfo();
  watchProcess({lockForFork, parentAfterFork, childAfterFork, finishProcess});
  nameSession();
  recorder.processId = sys::processId();
  r.isOriginal = static_cast<uint32_t *>(sys::mapMemory(4096));
  if (r.isOriginal) {
    *r.isOriginal = 1;
    if (sys::call(SYS_madvise, r.isOriginal, 4096L, MADV_WIPEONFORK) < 0)
      sys::unmap(r.isOriginal, 4096), r.isOriginal = nullptr;
  }
  setState(State::Waiting);
}

void separateCopiedProcess() {
  Runtime &r = runtime;
  if (__builtin_expect(r.isOriginal && *r.isOriginal == 0 && sys::processId() != recorder.processId, 0)) {
    SignalsBlocked blocked;
    childAfterFork();
  }
}

// Thousands of bytes: the first event may come from a thread or signal handler with a small stack. With the start lock.
static OwnStack<32768> startStack;

void findClock() {
  SignalsBlocked blocked;
  Lock lock(recorder.startMutex);
  startStack.run([] { findBootOffset(); });
}

bool startRecording(bool startsParked) {
  Lock lock(recorder.startMutex);
  if (recorder.currentState() == State::Waiting &&
      sys::processId() == recorder.processId) // not a vfork child, in our memory
    startStack.run([&] { startWaiting(startsParked); });
  return recorder.currentState() == State::On && sys::processId() == recorder.processId;
}

// Notes that the calling thread waits until everything is written, which it would not do without us.
static void holdUpAtEnd() {
  ada_ring_thread *slot = ada_thread.slot;
  if (slot && !recorder.ring.isTimeless())
    __atomic_store_n(&slot->held_at_end, recorder.ring.stampOr(0), __ATOMIC_RELAXED);
}

// The drain would have to look for it in /proc.
static void noteThreadName(const AdaThread &t) {
  constexpr long kGetName = 16; // PR_GET_NAME
  if (t.slot && !t.isFiber && t.slot->name[0] == 0)
    sys::call(SYS_prctl, kGetName, t.slot->name);
}

// Whether no other thread has recorded anything.
static bool isOnlyThread() {
  const uint64_t used = __atomic_load_n(&recorder.ring.header().threads_used, __ATOMIC_SEQ_CST);
  return used == 0 || (used == 1 && ada_thread.slot == recorder.ring.threads());
}

// False if another thread ends the trace.
__attribute__((noinline)) static bool endTrace(int status) {
  Runtime &r = runtime;
  touchStack<kHookStack>(); // what has begun here must be completed
  auto on = static_cast<uint32_t>(State::On);
  if (!__atomic_compare_exchange_n(&recorder.state, &on, static_cast<uint32_t>(State::Finished), false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return false;
  recorder.ticks.stop();
  r.drain.finish(Ending::Exit, status);
  return true;
}

void finishProcess(int status) {
  Runtime &r = runtime;
  if (sys::processId() != recorder.processId) // a vfork child, in our memory
    return;
  if (recorder.currentState() == State::Waiting) {
    setState(State::Off); // what other destructors record now is too late
    if (r.recording)
      r.images.tellMissing();
  }
  if (recorder.currentState() != State::On)
    return;
  reportLostCalls(ada_thread);
  holdUpAtEnd();
  noteThreadName(ada_thread);
  lateEvents.begin();
  r.images.stop(); // the trace ends here: calls that other threads make from now on are only counted
  if (!isOnlyThread())
    r.drain.flush(); // what they are recording at this moment is part of it
  if (endTrace(status))
    printSummary();
}

} // namespace ada::runtime

using namespace ada::runtime;

extern "C" ADA_ANY_STACK void __ada_before_exec(void) {
  Runtime &r = runtime;
  // The ring stays. If exec fails, recording continues in it. If exec succeeds, what other threads recorded until then
  // is found in it by whichever removes it: adatrace record, recover, or this user's next traced process.
  if (recorder.currentState() == State::On && sys::processId() == recorder.processId) {
    reportLostCalls(ada_thread);
    touchStack<kHookStack>(); // what begins here must be completed
    holdUpAtEnd();
    r.drain.finish(Ending::Exec, 0);
  }
}

extern "C" ADA_ANY_STACK void __ada_after_exec(void) {
  const int saved = errno;
  if (recorder.currentState() == State::On && sys::processId() == recorder.processId)
    runtime.drain.resume();
  errno = saved;
}

extern "C" ADA_ANY_STACK void __ada_before_exit(int status) { finishProcess(status); }
extern "C" ADA_ANY_STACK void __ada_before_thread_exit(int status) {
  Identity::noteThreadExit(recorder.processId, status);
}
extern "C" __attribute__((alias("__ada_before_exit"))) void __ada_before_leave(int status);
extern "C" __attribute__((alias("__ada_before_thread_exit"))) void __ada_before_thread_leave(int status);

// Runs after the destructors of all images, because they depend on the runtime. If it is linked into the program, the
// destructor of the program's image runs later.
extern "C" ADA_ANY_STACK __attribute__((destructor(101))) void ada_at_exit(void) {
  if (!runtime.images.isRuntimeInProgram())
    finishProcess(processExitStatus());
}
