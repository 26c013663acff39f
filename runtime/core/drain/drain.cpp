// The drain thread. It makes raw system calls only; os/linux/drain_thread.h says what else it must not do.
#include "drain.h"
#include "core/base/message.h"
#include "core/ring/orphans.h"
#include "core/session/process_info.h"
#include "drain_thread.h"
#include "loaded_object.h"

namespace ada {
namespace {

// Several chunks at once: waking costs a system call, and a batch stays in the cache.
constexpr uint32_t kChunksToWakeFor = 8;
// The number of chunks that a pass takes from one thread: a busy thread must not starve the others, whose chunks fill
// meanwhile.
constexpr int kMostChunks = 64;
// With fewer chunks to read it is not worth waking helpers.
constexpr uint32_t kChunksToShare = 16;
// A drain thread reads 100 to 200 million events per second. That is as much as several threads can record in a program
// that also does other work.
constexpr unsigned kProcessorsPerThread = 4, kMostThreadsByItself = 8;

} // namespace

int Drain::start(Ring &ring, Images &images, TimingAnchors &anchors, const Options &options,
                 const TriggerRules &triggers, const char *directory, const char *session) {
  ring_ = &ring;
  isFlight_ = options.isFlight(), directory_ = directory, session_ = session;
  threadsWanted_ = options.drain_threads;
  if (int error = own_.start(); error < 0)
    return error;
  writer_.start(ring, images, anchors, options, triggers, directory);
  reader_.start(ring);
  return startOwnThread(threadMain, this);
}

void Drain::reset() {
  reader_.reset();
  writer_.reset();
  own_.reset();
  if (helperHands_) {
    for (unsigned i = 0; i < DrainHelpers::kMost; ++i)
      helperHands_[i].reset();
    sys::unmap(helperHands_, DrainHelpers::kMost * sizeof *helperHands_);
  }
  __builtin_memset((void *)this, 0, sizeof *this);
  manifestDirty_ = 1;
}

void Drain::threadMain(void *self) {
  Drain &drain = *(Drain *)self;
  drain.run();
  if (drain.isAbandoned_)
    Identity::endLike(drain.endCode_);
}

//===--- called by the program's threads ----------------------------------===//

void Drain::wake() {
  // Change the word first: a drain that is about to sleep sees that it changed since its pass began.
  __atomic_add_fetch(&wakeWord_, 1, __ATOMIC_SEQ_CST);
  if (__atomic_exchange_n(&sleeping_, 0, __ATOMIC_SEQ_CST))
    sys::futexWake(&wakeWord_, 1);
}

void Drain::chunkClosed() {
  if (reader_.noteClosedChunk() >= kChunksToWakeFor)
    wake();
}

int Drain::flush() {
  if (stopped_)
    return -1;
  uint32_t wanted = __atomic_add_fetch(&requested_, 1, __ATOMIC_ACQ_REL);
  wake();
  while (true) {
    uint32_t done = __atomic_load_n(&done_, __ATOMIC_ACQUIRE);
    if ((int32_t)(done - wanted) >= 0 || __atomic_load_n(&stopped_, __ATOMIC_ACQUIRE))
      break;
    sys::futexWait(&done_, done, 100000000);
    wake();
  }
  return writer_.failed() ? -1 : 0;
}

int Drain::finish(Ending ending, int status) {
  if (ending == Ending::Exit)
    __atomic_store_n(&exitStatus_, status, __ATOMIC_RELAXED);
  int result = -1;
  while (!__atomic_load_n(&stopped_, __ATOMIC_ACQUIRE)) {
    uint32_t none = 0;
    if (ending == Ending::Exit)
      __atomic_store_n(&finishRequested_, (uint32_t)Ending::Exit, __ATOMIC_SEQ_CST);
    else
      __atomic_compare_exchange_n(&finishRequested_, &none, (uint32_t)ending, false, __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST);
    uint32_t before = __atomic_load_n(&requested_, __ATOMIC_ACQUIRE);
    result = flush();
    // A pass for another request may have taken our ending before it took our records.
    if (ending != Ending::Exit && (int32_t)(__atomic_load_n(&finishedAt_, __ATOMIC_ACQUIRE) - before) > 0)
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

void Drain::run() {
  if (takeOwnFileTable(ring_->descriptor())) {
    ring_->hold();
    writer_.keepDescriptors(takeOwnDirectory(ring_->processDirectory()));
    identity_.start();
    __atomic_store_n(&ownsFiles_, true, __ATOMIC_RELEASE);
  }
  prepare();
  writer_.startSched();
  startHelpers();
  while (true) {
    askNames();
    uint32_t seen = __atomic_load_n(&wakeWord_, __ATOMIC_SEQ_CST);
    uint32_t wanted = __atomic_load_n(&requested_, __ATOMIC_ACQUIRE);
    const uint32_t dumps = __atomic_load_n(&dumpsAsked_, __ATOMIC_ACQUIRE);
    uint32_t asked = wanted != done_ ? __atomic_load_n(&finishRequested_, __ATOMIC_SEQ_CST) : 0;
    bool finishing = asked != 0;
    if (finishing)
      ending_ = (Ending)asked;
    else if (__atomic_exchange_n(&resumed_, 0, __ATOMIC_ACQ_REL)) {
      ending_ = Ending::Running;
      manifestDueNs_ = 0;
      __atomic_store_n(&ring_->header().state, ADA_RING_RECORDING, __ATOMIC_RELEASE);
    }
    followIdentity();
    if (!finishing && noteIfAbandoned())
      continue;
    reader_.takeAnchor();
    takeModules();
    if (manifestDueNs_ == 0)
      writeManifest();
    if (writer_.budget().active())
      writer_.budget().beginPass();
    uint64_t records = pass(finishing && ending_ == Ending::Exit, wanted != done_ || dumps != dumpsBegun_);
    if (writer_.budget().active() && !finishing && writer_.budget().endPass(isBehind_))
      manifestChanged();
    bool isBehind = writer_.windows().manifestIsBehind();
    bool isDumping = false;
    if (finishing) {
      endHeld();
      writer_.finish(ending_, exitStatus_);
      if (isFlight_ && ending_ == Ending::Exit)
        endFlight();
    } else {
      if (isFlight_)
        isDumping = dump(dumps, wanted != done_ && __atomic_load_n(&urgentDump_, __ATOMIC_RELAXED) != 0);
      if (isManifestDue(isBehind, wanted != done_))
        writeManifest();
      if (ending_ == Ending::Running) // an exec may end this thread at any moment after its answer
        rotate();
    }
    prepare(); // before the answer: the asking thread may need what this prepares
    if (wanted != done_ && !answer(wanted, finishing))
      return;
    if (isDumping || reader_.closedChunks() >= kChunksToWakeFor)
      continue;
    if (lookForOrphans())
      continue;
    __atomic_store_n(&sleeping_, 1, __ATOMIC_SEQ_CST);
    SchedLane &sched = writer_.sched();
    sys::futexWait(&wakeWord_, seen, sched.isBusy() ? 1000000 : records || sched.isUsed() ? 10000000 : 100000000);
    __atomic_store_n(&sleeping_, 0, __ATOMIC_RELEASE);
  }
}

// Follows the program if it has given up rights.
void Drain::followIdentity() {
  if (!identity_.hasChanged())
    return;
  helpers_.begin([](void *identity, unsigned) { ((const Identity *)identity)->apply(); }, &identity_);
  helpers_.finish([] {});
  writer_.handOver(identity_);
}

// Done at once: a killed program must have its symbols.
void Drain::takeModules() {
  if (const bool hasModules = reader_.takeModules(); !hasModules && !writer_.hasNewAnchors())
    return;
  manifestChanged();
  if (!hasManifest_ || !writer_.writeModules())
    manifestDueNs_ = 0;
}

// Done once, when there is nothing else to do. True if it was done now.
bool Drain::lookForOrphans() {
  if (!ownsFiles_ || hasLookedForOrphans_)
    return false;
  hasLookedForOrphans_ = true;
  Path directory(ring_->path());
  directory.toParent();
  removeOrphans(directory.c_str(), ring_->path());
  return true;
}

// Whether the manifest is to be written now.
bool Drain::isManifestDue(bool isBehind, bool isFlush) {
  if (isBehind && isFlush) // a process that flushes may be about to die
    return true;
  return (__atomic_load_n(&manifestDirty_, __ATOMIC_ACQUIRE) || isBehind || writer_.budget().manifestIsBehind()) &&
         sys::nowNs() >= manifestDueNs_;
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
  ownThreadsEndWith((int)(code >> 8));
  if (onAbandoned_)
    onAbandoned_();
  exitStatus_ = (int)(code & 127 ? 128 + (code & 127) : code >> 8);
  __atomic_store_n(&finishRequested_, (uint32_t)Ending::Exit, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&requested_, 1, __ATOMIC_ACQ_REL);
  return true;
}

// Wakes the threads that wait for the passes up to `wanted`. False if that was the last pass: then nothing in this
// object belongs to the drain any more.
bool Drain::answer(uint32_t wanted, bool finishing) {
  bool stop = finishing && ending_ == Ending::Exit;
  if (finishing) {
    __atomic_store_n(&finishedAt_, wanted, __ATOMIC_RELEASE);
    uint32_t answered = (uint32_t)ending_; // a stronger one stays
    __atomic_compare_exchange_n(&finishRequested_, &answered, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (!stop)
      __atomic_store_n(&ring_->header().state, ADA_RING_EXEC, __ATOMIC_RELEASE);
  }
  if (stop) {
    helpers_.stop();
    // This must happen before the lock ends with this thread: see Ring::hold. Without a manifest only the ring knows
    // what was lost.
    if (writer_.isComplete()) {
      __atomic_store_n(&ring_->header().state, ADA_RING_FINISHED, __ATOMIC_RELEASE);
      writer_.removeRing();
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
  __atomic_store_n(&manifestDirty_, 0, __ATOMIC_RELEASE);
  writer_.writeManifest(ending_, exitStatus_);
  hasManifest_ = true;
  // A large manifest is not rewritten at once: at most a twentieth of the drain's time is spent on it.
  uint64_t now = sys::nowNs(), took = now - began;
  manifestDueNs_ = now + (took * 20 > 1000000000 ? took * 20 : 1000000000);
}

// Writes how long the threads that asked for the end have been waiting.
void Drain::endHeld() {
  reader_.takeAnchor();
  reader_.sit(own_.desk);
  for (uint64_t i = 0; i < slots_; ++i) {
    ring::Held held;
    if (!reader_.takeHeldAtEnd(own_.desk, i, held))
      continue;
    SchedLane::HeldTimes times;
    writer_.sched().noteHeldAtEnd(i, times, held);
    writer_.sched().writeHeld(i, times);
  }
}

// Continues the trace in a new part when it is time.
void Drain::rotate() {
  if (!writer_.rotate(own_.batch))
    return;
  manifestDueNs_ = sys::nowNs() + 1000000000;
  if (writer_.failed())
    manifestChanged();
}

//===--- a pass -----------------------------------------------------------===//

void Drain::startHelpers() {
  unsigned wanted = (unsigned)threadsWanted_;
  if (wanted == 0) {
    wanted = sys::usableProcessors() / kProcessorsPerThread;
    wanted = wanted < kMostThreadsByItself ? wanted : kMostThreadsByItself;
  }
  if (wanted < 2 || !writer_.canShare())
    return;
  helperHands_ = (Hand *)sys::mapMemory(DrainHelpers::kMost * sizeof *helperHands_);
  unsigned ready = 0;
  while (helperHands_ && ready < wanted - 1 && ready < DrainHelpers::kMost && helperHands_[ready].start() == 0)
    ++ready;
  helpers_.start(ready);
}

bool Drain::isWorthSharing() const {
  return helpers_.count() > 0 && slots_ > 1 && reader_.closedChunks() >= kChunksToShare && writer_.canShare();
}

// `last`: nothing more is recorded. `whole`: take everything that was recorded before now, however much that is.
uint64_t Drain::pass(bool last, bool whole) {
  uint64_t records = 0;
  limitNs_ = reader_.limitNs();
  __atomic_store_n(&ring_->header().alive_ns, limitNs_, __ATOMIC_RELAXED);
  const uint64_t limitNs = last ? UINT64_MAX : limitNs_;
  // Switches from before a thread's slot is looked at below must not be read before the slot has begun.
  const uint64_t switchesToNs = last ? UINT64_MAX : writer_.sched().limitNs(whole);
  bool hasWindows = writer_.windows().active();
  if (hasWindows || isFlight_)
    takeTriggers();
  uint64_t used = __atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE);
  isLast_ = last, isWhole_ = whole, slots_ = used, nextSlot_ = 0;
  if (isWorthSharing()) {
    writer_.share(true);
    helpers_.begin([](void *drain, unsigned i) { ((Drain *)drain)->takePart(((Drain *)drain)->helperHands_[i]); },
                   this);
    takePart(own_);
    helpers_.finish([this] { prepare(); });
    writer_.share(false);
    for (unsigned i = 0; i < helpers_.count(); ++i)
      records += helperHands_[i].records;
  } else
    takePart(own_);
  records += own_.records;
  if (hasWindows)
    writeWindows(used, limitNs);
  // In the state ADA_RING_EXEC the files are complete, while this thread keeps sleeping and waking until exec ends it.
  if (__atomic_load_n(&ring_->header().state, __ATOMIC_RELAXED) != ADA_RING_EXEC)
    writer_.sched().read(switchesToNs);
  isBehind_ = false;
  for (uint64_t i = 0; i < used; ++i) {
    const RingReader::Thread &t = reader_.thread(i);
    isBehind_ |= t.active && t.behind;
    if (!t.active || !t.ended || t.behind || writer_.isWaiting(i) || (!last && writer_.sched().isBehind(i)))
      continue;
    writer_.end(i);
    reader_.end(i);
    manifestChanged();
  }
  if (!isBehind_)
    reader_.notePassed();
  writer_.enforceBound(limitNs == UINT64_MAX ? sys::nowNs() : limitNs);
  return records;
}

// Reads threads that no other drain thread has taken, until none are left.
void Drain::takePart(Hand &hand) {
  reader_.sit(hand.desk);
  hand.records = 0;
  for (uint64_t i; (i = __atomic_fetch_add(&nextSlot_, 1, __ATOMIC_RELAXED)) < slots_;)
    if (__atomic_load_n(&ring_->threads()[i].state, __ATOMIC_ACQUIRE) != ADA_THREAD_FREE)
      hand.records += drainThread(hand, i);
}

// Takes triggers from the program's threads and from other processes.
void Drain::takeTriggers() {
  ada_ring_header &h = ring_->header();
  uint64_t orders = __atomic_load_n(&h.trigger_count, __ATOMIC_ACQUIRE);
  if (orders != outsideTriggers_)
    trigger(h.trigger_time_ns, TriggerKind::Outside);
  outsideTriggers_ = orders;
  if (writer_.windows().active())
    writer_.windows().takePending();
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

uint64_t Drain::drainThread(Hand &hand, uint64_t slot) {
  RingReader::Thread &t = reader_.thread(slot);
  if (!t.active) {
    reader_.begin(slot);
    writer_.begin(slot, t.expansion);
    if (ada_ring_thread &thread = ring_->threads()[slot]; thread.name[0] == 0)
      readThreadName(thread.tid, thread.comm);
    manifestChanged();
  }
  // Read this before the records: then the records of a thread that has ended are complete.
  t.ended = __atomic_load_n(&ring_->threads()[slot].state, __ATOMIC_ACQUIRE) == ADA_THREAD_ENDED;
  const ring::RecordBatch &batch = hand.desk.batch();
  ring::ThreadExpansion &expansion = t.expansion;
  const bool leavesOut = ring::leavesOut(expansion);
  const uint64_t gapsBefore = expansion.gaps.ended;
  Budget &budget = writer_.budget();
  const bool isCounted = budget.active();
  SchedLane::HeldTimes heldTimes;
  ring::Held held;
  uint64_t records = 0;
  bool more = true;
  for (int chunks = 0; more && (chunks < kMostChunks || isLast_ || isWhole_ || t.ended);) {
    if (t.mustGiveBack() || !writer_.hasRoomForPlain(hand.batch, slot))
      commit(hand, slot, reader_.place(slot));
    if (!reader_.look(slot, isLast_ || t.ended)) {
      more = false;
      break;
    }
    if (reader_.takeHeld(hand.desk, slot, held))
      writer_.sched().noteHeld(slot, heldTimes, held, t.walk.seq, expansion.lastNs == 0);
    if (!writer_.windows().active())
      records += leavesOut   ? takePlainLeavingOut(hand, slot)
                 : isCounted ? takePlainCounting(hand, slot)
                             : takePlain(hand, slot);
    reader_.take(hand.desk, slot);
    for (uint64_t i = 0; i < batch.count; ++i) {
      if (__builtin_expect(writer_.isNearlyFull(hand.batch, slot), 0))
        commit(hand, slot, batch.places[i]);
      reader_.expand(hand.desk, slot, i, [&](const ring::Event &e, const ada_detail *detail) {
        if (__builtin_expect(isCounted, 0))
          budget.count(e, detail != nullptr);
        if (__builtin_expect(!leavesOut, 1))
          return writer_.add(hand.batch, slot, e, detail);
        ring::leaveOut(expansion, e, detail || writer_.isWanted(e), [&](const ring::Event &kept) {
          writer_.add(hand.batch, slot, kept, kept.ofRecord ? detail : nullptr);
        });
      });
    }
    records += batch.count;
    more = reader_.advance(hand.desk, slot);
    chunks += !t.again;
    if (leavesOut)
      writeWaiting(hand, slot, expansion.lastNs);
  }
  if (leavesOut && !more)
    writeWaiting(hand, slot, isLast_ || isWhole_ || t.ended ? UINT64_MAX : limitNs_);
  writer_.sched().writeHeld(slot, heldTimes);
  commit(hand, slot, reader_.place(slot));
  reader_.publish(hand.desk, slot);
  writer_.noteRead(slot, more ? 0 : limitNs_);
  if (expansion.gaps.ended != gapsBefore)
    manifestChanged();
  t.behind = more;
  return records;
}

uint64_t Drain::takePlain(Hand &hand, uint64_t slot) {
  uint64_t count = 0;
  writer_.addPlain(hand.batch, slot, [&](auto &&emit) { return count = reader_.takePlain(hand.desk, slot, emit); });
  return count;
}

// Like takePlain(), with option `budget`.
uint64_t Drain::takePlainCounting(Hand &hand, uint64_t slot) {
  Budget &budget = writer_.budget();
  uint64_t count = 0;
  writer_.addPlain(hand.batch, slot, [&](auto &&emit) {
    return count = reader_.takePlain(hand.desk, slot, [&](const ring::Event &e) { budget.count(e, false), emit(e); });
  });
  return count;
}

// Like takePlain(), if some calls are left out of the file.
uint64_t Drain::takePlainLeavingOut(Hand &hand, uint64_t slot) {
  ring::ThreadExpansion &expansion = reader_.thread(slot).expansion;
  Budget &budget = writer_.budget();
  const bool isCounted = budget.active();
  uint64_t count = 0;
  writer_.addPlain(hand.batch, slot, [&](auto &&emit) {
    uint64_t kept = 0;
    auto keep = [&](const ring::Event &e) { ++kept, emit(e); };
    count = reader_.takePlain(hand.desk, slot, [&](const ring::Event &e) {
      if (isCounted)
        budget.count(e, false);
      ring::leaveOut(expansion, e, false, keep);
    });
    return kept;
  });
  return count;
}

// Writes calls that began long enough before that time to the file.
void Drain::writeWaiting(Hand &hand, uint64_t slot, uint64_t nowNs) {
  RingReader::Thread &t = reader_.thread(slot);
  ring::emitOldWaiting(t.expansion, nowNs, [&](const ring::Event &e) {
    writer_.add(hand.batch, slot, e, nullptr);
    t.isMoved = true;
  });
}

// Writes the expanded events. `place`: that of the next record, which has not been expanded.
void Drain::commit(Hand &hand, uint64_t slot, uint64_t place) {
  if (!reader_.thread(slot).isMoved)
    return;
  writer_.commit(hand.batch, slot, [&](uint64_t events, unsigned half, ada_ring_cursor &cursor) {
    reader_.fillCursor(slot, events, place, half, cursor);
  });
  writer_.closeFiles(slot);
  reader_.giveBack(slot);
  if (&hand == &own_ && ring_->isShort())
    prepare();
}

// Wakes threads that wait for a chunk, now that some are free. RingReader::giveBack returns a thread's own chunks.
void Drain::wakeWaiting(uint64_t used) {
  for (uint64_t i = 0; i < used && ring_->hasFreeChunks(); ++i)
    ring_->wake(ring_->threads()[i]);
}

void Drain::prepare() {
  ring_->prepare([this](uint64_t slots) { return reader_.reserve(slots) && writer_.reserve(slots); },
                 [this](uint64_t threads) { return writer_.reserveNumbers(threads); });
  wakeWaiting(__atomic_load_n(&ring_->header().threads_used, __ATOMIC_ACQUIRE));
}

// A trigger in one thread applies to all threads. So only after all threads were read is it known what can no longer be
// asked for.
void Drain::writeWindows(uint64_t used, uint64_t limitNs) {
  uint64_t undrainedNs = limitNs;
  for (uint64_t i = 0; i < used; ++i) {
    const RingReader::Thread &t = reader_.thread(i);
    if (t.active && t.behind && t.expansion.lastNs < undrainedNs)
      undrainedNs = t.expansion.lastNs;
  }
  for (uint64_t i = 0; i < used; ++i)
    if (reader_.thread(i).active)
      writer_.writeWindows(own_.batch, i, undrainedNs);
}

} // namespace ada
