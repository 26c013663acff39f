// Finds what sampled calls waited for, and which thread had it.
#include "call_parts.h"

#include "analysis/calls/cuts.h"
#include "analysis/events/early_end.h"
#include "analysis/events/merged_events.h"
#include "analysis/waits/wait_state.h"
#include "analysis/waits/wait_table.h"
#include "trace/base/try.h"
#include "trace/names.h"

#include <algorithm>
#include <map>
#include <set>

namespace ada::analysis {

namespace {

// What waits must have in common to be one reason: the kind of object, who made it, and where it was taken (or woken);
// of sleeps, who sleeps. The object itself may differ, as may the thread that holds it.
struct Reason {
  WaitKind kind = WaitKind::Own;
  uint32_t place = kNobody, where = kNobody, library = kNobody, sleeper = kNobody;
  bool isHeld = false;
  auto operator<=>(const Reason &) const = default;
};
struct ReasonSeen {
  size_t number = 0;
  WaitedFor object;                          // the first one
  bool isSeveral = false, knowsSleep = true; // for how long each asked to sleep
  std::set<uint32_t> threads;                // that had it
  std::vector<uint32_t> path; // of a sleep: from the sampled call to the function that sleeps, without it
};

class CallWaitCollector : public WaitListener {
public:
  CallWaitCollector(const CallSample &sample, const TraceTable &table)
      : sample_(sample), table_(table), first_(table.threads.size() + 1) {
    for (const SampledCall &call : sample.calls)
      ++first_[call.thread + size_t{1}];
    for (size_t i = 1; i < first_.size(); ++i)
      first_[i] += first_[i - 1];
  }
  /// Call this before the first event, and before the first one from somewhere else.
  void attach(const WaitState &state) {
    state_ = &state;
    holder_.assign(table_.threads.size(), {});
  }

  void waitBegins(uint32_t thread, uint64_t) override {
    Holder &holder = holder_[thread];
    holder = {};
    const std::vector<uint32_t> holders = state_->waitedFor(thread);
    if (holders.empty())
      return;
    holder.thread = holders.front();
    const WaitFrame *frame = state_->waiting(thread);
    if (!frame || frame->object == kNobody)
      return;
    for (const Owner &owner : state_->object(frame->object).owners)
      if (owner.thread == holder.thread)
        holder.takenIn = owner.function;
  }
  void waitEnds(const WaitEnd &over) override {
    const Holder holder = std::exchange(holder_[over.thread], {});
    if (!over.hasWaited || over.waitNs == 0)
      return;
    const SampledCall *from = sample_.calls.data() + first_[over.thread],
                      *to = sample_.calls.data() + first_[over.thread + size_t{1}];
    const SampledCall *next = std::upper_bound(from, to, over.frame->beginNs,
                                               [](uint64_t ns, const SampledCall &call) { return ns < call.beginNs; });
    if (next == from || over.frame->beginNs >= (next - 1)->endNs)
      return;
    const WaitObject &object = state_->object(over.object);
    Reason reason;
    reason.kind = object.kind, reason.place = object.place;
    const uint32_t library = over.frame->isLibrary ? over.frame->function : kNobody;
    uint32_t thread = holder.thread;
    reason.where = holder.takenIn;
    if (thread == kNobody)
      thread = over.waker, reason.where = over.wakerFunction;
    reason.isHeld = thread != kNobody;
    if (object.kind == WaitKind::Library || object.kind == WaitKind::Own || !object.value)
      reason.library = library;
    if (object.kind == WaitKind::Sleep)
      reason.sleeper = over.caller;
    const auto [at, isNew] = seen_.try_emplace(reason);
    ReasonSeen &seen = at->second;
    if (isNew) {
      seen.number = seen_.size() - 1, seen.object = describe(object);
      seen.object.callee = library;
      if (reason.sleeper != kNobody)
        seen.path = pathWithin(*(next - 1), over.thread);
    }
    seen.isSeveral |= seen.object.value != object.value;
    seen.knowsSleep &= over.frame->sleepsNs.has_value();
    if (thread != kNobody && seen.threads.size() < 2) // is it one?
      seen.threads.insert(thread);
    waits.waits.push_back({.call = static_cast<size_t>(next - 1 - sample_.calls.data()),
                           .reason = seen.number,
                           .library = library == kNobody ? "" : table_.functions[library].displayName,
                           .ns = over.waitNs,
                           .lateNs = lateness(over)});
  }

  void finish() {
    waits.reasons.resize(seen_.size());
    for (const auto &[reason, seen] : seen_)
      waits.reasons[seen.number] = {
          .text = textOf(reason, seen),
          .kind = kindOf(reason, seen),
          .object = objectOf(seen),
          .isAlone = !reason.isHeld && (reason.kind == WaitKind::File || reason.kind == WaitKind::Library ||
                                        reason.kind == WaitKind::Own),
          .mayBeLate = reason.kind == WaitKind::Sleep && !seen.knowsSleep,
      };
  }

  CallWaits waits;

private:
  struct Holder {
    uint32_t thread = kNobody, takenIn = kNobody;
  };

  /// The program's own functions between the sampled call and the call that its thread is in.
  std::vector<uint32_t> pathWithin(const SampledCall &call, uint32_t thread) const {
    std::vector<uint32_t> path;
    for (const WaitFrame &frame : state_->thread(thread).frames)
      if (!frame.isLibrary && frame.beginSeq > call.beginSeq)
        path.push_back(frame.function);
    return path;
  }
  static uint64_t lateness(const WaitEnd &over) {
    constexpr uint64_t kUsualNs = 100'000; // timers may be 50 us late by default, and waking takes a while
    const std::optional<uint64_t> asked = over.frame->sleepsNs;
    return asked ? over.waitNs - std::min(over.waitNs, *asked + kUsualNs) : 0;
  }
  std::string nameOf(uint32_t function) const { return shortName(table_.functions[function].displayName); }
  std::string callersOf(const ReasonSeen &seen) const {
    if (seen.path.empty())
      return "";
    const std::string dots = seen.path.size() > 2 ? " > …" : "";
    return ", called by " + nameOf(seen.path.front()) + dots +
           (seen.path.size() > 1 ? " > " + nameOf(seen.path.back()) : "");
  }
  static WaitedFor objectOf(const ReasonSeen &seen) {
    WaitedFor object = seen.object;
    if (seen.isSeveral)
      object.value.reset(), object.other.reset(), object.callee = kNobody;
    return object;
  }
  std::string textOf(const Reason &reason, const ReasonSeen &seen) const {
    const NamedTrace trace{table_, [this](uint32_t function) { return nameOf(function); }, objects_};
    const WaitedFor object = objectOf(seen);
    std::string text = (seen.isSeveral ? "several objects of kind " : "") + objectText(trace, object) + callersOf(seen);
    if (!reason.isHeld)
      return text;
    const bool isHeld = isLock(reason.kind);
    text += isHeld ? ", held by " : ", woken by ";
    text += seen.threads.size() == 1 ? threadText(trace.table, *seen.threads.begin()) : "several threads";
    if (reason.where != kNobody)
      text += (isHeld ? ", taken in " : ", from ") + nameOf(reason.where);
    return text;
  }

  // Addresses, and the numbers of threads, differ between runs.
  std::string kindOf(const Reason &reason, const ReasonSeen &seen) const {
    const NamedTrace trace{table_, [this](uint32_t function) { return nameOf(function); }};
    WaitedFor object = seen.object;
    object.value.reset(), object.other.reset();
    if (reason.library == kNobody)
      object.callee = kNobody;
    std::string text = objectText(trace, object) + callersOf(seen);
    if (!reason.isHeld)
      return text;
    const bool isHeld = isLock(reason.kind);
    const std::string *name = seen.threads.size() == 1 ? &trace.table.threads[*seen.threads.begin()].label : nullptr;
    if (name && !name->empty())
      text += (isHeld ? ", held by " : ", woken by ") + *name;
    if (reason.where != kNobody)
      text += (isHeld ? ", taken in " : ", woken from ") + nameOf(reason.where);
    return text;
  }

  const CallSample &sample_;
  const TraceTable &table_;
  const WaitState *state_ = nullptr;
  std::shared_ptr<const ObjectNames> objects_ = std::make_shared<ObjectNames>(table_);
  std::vector<size_t> first_;  // by thread: its first sampled call
  std::vector<Holder> holder_; // by thread: of what it waits for now
  std::map<Reason, ReasonSeen> seen_;
};

// The times to read for the waits of calls: from a while before each, in which a lock may have been taken.
std::vector<std::pair<uint64_t, uint64_t>> timesToRead(const CallSample &sample) {
  constexpr uint64_t kLeastBeforeNs = 5'000'000, kAfterNs = 1'000'000;
  std::vector<std::pair<uint64_t, uint64_t>> times, joined;
  for (const SampledCall &call : sample.calls) {
    const uint64_t before = std::max(2 * (call.endNs - call.beginNs), kLeastBeforeNs);
    times.emplace_back(call.beginNs - std::min(before, call.beginNs), call.endNs + kAfterNs);
  }
  std::ranges::sort(times);
  for (const auto &[fromNs, toNs] : times)
    if (joined.empty() || joined.back().second < fromNs)
      joined.emplace_back(fromNs, toNs);
    else
      joined.back().second = std::max(joined.back().second, toNs);
  return joined;
}

} // namespace

bool isReadInPieces(const model::TraceSource &source, const TraceTable &table) {
  constexpr uint64_t kMaxAtOnce = 1 << 24, kFew = 1 << 20; // events
  uint64_t events = 0;
  bool canSeek = true;
  for (const model::Thread &thread : table.threads) {
    const uint64_t own = thread.extent ? thread.extent->events : 0;
    events += own;
    canSeek &= own < kFew || source.cuts(thread.index, 2).size() > 1;
  }
  return canSeek && events > kMaxAtOnce;
}

Expected<CallWaits> waitsOf(model::TraceSource &source, TraceTable &table, const CallSample &sample) {
  constexpr size_t kMaxReadInPieces = 1000; // calls; around more of them lies most of a trace
  CallWaitCollector collector(sample, table);
  const std::vector<uint32_t> threads = allThreads(table);
  const bool inPieces = isReadInPieces(source, table) && sample.calls.size() <= kMaxReadInPieces;
  const auto read = [&](const std::vector<uint32_t> &some, std::vector<MergePlace> first,
                        uint64_t toNs) -> Expected<void> {
    WaitState state(table, {}, collector);
    collector.attach(state);
    auto done =
        mergeEventsFrom({source, table, some}, first,
                        [&](uint64_t seq, const model::Event &event, const model::Batch &batch) -> Expected<void> {
                          state.take(seq, event, batch);
                          return event.timeNs > toNs ? earlyEnd() : Expected<void>();
                        });
    return !done && isEarlyEnd(done.error()) ? Expected<void>() : done;
  };
  if (!inPieces) {
    std::vector<MergePlace> first;
    for (const uint32_t thread : threads)
      first.push_back({.seq = source.cuts(thread, 1).front()});
    ADA_TRY(read(threads, first, ~uint64_t(0)));
  } else {
    std::vector<Cuts> cuts;
    for (const uint32_t thread : threads)
      cuts.emplace_back(source, table, thread);
    for (const auto &[fromNs, toNs] : timesToRead(sample)) {
      std::vector<uint32_t> some; // of ten thousand processes most have ended before, or begin later
      std::vector<MergePlace> first;
      for (const uint32_t thread : threads) {
        const std::optional<model::ThreadExtent> &extent = table.threads[thread].extent;
        if (extent && (extent->lastNs < fromNs || extent->firstNs > toNs))
          continue;
        const size_t cut = ADA_TRY(cuts[thread].lastUntil(fromNs));
        some.push_back(thread);
        first.push_back({.seq = cuts[thread].seqOf(cut)});
      }
      ADA_TRY(read(some, first, toNs));
    }
  }
  collector.finish();
  return std::move(collector.waits);
}

} // namespace ada::analysis
