// The drain thread. It makes raw system calls only; os/linux/drain_thread.h says what else it must not do.
#include "drain.h"
#include "drain_thread.h"
#include "loaded_object.h"

namespace ada::runtime {

int Drain::start(Ring &ring, Images &images, TimingAnchors &anchors, const Options &options,
                 const TriggerRules &triggers, const char *directory, const char *session, int (*makeRing)()) {
  ring_ = &ring, directory_ = directory;
  if (options.isFlight())
    flight_.start(trace_, directory, session);
  threadsWanted_ = options.drain_threads;
  const Beginning beginning = {images, anchors, options, triggers, makeRing};
  beginning_ = &beginning;
  requests_.passes = 1;
  isAlone_ = isOnlyThreadOfProcess();
  if (int error = startOwnThread(threadMain, this); error < 0)
    return error;
  while (!__atomic_load_n(&requests_.done, __ATOMIC_ACQUIRE))
    sys::futexWait(&requests_.done, 0, UINT64_MAX);
  return beginError_;
}

void Drain::reset() {
  trace_.reset();
  passes_.reset();
  __builtin_memset(static_cast<void *>(this), 0, sizeof *this);
  manifestChanged();
}

void Drain::threadMain(void *self) {
  Drain &drain = *static_cast<Drain *>(self);
  if (drain.begin() < 0)
    return;
  drain.run();
  if (drain.abandoned_.isTrue)
    Identity::endLike(drain.abandoned_.endCode);
}

//===--- called by the program's threads ----------------------------------===//

void Drain::wake() {
  if (ring_) // otherwise nothing has been recorded
    ring_->wakeDrain();
}

void Drain::askForDump(bool isUrgent) {
  flight_.ask(isUrgent);
  wake();
}

int Drain::flush() {
  if (requests_.isStopped())
    return -1;
  const uint32_t wanted = requests_.ask();
  wake();
  while (true) {
    const uint32_t done = __atomic_load_n(&requests_.done, __ATOMIC_ACQUIRE);
    if (DrainRequests::isUpTo(done, wanted) || requests_.isStopped())
      break;
    sys::futexWait(&requests_.done, done, 100000000);
    wake();
  }
  return trace_.failed() ? -1 : 0;
}

int Drain::finish(Ending ending, int status) {
  if (ending == Ending::Exit)
    __atomic_store_n(&requests_.exitStatus, status, __ATOMIC_RELAXED);
  int result = -1;
  while (!requests_.isStopped()) {
    requests_.askToFinish(ending);
    const uint32_t before = requests_.asked();
    result = flush();
    // A pass for another request may have taken our ending before it took our records.
    if (ending != Ending::Exit &&
        DrainRequests::isUpTo(__atomic_load_n(&requests_.finishedAt, __ATOMIC_ACQUIRE), before + 1))
      break;
  }
  return result;
}

void Drain::resume() {
  __atomic_store_n(&requests_.resumed, 1, __ATOMIC_RELEASE);
  manifestChanged();
  flush();
}

//===--- the thread -------------------------------------------------------===//

// After a failure this object does not belong to the thread any more.
int Drain::begin() {
  ownsFiles_ = takeOwnFileTable();
  int error = passes_.start(trace_);
  if (error == 0)
    error = beginning_->makeRing();
  if (error == 0) {
    const Beginning &b = *beginning_;
    trace_.start(*ring_, b.images, b.anchors, b.options, b.triggers, directory_);
  }
  if (error == 0)
    return 0;
  beginError_ = error;
  __atomic_store_n(&requests_.done, 1, __ATOMIC_RELEASE);
  sys::futexWake(&requests_.done, 1);
  return error;
}

// Prepares everything before the first pass.
void Drain::settle() {
  if (ownsFiles_) {
    ring_->hold();
    trace_.keepDescriptors(takeOwnDirectory(ring_->processDirectory()));
    identity_.start();
  }
  trace_.prepare();
  trace_.startSched(isAlone_);
  passes_.startHelpers(threadsWanted_);
}

void Drain::run() {
  settle();
  for (bool goesOn = true; goesOn;) {
    const Asked asked = look();
    switch (turnFor(asked)) {
    case Turn::Recording:
      goesOn = recordOn(asked);
      break;
    case Turn::Finishing:
      goesOn = finishFiles(asked);
      break;
    case Turn::Parked:
      sleepUnless(asked.wake, 0);
      break;
    case Turn::Gone:
      goesOn = answerGone(asked);
      break;
    case Turn::Abandoned:
      takeAbandoned();
      break;
    }
  }
}

// Takes what is asked for now. Executes the order that waits, if there is one.
Drain::Asked Drain::look() {
  upkeep_.askNames(*ring_);
  Asked asked = {};
  asked.wake = __atomic_load_n(&ring_->orders().wake, __ATOMIC_SEQ_CST);
  asked.hasOrder = takeOrder();
  asked.passes = requests_.asked();
  asked.dumps = flight_.asked();
  asked.isFlush = asked.passes != requests_.done;
  const uint32_t ending = asked.isFlush ? __atomic_load_n(&requests_.finish, __ATOMIC_SEQ_CST) : 0;
  asked.isFinishing = ending != 0;
  if (asked.isFinishing) {
    ending_ = static_cast<Ending>(ending);
  } else if (__atomic_exchange_n(&requests_.resumed, 0, __ATOMIC_ACQ_REL)) {
    ending_ = Ending::Running;
    manifestDueNs_ = 0;
    __atomic_store_n(&ring_->header().state, ADA_RING_RECORDING, __ATOMIC_RELEASE);
    if (isParked())
      park();
  }
  followIdentity();
  return asked;
}

Drain::Turn Drain::turnFor(const Asked &asked) {
  if (!asked.isFinishing && isAbandoned())
    return Turn::Abandoned;
  const bool mayRest = mode() == Mode::Parked && !asked.hasOrder;
  if (mayRest && !asked.isFlush)
    return Turn::Parked;
  if (mayRest && asked.isFinishing && trace_.isGone())
    return Turn::Gone;
  return asked.isFinishing ? Turn::Finishing : Turn::Recording;
}

bool Drain::recordOn(const Asked &asked) {
  const uint64_t records = pass(asked);
  if (trace_.budget().active() && trace_.budget().endPass(passes_.isBehind())) {
    manifestChanged();
    if (trace_.writeNews() < 0)
      manifestDueNs_ = 0;
  }
  const bool lacksWindows = trace_.windows().manifestIsBehind();
  bool isDumping = false;
  if (flight_.isOn()) {
    const bool isAwaited = (asked.isFlush && flight_.isUrgent()) || (asked.hasOrder && control_.order.isSnapshot);
    isDumping = flight_.write(asked.dumps, isAwaited, ending_, requests_.exitStatus);
  }
  if (isManifestDue(asked, lacksWindows) || (asked.hasOrder && trace_.isManifestOld()))
    writeManifest();
  if (ending_ == Ending::Running) // an exec may end this thread at any moment after its answer
    rotate();
  if (mustPark() || (mode() == Mode::Parked && records > 0))
    finishParked();
  return endTurn(asked, records, isDumping);
}

bool Drain::finishFiles(const Asked &asked) {
  const uint64_t records = pass(asked);
  passes_.writeHeldAtEnd();
  trace_.finish(ending_, requests_.exitStatus);
  if (flight_.isOn() && ending_ == Ending::Exit)
    flight_.finish(requests_.exitStatus);
  return endTurn(asked, records, false);
}

bool Drain::answerGone(const Asked &asked) {
  if (!answer(asked))
    return false;
  sleepUnless(asked.wake, 0);
  return true;
}

// Answers what was asked for, and sleeps if there is nothing more to do.
bool Drain::endTurn(const Asked &asked, uint64_t records, bool isDumping) {
  trace_.prepare(); // before the answer: the asking thread may need what this prepares
  if (asked.isFlush && !answer(asked))
    return false;
  if (asked.hasOrder)
    answerOrder();
  if (!isDumping && ring_->closedChunks() < Ring::kChunksToWakeFor && !(ownsFiles_ && upkeep_.lookForOrphans(*ring_)))
    sleepUnless(asked.wake, records);
  return true;
}

// Wakes the threads that wait for the passes that were asked for. False if that was the last pass: then nothing in this
// object belongs to the drain any more.
bool Drain::answer(const Asked &asked) {
  const bool stop = asked.isFinishing && ending_ == Ending::Exit;
  if (asked.isFinishing) {
    requests_.noteFinished(asked.passes, ending_);
    if (!stop) {
      ada_ring_header &h = ring_->header();
      h.events_at_exec = h.events_written + h.events_lost + 1;
      __atomic_store_n(&h.state, ADA_RING_EXEC, __ATOMIC_RELEASE);
    }
  }
  if (stop) {
    passes_.stopHelpers();
    // This must happen before the lock ends with this thread: see Ring::hold. Without a manifest only the ring knows
    // what was lost; without a directory, recovery has no place for what the ring holds.
    isDeleted_ = !trace_.isComplete() && trace_.isDeleted(); // here: the directory may be this thread's only
    if (trace_.isComplete() || isDeleted_) {
      __atomic_store_n(&ring_->header().state, ADA_RING_FINISHED, __ATOMIC_RELEASE);
      trace_.removeRing();
      flight_.removeMemory();
    }
    __atomic_store_n(&requests_.stopped, true, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&requests_.done, asked.passes, __ATOMIC_RELEASE);
  sys::futexWake(&requests_.done, INT32_MAX);
  return !stop;
}

// Follows the program if it has given up rights.
void Drain::followIdentity() {
  if (!identity_.hasChanged())
    return;
  passes_.follow(identity_);
  trace_.handOver(identity_);
}

// Whether the program's last thread has ended with the system call `exit`, which is not reported. Our threads keep the
// process alive.
bool Drain::isAbandoned() {
  if (abandoned_.isTrue)
    return false;
  // If there are two runtimes, the one in the namespace that dlmopen() created ends first. Then the other one is alone.
  return identity_.isAlone(ownThreads()) ||
         (isInOtherNamespace() && identity_.mainHasEnded() && onlyOwnThreadsAreLeft());
}

// From the next turn on, the trace is finished as at exit().
void Drain::takeAbandoned() {
  abandoned_.isTrue = true;
  const uint32_t code = abandoned_.endCode = Identity::exitCode();
  ownThreadsEndWith(static_cast<int>(code >> 8));
  if (abandoned_.callback)
    abandoned_.callback();
  requests_.exitStatus = static_cast<int>(code & 127 ? 128 + (code & 127) : code >> 8);
  requests_.askToFinish(Ending::Exit);
  requests_.ask();
}

//===--- parts of a turn --------------------------------------------------===//

// Takes what was recorded, and first what is new about the program.
uint64_t Drain::pass(const Asked &asked) {
  passes_.takeAnchor();
  takeModules();
  if (manifestDueNs_ == 0)
    writeManifest();
  if (trace_.budget().active())
    trace_.budget().beginPass();
  const bool isWhole = takesAll(asked) || !flight_.hasBegun(asked.dumps);
  const bool isLast = asked.isFinishing && ending_ == Ending::Exit;
  // In the state ADA_RING_EXEC the files are complete, while this thread keeps sleeping and waking until exec ends it.
  const bool readsSwitches = !isParked() && __atomic_load_n(&ring_->header().state, __ATOMIC_RELAXED) != ADA_RING_EXEC;
  return passes_.run(isLast ? Extent::Last : isWhole ? Extent::Whole : Extent::Some, readsSwitches);
}

// Done at once: a killed program must have its symbols.
void Drain::takeModules() {
  if (const bool hasModules = trace_.clock().takeModules(); !hasModules && !trace_.hasNewAnchors())
    return;
  manifestChanged();
  if (!hasManifest_ || trace_.writeNews() < 0)
    manifestDueNs_ = 0;
}

// Whether the manifest is to be written now. `lacksWindows`: it does not have all windows.
bool Drain::isManifestDue(const Asked &asked, bool lacksWindows) {
  if (lacksWindows && takesAll(asked))
    return true; // a process that flushes may be about to die
  const bool isBehind =
      lacksWindows || trace_.isManifestOld() || trace_.budget().manifestIsBehind() || trace_.sched().manifestIsBehind();
  return isBehind && sys::nowNs() >= manifestDueNs_;
}

void Drain::writeManifest() {
  uint64_t began = sys::nowNs();
  trace_.manifestIsNew();
  trace_.writeManifest(ending_, requests_.exitStatus);
  hasManifest_ = true;
  // A large manifest is not rewritten at once: at most a twentieth of the drain's time is spent on it.
  uint64_t now = sys::nowNs(), took = now - began;
  manifestDueNs_ = now + (took * 20 > 1000000000 ? took * 20 : 1000000000);
}

// Continues the trace in a new part when it is time.
void Drain::rotate() {
  if (!trace_.rotate(passes_.buffer()))
    return;
  manifestDueNs_ = sys::nowNs() + 1000000000;
  if (trace_.failed())
    manifestChanged();
}

} // namespace ada::runtime
