// Makes the drain's passes, alone or with helpers.
#include "passes.h"

namespace ada::runtime {
namespace {

// With fewer chunks to read it is not worth waking helpers.
constexpr uint32_t kChunksToShare = 16;
// A drain thread reads 100 to 200 million events per second. That is as much as several threads can record in a program
// that also does other work.
constexpr unsigned kProcessorsPerThread = 4, kMaxThreadsByItself = 8;

} // namespace

void Passes::examineModule(void *trace, uint32_t moduleId) {
  auto &t = *static_cast<ProcessWriter *>(trace);
  t.images().examine(t.ring(), moduleId);
}

void Passes::startHelpers(uint64_t asked) {
  auto wanted = static_cast<unsigned>(asked);
  if (wanted == 0) {
    wanted = sys::usableProcessors() / kProcessorsPerThread;
    wanted = wanted < kMaxThreadsByItself ? wanted : kMaxThreadsByItself;
  }
  if (wanted < 2 || !trace_->canShare())
    return;
  helpersOwn_ = static_cast<Workspace *>(sys::mapMemory(DrainHelpers::kMax * sizeof *helpersOwn_));
  unsigned ready = 0;
  while (helpersOwn_ && ready < wanted - 1 && ready < DrainHelpers::kMax && helpersOwn_[ready].start() == 0) {
    Workspace &work = helpersOwn_[ready++];
    work.isHelpers = true;
    work.view.modules.examineBy(examineModule, trace_);
  }
  helpers_.start(ready);
}

void Passes::follow(Identity &identity) {
  helpers_.begin([](void *of, unsigned) { static_cast<const Identity *>(of)->apply(); }, &identity);
  helpers_.finish([] {});
}

void Passes::reset() {
  own_.reset();
  if (!helpersOwn_)
    return;
  for (unsigned i = 0; i < DrainHelpers::kMax; ++i)
    helpersOwn_[i].reset();
  sys::unmap(helpersOwn_, DrainHelpers::kMax * sizeof *helpersOwn_);
}

void Passes::takeAnchor() {
  PassClock &clock = trace_->clock();
  if (!clock.takeAnchor())
    return;
  trace_->eachThread([&](ThreadWriter &t) {
    if (ada_chunk *chunk = t.chunk())
      clock.lower(*chunk);
  });
}

void Passes::writeHeldAtEnd() {
  takeAnchor();
  trace_->clock().show(own_.view);
  trace_->eachThread([this](ThreadWriter &t) { t.writeHeldAtEnd(own_.view); });
}

bool Passes::isWorthSharing() const {
  return helpers_.count() > 0 && slots_ > 1 && trace_->ring().closedChunks() >= kChunksToShare && trace_->canShare();
}

uint64_t Passes::run(Extent extent, bool readsSwitches) {
  ada_ring_header &header = trace_->ring().header();
  const bool isLast = extent == Extent::Last;
  pass_ = {extent, trace_->clock().limitNs()};
  __atomic_store_n(&header.alive_ns, pass_.limitNs, __ATOMIC_RELAXED);
  const uint64_t limitNs = isLast ? UINT64_MAX : pass_.limitNs;
  // Switches from before a thread's slot is looked at below must not be read before the slot has begun.
  const uint64_t switchesToNs = isLast ? UINT64_MAX : trace_->sched().limitNs(extent == Extent::Whole);
  const bool hasWindows = trace_->windows().active();
  if (hasWindows)
    trace_->windows().takePending();
  slots_ = __atomic_load_n(&header.threads_used, __ATOMIC_ACQUIRE), nextSlot_ = 0;
  const uint64_t records = readThreads();
  if (hasWindows)
    writeWindows(limitNs);
  if (readsSwitches)
    trace_->sched().read(switchesToNs);
  isBehind_ = false;
  for (uint64_t i = 0; i < slots_; ++i) {
    ThreadWriter &t = trace_->thread(i);
    if (!t.isActive())
      continue;
    isBehind_ |= t.isBehind();
    if (t.isOver(isLast))
      t.end();
  }
  if (!isBehind_)
    trace_->clock().notePassed();
  trace_->enforceBound(isLast ? sys::nowNs() : limitNs);
  return records;
}

// Returns the number of records.
uint64_t Passes::readThreads() {
  if (!isWorthSharing()) {
    takePart(own_);
    return own_.records;
  }
  trace_->share(true);
  helpers_.begin(
      [](void *passes, unsigned i) {
        static_cast<Passes *>(passes)->takePart(static_cast<Passes *>(passes)->helpersOwn_[i]);
      },
      this);
  takePart(own_);
  helpers_.finish([this] { trace_->prepare(); });
  trace_->share(false);
  uint64_t records = own_.records;
  for (unsigned i = 0; i < helpers_.count(); ++i)
    records += helpersOwn_[i].records;
  return records;
}

// Takes threads that no other drain thread has taken, until none are left.
void Passes::takePart(Workspace &work) {
  trace_->clock().show(work.view);
  work.records = 0;
  for (uint64_t i; (i = __atomic_fetch_add(&nextSlot_, 1, __ATOMIC_RELAXED)) < slots_;) {
    if (__atomic_load_n(&trace_->ring().threads()[i].state, __ATOMIC_ACQUIRE) == ADA_THREAD_FREE)
      continue;
    ThreadWriter &t = trace_->thread(i);
    if (!t.isActive())
      t.begin(*trace_, i);
    work.records += t.drain(work, pass_);
  }
}

// A trigger in one thread applies to all threads. So only after all threads were read is it known what can no longer be
// asked for.
void Passes::writeWindows(uint64_t limitNs) {
  uint64_t undrainedNs = limitNs;
  for (uint64_t i = 0; i < slots_; ++i)
    if (const ThreadWriter &t = trace_->thread(i); t.isActive() && t.isBehind() && t.lastNs() < undrainedNs)
      undrainedNs = t.lastNs();
  for (uint64_t i = 0; i < slots_; ++i)
    if (ThreadWriter &t = trace_->thread(i); t.isActive())
      t.writeWindows(own_, undrainedNs);
  if (undrainedNs == limitNs) // otherwise entries may wait behind others
    trace_->windows().noteWritten();
  trace_->writeNewWindows();
}

} // namespace ada::runtime
