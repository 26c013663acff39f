// Adds up waits by object.
//
// What a holder did while others waited: as long as any thread waits for it, its time is added up by the function that
// it is in. A wait remembers these sums when it begins, and takes the difference when it ends. So the cost of an event
// does not depend on the number of waiting threads.
#include "waits.h"

#include "analysis/events/merged_events.h"
#include "trace/base/try.h"

#include <algorithm>
#include <unordered_map>

namespace ada::analysis {

namespace {

using ObjectKey = decltype(std::declval<WaitObject>().key());
/// What the first reading finds out.
struct Wakers {
  std::map<ObjectKey, std::set<uint32_t>> of;               ///< threads that have ever woken a waiter of an object
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> joined; ///< by thread and number of the call
};

constexpr size_t kMaxWakers = 16;     // per object: for further ones, there are no figures of what they did
constexpr size_t kMaxFunctions = 256; // per thread: further ones are counted as one

class WakerCollector : public WaitListener {
public:
  explicit WakerCollector(Wakers &wakers) : wakers_(wakers) {}
  void attach(const WaitState &state) { state_ = &state; }
  void waitEnds(const WaitEnd &over) override {
    if (over.waker == kNobody || !over.hasWaited)
      return;
    const WaitObject &object = state_->object(over.object);
    if (object.kind == WaitKind::Join) {
      wakers_.joined[{over.thread, over.frame->beginSeq}] = over.waker;
      return;
    }
    std::set<uint32_t> &known = wakers_.of[object.key()];
    if (known.size() < kMaxWakers)
      known.insert(over.waker);
  }

private:
  Wakers &wakers_;
  const WaitState *state_ = nullptr;
};

/// The place where a thread was.
using Where = std::pair<uint32_t, uint32_t>; // the program's function, the library's

/// What a thread does while others wait for it.
class Activity {
public:
  void watch(Where where, uint64_t ns) {
    if (watchers_++ == 0) {
      slots_.clear(), slotOf_.clear();
      sinceNs_ = ns;
      moveTo(where);
    }
    settle(ns);
  }
  void unwatch() { --watchers_; }
  bool isWatched() const { return watchers_ > 0; }
  void moveTo(Where where) {
    const auto known = slotOf_.find(where);
    if (known != slotOf_.end()) {
      at_ = known->second;
      return;
    }
    if (slots_.size() >= kMaxFunctions)
      where = {kNobody, kNobody};
    const auto [slot, isNew] = slotOf_.try_emplace(where, slots_.size());
    at_ = slot->second;
    if (isNew)
      slots_.push_back({where, 0});
  }
  void settle(uint64_t ns) {
    if (ns > sinceNs_)
      slots_[at_].second += ns - sinceNs_, sinceNs_ = ns;
  }
  const std::vector<std::pair<Where, uint64_t>> &slots() const { return slots_; }

private:
  std::vector<std::pair<Where, uint64_t>> slots_;
  std::map<Where, size_t> slotOf_;
  size_t at_ = 0, watchers_ = 0;
  uint64_t sinceNs_ = 0;
};

struct Link {
  uint32_t holder = kNobody, takenIn = kNobody;
  Where where; ///< where the holder was at the begin
  uint64_t fromNs = 0;
  std::vector<uint64_t> before; ///< the sums of the holder's slots at the begin
};

struct Share {
  uint64_t waits = 0, ns = 0;
  OffCpuTimes off; // of the holder
  std::map<Where, uint64_t> where;
  std::map<uint32_t, uint64_t> takenIn;
  void add(const Share &other) {
    waits += other.waits, ns += other.ns, off += other.off;
    for (const auto &[at, time] : other.where)
      where[at] += time;
    for (const auto &[at, time] : other.takenIn)
      takenIn[at] += time;
  }
};

// Stands in for the threads and functions of processes that are alike.
class WaitFolds {
public:
  WaitFolds(const TraceTable &table, const ProcessKinds *kinds) : table_(table), kinds_(kinds) {}

  /// The kind of the process, if there are others of it; otherwise null.
  const ProcessKind *kindOf(uint32_t process) const {
    return kinds_ && kinds_->of(process).areSeveral() ? &kinds_->of(process) : nullptr;
  }
  const ProcessKind *kindOfThread(uint32_t thread) const { return kindOf(table_.threads[thread].process); }
  /// The first thread of that name in processes of the same kind.
  uint32_t thread(uint32_t thread) {
    const model::Thread &about = table_.threads[thread];
    return kindOf(about.process)
               ? threads_.try_emplace({kinds_->numberOf(about.process), about.label}, thread).first->second
               : thread;
  }
  /// The first function of that name: a session may have the functions of each process.
  uint32_t function(uint32_t function) {
    if (!kinds_ || function == kNobody)
      return function;
    if (function >= functions_.size())
      functions_.resize(function + size_t{1}, kNobody);
    if (functions_[function] == kNobody) {
      const model::Function &about = table_.functions[function];
      functions_[function] = names_.try_emplace(about.displayName + '\n' + about.file, function).first->second;
    }
    return functions_[function];
  }

private:
  const TraceTable &table_;
  const ProcessKinds *kinds_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> threads_; // by kind and label
  std::vector<uint32_t> functions_;                              // by function
  std::unordered_map<std::string, uint32_t> names_;
};

class WaitTable : public WaitListener {
public:
  WaitTable(const TraceTable &table, const std::vector<uint32_t> &threads, const WaitsOptions &options,
            const Wakers &wakers)
      : options_(options), wakers_(wakers), folds_(table, options.kinds), isSelected_(table.threads.size()),
        activities_(table.threads.size()), waiters_(table.threads.size()) {
    for (const uint32_t thread : threads)
      isSelected_[thread] = true;
  }
  void attach(const WaitState &state) { state_ = &state; }

  void beforeEvent(uint32_t thread, uint64_t ns) override {
    if (activities_[thread].isWatched())
      activities_[thread].settle(ns);
  }
  void innermostChanged(uint32_t thread, uint64_t) override {
    if (activities_[thread].isWatched())
      activities_[thread].moveTo(state_->innermost(thread));
  }
  void waitBegins(uint32_t thread, uint64_t ns) override {
    if (!isSelected_[thread])
      return;
    Waiter &waiter = waiters_[thread];
    waiter.links.clear(), waiter.shares.clear();
    link(thread, ns);
    const WaitFrame &frame = *state_->waiting(thread);
    if (!waiter.links.empty())
      return;
    if (const auto joined = wakers_.joined.find({thread, frame.beginSeq}); joined != wakers_.joined.end())
      return addLink(waiter, joined->second, kNobody, ns);
    if (frame.object == kNobody)
      return;
    if (const auto known = wakers_.of.find(state_->object(frame.object).key()); known != wakers_.of.end())
      for (const uint32_t waker : known->second)
        if (waker != thread)
          addLink(waiter, waker, kNobody, ns);
  }
  void ownersChange(uint32_t object, uint64_t ns) override {
    for (const uint32_t thread : state_->object(object).waiters)
      unlink(thread, ns);
  }
  void ownersChanged(uint32_t object, uint64_t ns) override {
    for (const uint32_t thread : state_->object(object).waiters)
      if (isSelected_[thread])
        link(thread, ns);
  }
  void earlierOwner(uint32_t object, uint32_t owner, uint64_t ns) override {
    for (const uint32_t thread : state_->object(object).waiters) {
      const WaitFrame *frame = state_->waiting(thread);
      if (!frame || !isSelected_[thread] || thread == owner)
        continue;
      Share &share = waiters_[thread].shares[owner];
      const uint64_t waited = waitedBetween(thread, frame->beginNs, ns);
      share.ns += waited, share.where[state_->innermost(owner)] += waited;
    }
  }
  void waitEnds(const WaitEnd &over) override {
    Waiter &waiter = waiters_[over.thread];
    if (!isSelected_[over.thread])
      return;
    if (over.isOpen) // if the trace ends where the wait begins, it has still been told who had the object
      for (const Link &link : waiter.links) {
        Share &share = waiter.shares[link.holder];
        share.where.try_emplace(link.where, 0);
        if (link.takenIn != kNobody)
          share.takenIn.try_emplace(link.takenIn, 0);
      }
    unlink(over.thread, over.endNs);
    if (over.hasWaited && over.isShown)
      add(over, waiter);
    waiter.shares.clear();
  }

  void callWasHeld(uint32_t thread, const WaitFrame &frame, uint32_t caller) override {
    if (!isSelected_[thread])
      return;
    addHeld(WaitKind::Recorder, frame.recorderNs, thread, frame, caller);
    if (frame.unknownNs >= kShortestWaitNs)
      addHeld(WaitKind::Unknown, frame.unknownNs, thread, frame, caller);
  }

  std::vector<WaitRow> rows() {
    std::vector<WaitRow> rows;
    for (auto &[key, sums] : rows_) {
      WaitRow row = std::move(sums.row);
      for (const auto &[function, caller] : sums.callers)
        row.callers.push_back(caller);
      std::ranges::stable_sort(row.callers, std::greater(), &WaitCaller::ns);
      for (const auto &[thread, share] : sums.shares) {
        const Where where = mostOf(share.where, Where(kNobody, kNobody));
        row.holders.push_back({.thread = thread,
                               .function = where.first,
                               .library = where.second,
                               .takenIn = mostOf(share.takenIn, kNobody),
                               .waits = share.waits,
                               .ns = share.ns,
                               .off = share.off,
                               .hasEnded = sums.endedOwners.contains(thread)});
        if (const ProcessKind *kind = folds_.kindOfThread(thread))
          row.holders.back().threads = static_cast<uint32_t>(sums.threads[thread].size()),
          row.holders.back().command = kind->command;
      }
      if (const ProcessKind *kind = folds_.kindOf(row.object.process))
        row.processes = static_cast<uint32_t>(sums.processes.size()), row.command = kind->command;
      std::ranges::stable_sort(row.holders, std::greater(), &WaitHolder::ns);
      rows.push_back(std::move(row));
    }
    return rows;
  }

private:
  struct Waiter {
    std::vector<Link> links;
    std::map<uint32_t, Share> shares; // by holder
  };
  struct Sums {
    WaitRow row;
    std::map<uint32_t, WaitCaller> callers;
    std::map<uint32_t, Share> shares;
    std::set<uint32_t> endedOwners;
    // If several are folded:
    std::set<uint32_t> processes;
    std::map<uint32_t, std::set<uint32_t>> threads; // by holder in `shares`
  };

  // How much of this time the thread spent waiting.
  uint64_t waitedBetween(uint32_t thread, uint64_t from, uint64_t to) const {
    from = std::max(from, options_.filter.fromNs), to = std::min(to, options_.filter.toNs);
    if (from >= to)
      return 0;
    const OffCpuLane *lane = state_->thread(thread).lane;
    const WaitFrame *frame = state_->waiting(thread);
    if (!lane)
      return to - from;
    const OffCpuTimes times = lane->timesBetween(from, to);
    if (!lane->isSchedKnown() || (frame && frame->does.kind == WaitKind::SpinLock))
      return to - from - times.recorderNs;
    const uint64_t waitedNs = times.waitingNs + (frame ? times.preemptedNs : 0);
    if (to <= lane->knownToNs() || !state_->waitsBeyond(*lane))
      return waitedNs;
    const uint64_t knownTo = std::max(from, lane->knownToNs());
    return waitedNs + lane->timesBetween(knownTo, to).unknownNs;
  }

  // One row per process holds all of it; `waits` counts calls.
  void addHeld(WaitKind kind, uint64_t ns, uint32_t thread, const WaitFrame &frame, uint32_t caller) {
    if (ns == 0 || ns < options_.filter.minDurationNs)
      return;
    WaitObject object = {.process = state_->table().threads[thread].process, .kind = kind};
    const uint32_t process = object.process;
    if (const ProcessKind *kind = folds_.kindOf(process))
      object.process = kind->longest;
    caller = folds_.function(caller);
    Sums &sums = rows_[object.key()];
    if (folds_.kindOf(process))
      sums.processes.insert(process);
    WaitRow &row = sums.row;
    row.object = describe(object);
    ++row.waits, row.totalNs += ns;
    if (ns > row.maxNs) {
      row.maxNs = ns, row.maxThread = thread;
      row.maxSeq = frame.isEarlier ? std::nullopt : std::optional(frame.beginSeq);
    }
    WaitCaller &who = sums.callers[caller];
    who.function = caller;
    ++who.waits, who.ns += ns;
  }

  void addLink(Waiter &waiter, uint32_t holder, uint32_t takenIn, uint64_t ns) {
    Activity &activity = activities_[holder];
    const Where where = state_->innermost(holder);
    activity.watch(where, ns);
    Link link = {holder, takenIn, where, ns, {}};
    for (const auto &[where, time] : activity.slots())
      link.before.push_back(time);
    waiter.links.push_back(std::move(link));
  }
  void link(uint32_t thread, uint64_t ns) {
    for (const uint32_t holder : state_->waitedFor(thread)) {
      if (holder == thread)
        continue;
      uint32_t takenIn = kNobody;
      for (const Owner &owner : state_->object(state_->waiting(thread)->object).owners)
        if (owner.thread == holder)
          takenIn = owner.function;
      addLink(waiters_[thread], holder, takenIn, ns);
    }
  }
  void unlink(uint32_t thread, uint64_t ns) {
    Waiter &waiter = waiters_[thread];
    for (const Link &link : waiter.links) {
      Activity &activity = activities_[link.holder];
      activity.settle(ns);
      const uint64_t passed = ns > link.fromNs ? ns - link.fromNs : 0;
      const uint64_t waited = waitedBetween(thread, link.fromNs, ns);
      if (waited) {
        Share &share = waiter.shares[link.holder];
        share.ns += waited;
        if (link.takenIn != kNobody)
          share.takenIn[link.takenIn] += waited;
        if (const OffCpuLane *lane = state_->thread(link.holder).lane)
          share.off += lane->timesBetween(link.fromNs, ns);
        const auto &slots = activity.slots();
        for (size_t i = 0; i < slots.size(); ++i) {
          const uint64_t there = slots[i].second - (i < link.before.size() ? link.before[i] : 0);
          if (there)
            share.where[slots[i].first] += static_cast<uint64_t>(
                static_cast<double>(there) / static_cast<double>(passed) * static_cast<double>(waited));
        }
      }
      activity.unwatch();
    }
    waiter.links.clear();
  }

  void add(const WaitEnd &over, Waiter &waiter) {
    const WaitObject &object = state_->object(over.object);
    ObjectKey key = object.key();
    if (options_.by == WaitsBy::Place)
      key = {object.process,
             object.kind,
             false,
             0,
             0,
             kNobody,
             object.place,
             kNobody,
             object.place == kNobody ? over.caller : kNobody};
    const ProcessKind *const kind = folds_.kindOf(object.process);
    WaitedFor folded = {.process = kind ? kind->longest : 0, .kind = object.kind, .value = {}, .other = {}};
    folded.place = folds_.function(object.place), folded.callee = folds_.function(object.callee);
    if (kind)
      key = {folded.process,
             folded.kind,
             false,
             0,
             0,
             kNobody,
             folded.place,
             folded.callee,
             folded.place == kNobody ? folds_.function(over.caller) : kNobody};
    Sums &sums = rows_[key];
    if (kind)
      sums.processes.insert(object.process);
    WaitRow &row = sums.row;
    if (row.waits++ == 0) {
      row.object = kind ? folded : describe(object);
      if (!kind && options_.by == WaitsBy::Place)
        row.object = {.process = object.process, .kind = object.kind, .value = {}, .other = {}, .place = object.place};
    }
    const uint64_t ns = over.waitNs + over.readyNs;
    row.totalNs += ns;
    row.timeouts += over.isTimeout;
    row.open += over.isOpen;
    if (row.waits == 1 || ns > row.maxNs) {
      row.maxNs = ns;
      row.maxThread = over.thread;
      row.maxSeq = over.frame->isEarlier ? std::nullopt : std::optional(over.frame->beginSeq);
    }
    WaitCaller &caller = sums.callers[folds_.function(over.caller)];
    caller.function = folds_.function(over.caller);
    ++caller.waits, caller.ns += ns;

    const bool isWoken = object.owners.empty() && object.joined == kNobody && !isLock(object.kind);
    if (isWoken) { // others that could have woken it did not
      Share share = over.waker == kNobody ? Share() : std::move(waiter.shares[over.waker]);
      waiter.shares.clear();
      if (over.waker == kNobody)
        return;
      share.ns = ns;
      if (over.wakerFunction != kNobody)
        share.takenIn[over.wakerFunction] += ns;
      if (share.where.empty())
        share.where[{over.wakerFunction, kNobody}] = ns;
      waiter.shares[over.waker] = std::move(share);
    } else if (over.waker != kNobody && waiter.shares.empty()) {
      waiter.shares[over.waker].ns = ns;
    }
    for (auto &[thread, share] : waiter.shares) {
      share.waits = 1;
      share.ns = std::min(share.ns, ns);
      const uint32_t holder = folds_.thread(thread);
      sums.shares[holder].add(share);
      if (folds_.kindOfThread(thread))
        sums.threads[holder].insert(thread);
      if (object.joined == kNobody && state_->thread(thread).hasEnded &&
          std::ranges::find(object.owners, thread, &Owner::thread) != object.owners.end())
        sums.endedOwners.insert(holder);
    }
  }

  const WaitsOptions &options_;
  const Wakers &wakers_;
  WaitFolds folds_;
  const WaitState *state_ = nullptr;
  std::vector<bool> isSelected_;
  std::vector<Activity> activities_;
  std::vector<Waiter> waiters_;
  std::map<ObjectKey, Sums> rows_;
};

/// Passes everything to two listeners.
class Both : public WaitListener {
public:
  Both(WaitListener &first, WaitListener &second) : first_(first), second_(second) {}
  void beforeEvent(uint32_t thread, uint64_t ns) override {
    first_.beforeEvent(thread, ns), second_.beforeEvent(thread, ns);
  }
  void innermostChanged(uint32_t thread, uint64_t ns) override {
    first_.innermostChanged(thread, ns), second_.innermostChanged(thread, ns);
  }
  void waitBegins(uint32_t thread, uint64_t ns) override {
    first_.waitBegins(thread, ns), second_.waitBegins(thread, ns);
  }
  void ownersChange(uint32_t object, uint64_t ns) override {
    first_.ownersChange(object, ns), second_.ownersChange(object, ns);
  }
  void ownersChanged(uint32_t object, uint64_t ns) override {
    first_.ownersChanged(object, ns), second_.ownersChanged(object, ns);
  }
  void earlierOwner(uint32_t object, uint32_t thread, uint64_t ns) override {
    first_.earlierOwner(object, thread, ns), second_.earlierOwner(object, thread, ns);
  }
  void waitEnds(const WaitEnd &over) override { first_.waitEnds(over), second_.waitEnds(over); }
  void callWasHeld(uint32_t thread, const WaitFrame &frame, uint32_t caller) override {
    first_.callWasHeld(thread, frame, caller), second_.callWasHeld(thread, frame, caller);
  }

private:
  WaitListener &first_, &second_;
};

Expected<void> feed(model::TraceSource &source, TraceTable &table, WaitState &state) {
  return mergeEvents({source, table, allThreads(table)},
                     [&](uint64_t seq, const model::Event &event, const model::Batch &batch) -> Expected<void> {
                       state.take(seq, event, batch);
                       return {};
                     });
}

std::vector<std::vector<DeadlockThread>> deadlocksOf(const WaitState &state) {
  std::vector<std::vector<DeadlockThread>> found;
  for (const Deadlock &cycle : state.deadlocks()) {
    std::vector<DeadlockThread> &threads = found.emplace_back();
    for (size_t i = 0; i < cycle.size(); ++i) {
      const WaitFrame &frame = *state.waiting(cycle[i]);
      const WaitObject &object = state.object(frame.object);
      DeadlockThread thread = {cycle[i], describe(object), frame.beginNs, kNobody, {}};
      for (const Owner &owner : object.owners)
        if (owner.thread == cycle[(i + 1) % cycle.size()])
          thread.takenIn = owner.function;
      for (size_t depth = state.thread(cycle[i]).frames.size(); depth-- > 0;)
        thread.frames.push_back(state.thread(cycle[i]).frames[depth].function);
      threads.push_back(std::move(thread));
    }
  }
  return found;
}

} // namespace

bool WaitedFor::isSame(const WaitedFor &of) const {
  return process == of.process && kind == of.kind && value == of.value && other == of.other && joined == of.joined &&
         (isKnown() || callee == of.callee);
}

Expected<Waits> readWaits(const Trace &trace, const WaitsOptions &options, WaitObserver *observer) {
  Wakers wakers;
  if (options.callsLibrary) {
    WakerCollector collector(wakers);
    WaitState state(trace.table, {}, collector);
    collector.attach(state);
    ADA_TRY(feed(trace.source, trace.table, state));
  }
  WaitTable sums(trace.table, trace.threads, options, wakers);
  WaitListener nobody;
  Both both(sums, observer ? *observer : nobody);
  WaitState state(trace.table, options.filter, observer ? static_cast<WaitListener &>(both) : sums);
  sums.attach(state);
  if (observer)
    observer->attach(state);
  ADA_TRY(feed(trace.source, trace.table, state));
  Waits waits;
  waits.deadlocks = deadlocksOf(state);
  state.finish(endsOfProcesses(trace.table));
  waits.rows = sums.rows();
  waits.hasWaitFunctions = state.hasWaitFunctions();
  waits.hasArguments = state.hasArguments();
  waits.hasLane =
      std::ranges::any_of(trace.table.threads, [](const model::Thread &thread) { return thread.knowsSched(); });
  return waits;
}

Expected<std::vector<std::vector<DeadlockThread>>> readDeadlocks(model::TraceSource &source, TraceTable &table) {
  WaitListener nobody;
  WaitState state(table, {}, nobody);
  ADA_TRY(feed(source, table, state));
  return deadlocksOf(state);
}

} // namespace ada::analysis
