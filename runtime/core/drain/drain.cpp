// The drain thread. It makes raw system calls only; os/linux/drain_thread.h says what else it must not do.
#include "drain.h"
#include "core/base/message.h"
#include "core/facts/process_info.h"
#include "drain_thread.h"
#include "loaded_object.h"
#include "orphans.h"

namespace ada::runtime {
namespace {

// With fewer chunks to read it is not worth waking helpers.
constexpr uint32_t kChunksToShare = 16;
// A drain thread reads 100 to 200 million events per second. That is as much as several threads can record in a program
// that also does other work.
constexpr unsigned kProcessorsPerThread = 4, kMostThreadsByItself = 8;
// Most processes of a build have ended by then.
constexpr uint64_t kShortNs = 5000000;

} // namespace

int Drain::start(Ring &ring, Images &images, TimingAnchors &anchors, const Options &options,
                 const TriggerRules &triggers, const char *directory, const char *session, int (*makeRing)()) {
  ring_ = &ring;
  isFlight_ = options.isFlight(), directory_ = directory, session_ = session;
  threadsWanted_ = options.drain_threads;
  const Beginning beginning = {images, anchors, options, triggers, makeRing};
  beginning_ = &beginning;
  requested_ = 1;
  isAlone_ = isOnlyThreadOfProcess();
  if (int error = startOwnThread(threadMain, this); error < 0)
    return error;
  while (!__atomic_load_n(&done_, __ATOMIC_ACQUIRE))
    sys::futexWait(&done_, 0, UINT64_MAX);
  return beginError_;
}

void Drain::reset() {
  trace_.reset();
  own_.reset();
  if (helpersOwn_) {
    for (unsigned i = 0; i < DrainHelpers::kMost; ++i)
      helpersOwn_[i].reset();
    sys::unmap(helpersOwn_, DrainHelpers::kMost * sizeof *helpersOwn_);
  }
  __builtin_memset(static_cast<void *>(this), 0, sizeof *this);
  manifestChanged();
}

void Drain::threadMain(void *self) {
  Drain &drain = *static_cast<Drain *>(self);
  if (drain.begin() < 0)
    return;
  drain.run();
  if (drain.isAbandoned_)
    Identity::endLike(drain.endCode_);
}

//===--- called by the program's threads ----------------------------------===//

void Drain::wake() {
  if (ring_) // otherwise nothing has been recorded
    ring_->wakeDrain();
}

int Drain::flush() {
  if (stopped_)
    return -1;
  uint32_t wanted = __atomic_add_fetch(&requested_, 1, __ATOMIC_ACQ_REL);
  wake();
  while (true) {
    uint32_t done = __atomic_load_n(&done_, __ATOMIC_ACQUIRE);
    if (static_cast<int32_t>(done - wanted) >= 0 || __atomic_load_n(&stopped_, __ATOMIC_ACQUIRE))
      break;
    sys::futexWait(&done_, done, 100000000);
    wake();
  }
  return trace_.failed() ? -1 : 0;
}

int Drain::finish(Ending ending, int status) {
  if (ending == Ending::Exit)
    __atomic_store_n(&exitStatus_, status, __ATOMIC_RELAXED);
  int result = -1;
  while (!__atomic_load_n(&stopped_, __ATOMIC_ACQUIRE)) {
    uint32_t none = 0;
    if (ending == Ending::Exit)
      __atomic_store_n(&finishRequested_, static_cast<uint32_t>(Ending::Exit), __ATOMIC_SEQ_CST);
    else
      __atomic_compare_exchange_n(&finishRequested_, &none, static_cast<uint32_t>(ending), false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST);
    uint32_t before = __atomic_load_n(&requested_, __ATOMIC_ACQUIRE);
    result = flush();
    // A pass for another request may have taken our ending before it took our records.
    if (ending != Ending::Exit && static_cast<int32_t>(__atomic_load_n(&finishedAt_, __ATOMIC_ACQUIRE) - before) > 0)
      break;
  }
  return result;
}

void Drain::resume() {
  __atomic_store_n(&resumed_, 1, __ATOMIC_RELEASE);
  manifestChanged();
  flush();
}

//===--- the thread -------------------------------------------------------===//

// After a failure this object does not belong to the thread any more.
int Drain::begin() {
  ownsFiles_ = takeOwnFileTable();
  int error = own_.start();
  if (error == 0)
    error = beginning_->makeRing();
  if (error == 0) {
    const Beginning &b = *beginning_;
    trace_.start(*ring_, b.images, b.anchors, b.options, b.triggers, directory_);
    own_.view.modules.examineBy(examineModule, &trace_);
  }
  if (error == 0)
    return 0;
  beginError_ = error;
  __atomic_store_n(&done_, 1, __ATOMIC_RELEASE);
  sys::futexWake(&done_, 1);
  return error;
}

void Drain::run() {
  if (ownsFiles_) {
    ring_->hold();
    trace_.keepDescriptors(takeOwnDirectory(ring_->processDirectory()));
    identity_.start();
  }
  trace_.prepare();
  trace_.startSched(isAlone_);
  startHelpers();
  while (true) {
    askNames();
    uint32_t seen = __atomic_load_n(&ring_->orders().wake, __ATOMIC_SEQ_CST);
    const bool hasOrder = takeOrder();
    uint32_t wanted = __atomic_load_n(&requested_, __ATOMIC_ACQUIRE);
    const uint32_t dumps = __atomic_load_n(&dumpsAsked_, __ATOMIC_ACQUIRE);
    uint32_t asked = wanted != done_ ? __atomic_load_n(&finishRequested_, __ATOMIC_SEQ_CST) : 0;
    bool finishing = asked != 0;
    if (finishing)
      ending_ = static_cast<Ending>(asked);
    else if (__atomic_exchange_n(&resumed_, 0, __ATOMIC_ACQ_REL)) {
      ending_ = Ending::Running;
      manifestDueNs_ = 0;
      __atomic_store_n(&ring_->header().state, ADA_RING_RECORDING, __ATOMIC_RELEASE);
      mustPark_ |= isParked_;
    }
    followIdentity();
    if (!finishing && noteIfAbandoned())
      continue;
    const bool isGone = isParked_ && finishing && trace_.isGone(); // the user deleted a complete session
    if (isParked_ && !hasOrder && !mustPark_ && (isGone || (!finishing && wanted == done_))) {
      if (wanted != done_ && !answer(wanted, finishing))
        return;
      sleepUnless(seen, 0);
      continue;
    }
    takeAnchor();
    takeModules();
    if (manifestDueNs_ == 0)
      writeManifest();
    if (trace_.budget().active())
      trace_.budget().beginPass();
    const bool isWhole = wanted != done_ || hasOrder || mustPark_;
    uint64_t records = pass(finishing && ending_ == Ending::Exit, isWhole || dumps != dumpsBegun_);
    if (trace_.budget().active() && !finishing && trace_.budget().endPass(isBehind_)) {
      manifestChanged();
      if (trace_.writeNews() < 0)
        manifestDueNs_ = 0;
    }
    bool isBehind = trace_.windows().manifestIsBehind();
    bool isDumping = false;
    if (finishing) {
      endHeld();
      trace_.finish(ending_, exitStatus_);
      if (isFlight_ && ending_ == Ending::Exit)
        endFlight();
    } else {
      if (isFlight_)
        isDumping = dump(dumps, (wanted != done_ && __atomic_load_n(&urgentDump_, __ATOMIC_RELAXED) != 0) ||
                                    (hasOrder && order_.isSnapshot));
      if (isManifestDue(isBehind, isWhole) || (hasOrder && trace_.isManifestOld()))
        writeManifest();
      if (ending_ == Ending::Running) // an exec may end this thread at any moment after its answer
        rotate();
      if (mustPark_ || (isParked_ && records > 0))
        finishParked();
    }
    trace_.prepare(); // before the answer: the asking thread may need what this prepares
    if (wanted != done_ && !answer(wanted, finishing))
      return;
    if (hasOrder)
      answerOrder();
    if (isDumping || ring_->closedChunks() >= Ring::kChunksToWakeFor)
      continue;
    if (lookForOrphans())
      continue;
    sleepUnless(seen, records);
  }
}

// Follows the program if it has given up rights.
void Drain::followIdentity() {
  if (!identity_.hasChanged())
    return;
  helpers_.begin([](void *identity, unsigned) { static_cast<const Identity *>(identity)->apply(); }, &identity_);
  helpers_.finish([] {});
  trace_.handOver(identity_);
}

// Done at once: a killed program must have its symbols.
void Drain::takeModules() {
  if (const bool hasModules = trace_.clock().takeModules(); !hasModules && !trace_.hasNewAnchors())
    return;
  manifestChanged();
  if (!hasManifest_ || trace_.writeNews() < 0)
    manifestDueNs_ = 0;
}

// Done once, when there is nothing else to do. True if it was done now. Looking into the rings of all processes takes
// longer than many processes live. So of those one in eight does it. The others look only for what this process may
// have left behind before an exec, until they have lived for some time.
bool Drain::lookForOrphans() {
  const uint64_t startedNs = ring_->header().started_ns;
  const bool isLate = lookedForOrphans_ == Looked::ForOwn;
  const bool looksForAll = isLate ? sys::nowNs() - startedNs >= kShortNs : startedNs / 1024 % 8 == 0;
  if (!ownsFiles_ || lookedForOrphans_ == Looked::ForAll || (isLate && !looksForAll))
    return false;
  lookedForOrphans_ = looksForAll ? Looked::ForAll : Looked::ForOwn;
  if (isLate ? isFiltered() : !looksForAll && !mayHaveOrphan_)
    return false;
  Path directory(ring_->path());
  directory.toParent();
  removeOrphans(directory.c_str(), ring_->path(), looksForAll ? 0 : ring_->header().pid);
  return true;
}

// Whether the manifest is to be written now.
bool Drain::isManifestDue(bool isBehind, bool isFlush) {
  if (isBehind && isFlush) // a process that flushes may be about to die
    return true;
  isBehind |= trace_.isManifestOld() || trace_.budget().manifestIsBehind() || trace_.sched().manifestIsBehind();
  return isBehind && sys::nowNs() >= manifestDueNs_;
}

// The program's last thread has ended with the system call `exit`, which is not reported. Our threads keep the process
// alive.
bool Drain::noteIfAbandoned() {
  if (isAbandoned_)
    return false;
  // If there are two runtimes, the one in the namespace that dlmopen() created ends first. Then the other one is alone.
  if (!identity_.isAlone(ownThreads()) &&
      !(isInOtherNamespace() && identity_.mainHasEnded() && onlyOwnThreadsAreLeft()))
    return false;
  isAbandoned_ = true;
  const uint32_t code = endCode_ = Identity::exitCode();
  ownThreadsEndWith(static_cast<int>(code >> 8));
  if (onAbandoned_)
    onAbandoned_();
  exitStatus_ = static_cast<int>(code & 127 ? 128 + (code & 127) : code >> 8);
  __atomic_store_n(&finishRequested_, static_cast<uint32_t>(Ending::Exit), __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&requested_, 1, __ATOMIC_ACQ_REL);
  return true;
}

// Wakes the threads that wait for the passes up to `wanted`. False if that was the last pass: then nothing in this
// object belongs to the drain any more.
bool Drain::answer(uint32_t wanted, bool finishing) {
  bool stop = finishing && ending_ == Ending::Exit;
  if (finishing) {
    __atomic_store_n(&finishedAt_, wanted, __ATOMIC_RELEASE);
    auto answered = static_cast<uint32_t>(ending_); // a stronger one stays
    __atomic_compare_exchange_n(&finishRequested_, &answered, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (!stop) {
      ada_ring_header &h = ring_->header();
      h.events_at_exec = h.events_written + h.events_lost + 1;
      __atomic_store_n(&h.state, ADA_RING_EXEC, __ATOMIC_RELEASE);
    }
  }
  if (stop) {
    helpers_.stop();
    // This must happen before the lock ends with this thread: see Ring::hold. Without a manifest only the ring knows
    // what was lost.
    if (trace_.isComplete()) {
      __atomic_store_n(&ring_->header().state, ADA_RING_FINISHED, __ATOMIC_RELEASE);
      trace_.removeRing();
      if (isFlight_ && dumpFailure_.empty()) // after a failed dump only memory has the trace
        removeProcessDirectory(directory_);
    }
    __atomic_store_n(&stopped_, true, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&done_, wanted, __ATOMIC_RELEASE);
  sys::futexWake(&done_, INT32_MAX);
  return !stop;
}

void Drain::writeManifest() {
  uint64_t began = sys::nowNs();
  trace_.manifestIsNew();
  trace_.writeManifest(ending_, exitStatus_);
  hasManifest_ = true;
  // A large manifest is not rewritten at once: at most a twentieth of the drain's time is spent on it.
  uint64_t now = sys::nowNs(), took = now - began;
  manifestDueNs_ = now + (took * 20 > 1000000000 ? took * 20 : 1000000000);
}

// Begins the times of a pass.
void Drain::takeAnchor() {
  PassClock &clock = trace_.clock();
  if (!clock.takeAnchor())
    return;
  trace_.eachThread([&](ThreadTrace &t) {
    if (ada_chunk *chunk = t.chunk())
      clock.lower(*chunk);
  });
}

// Writes how long the threads that asked for the end have been waiting.
void Drain::endHeld() {
  takeAnchor();
  trace_.clock().show(own_.view);
  trace_.eachThread([this](ThreadTrace &t) { t.writeHeldAtEnd(own_.view); });
}

// Continues the trace in a new part when it is time.
void Drain::rotate() {
  if (!trace_.rotate(own_.events))
    return;
  manifestDueNs_ = sys::nowNs() + 1000000000;
  if (trace_.failed())
    manifestChanged();
}

//===--- a pass -----------------------------------------------------------===//

void Drain::examineModule(void *trace, uint32_t moduleId) {
  auto &t = *static_cast<ProcessTrace *>(trace);
  t.images().examine(t.ring(), moduleId);
}

void Drain::startHelpers() {
  auto wanted = static_cast<unsigned>(threadsWanted_);
  if (wanted == 0) {
    wanted = sys::usableProcessors() / kProcessorsPerThread;
    wanted = wanted < kMostThreadsByItself ? wanted : kMostThreadsByItself;
  }
  if (wanted < 2 || !trace_.canShare())
    return;
  helpersOwn_ = static_cast<Workspace *>(sys::mapMemory(DrainHelpers::kMost * sizeof *helpersOwn_));
  unsigned ready = 0;
  while (helpersOwn_ && ready < wanted - 1 && ready < DrainHelpers::kMost && helpersOwn_[ready].start() == 0) {
    Workspace &work = helpersOwn_[ready++];
    work.isHelpers = true;
    work.view.modules.examineBy(examineModule, &trace_);
  }
  helpers_.start(ready);
}

bool Drain::isWorthSharing() const {
  return helpers_.count() > 0 && slots_ > 1 && ring_->closedChunks() >= kChunksToShare && trace_.canShare();
}

// `last`: nothing more is recorded. `whole`: take everything that was recorded before now, however much that is.
uint64_t Drain::pass(bool last, bool whole) {
  pass_ = {last, whole, trace_.clock().limitNs()};
  __atomic_store_n(&ring_->header().alive_ns, pass_.limitNs, __ATOMIC_RELAXED);
  const uint64_t limitNs = last ? UINT64_MAX : pass_.limitNs;
  // Switches from before a thread's slot is looked at below must not be read before the slot has begun.
  const uint64_t switchesToNs = last ? UINT64_MAX : trace_.sched().limitNs(whole);
  const bool hasWindows = trace_.windows().active();
  if (hasWindows)
    trace_.windows().takePending();
  slots_ = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE), nextSlot_ = 0;
  uint64_t records = 0;
  if (isWorthSharing()) {
    trace_.share(true);
    helpers_.begin(
        [](void *drain, unsigned i) {
          static_cast<Drain *>(drain)->takePart(static_cast<Drain *>(drain)->helpersOwn_[i]);
        },
        this);
    takePart(own_);
    helpers_.finish([this] { trace_.prepare(); });
    trace_.share(false);
    for (unsigned i = 0; i < helpers_.count(); ++i)
      records += helpersOwn_[i].records;
  } else
    takePart(own_);
  records += own_.records;
  if (hasWindows)
    writeWindows(limitNs);
  // In the state ADA_RING_EXEC the files are complete, while this thread keeps sleeping and waking until exec ends it.
  if (!isParked_ && __atomic_load_n(&ring_->header().state, __ATOMIC_RELAXED) != ADA_RING_EXEC)
    trace_.sched().read(switchesToNs);
  isBehind_ = false;
  for (uint64_t i = 0; i < slots_; ++i) {
    ThreadTrace &t = trace_.thread(i);
    if (!t.isActive())
      continue;
    isBehind_ |= t.isBehind();
    if (t.isOver(last))
      t.end();
  }
  if (!isBehind_)
    trace_.clock().notePassed();
  trace_.enforceBound(last ? sys::nowNs() : limitNs);
  return records;
}

// Takes threads that no other drain thread has taken, until none are left.
void Drain::takePart(Workspace &work) {
  trace_.clock().show(work.view);
  work.records = 0;
  for (uint64_t i; (i = __atomic_fetch_add(&nextSlot_, 1, __ATOMIC_RELAXED)) < slots_;) {
    if (__atomic_load_n(&ring_->threads()[i].state, __ATOMIC_ACQUIRE) == ADA_THREAD_FREE)
      continue;
    ThreadTrace &t = trace_.thread(i);
    if (!t.isActive())
      t.begin(trace_, i);
    work.records += t.drain(work, pass_);
  }
}

// Copies the kernel's names of threads to the ring once a second, because they are lost once a process is killed.
void Drain::askNames() {
  constexpr uint64_t kMostAtOnce = 64;
  if (namesNext_ == 0 && sys::nowNs() < namesDueNs_)
    return;
  const uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  for (uint64_t asked = 0; namesNext_ < used; ++namesNext_) {
    ada_ring_thread &thread = ring_->threads()[namesNext_];
    if (__atomic_load_n(&thread.state, __ATOMIC_ACQUIRE) != ADA_THREAD_LIVE || thread.name[0] != 0)
      continue;
    if (asked++ == kMostAtOnce)
      return; // the next pass continues
    readThreadName(thread.tid, thread.comm);
  }
  namesNext_ = 0;
  namesDueNs_ = sys::nowNs() + 1000000000;
}

// A trigger in one thread applies to all threads. So only after all threads were read is it known what can no longer be
// asked for.
void Drain::writeWindows(uint64_t limitNs) {
  uint64_t undrainedNs = limitNs;
  for (uint64_t i = 0; i < slots_; ++i)
    if (const ThreadTrace &t = trace_.thread(i); t.isActive() && t.isBehind() && t.lastNs() < undrainedNs)
      undrainedNs = t.lastNs();
  for (uint64_t i = 0; i < slots_; ++i)
    if (ThreadTrace &t = trace_.thread(i); t.isActive())
      t.writeWindows(own_, undrainedNs);
  if (undrainedNs == limitNs) // otherwise entries may wait behind others
    trace_.windows().noteWritten();
  trace_.writeNewWindows();
}

} // namespace ada::runtime
