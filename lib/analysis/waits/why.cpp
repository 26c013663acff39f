// Finds, for every moment of a call, what its thread did and which thread it waited for.
#include "why.h"

#include "analysis/calls/call_sink.h"
#include "analysis/events/early_end.h"
#include "analysis/events/merged_events.h"

#include <algorithm>

namespace ada::analysis {

namespace {

constexpr size_t kDeepestChain = 32;

struct Waker {
  uint32_t thread = kNobody;
  uint64_t ns = 0;
  bool isInferred = false;
};
/// By thread and the number of the waiting call.
using WakerOfCall = std::map<std::pair<uint32_t, uint64_t>, Waker>;

class CallWakers : public WaitListener {
public:
  CallWakers(WakerOfCall &wakers, uint64_t fromNs) : wakers_(wakers), fromNs_(fromNs) {}
  void waitEnds(const WaitEnd &over) override {
    if (over.waker != kNobody && over.waitNs && over.endNs > fromNs_)
      wakers_[{over.thread, over.frame->beginSeq}] = {over.waker, over.wakerNs, over.isWakerInferred};
  }

private:
  WakerOfCall &wakers_;
  uint64_t fromNs_;
};

using PartKey = std::tuple<PartKind, uint32_t, uint32_t, decltype(std::declval<WaitObject>().key())>;

/// Adds up times that come one after the other, and remembers the longest without a break.
struct Stretches {
  uint64_t ns = 0;
  void add(uint64_t from, uint64_t to) {
    ns += to - from;
    if (from != toNs_)
      fromNs_ = from;
    toNs_ = to;
    if (toNs_ - fromNs_ > longestNs_)
      longestNs_ = toNs_ - fromNs_, longestFromNs_ = fromNs_;
  }
  uint64_t middleNs() const { return longestFromNs_ + longestNs_ / 2; }

private:
  uint64_t fromNs_ = 0, toNs_ = 0, longestFromNs_ = 0, longestNs_ = 0;
};

struct HolderNode;
struct PartNode {
  Stretches times;
  WaitedFor object;
  std::map<uint32_t, HolderNode> holders;
};
struct HolderNode {
  Stretches times;
  bool isInferred = false;
  bool isCycle = false;
  std::map<PartKey, PartNode> parts;
};

class WhyTree : public WaitListener {
public:
  WhyTree(uint32_t thread, const Span &call, const WakerOfCall &wakers)
      : thread_(thread), call_(call), wakers_(wakers), sinceNs_(call.beginNs) {}
  void attach(const WaitState &state) { state_ = &state; }

  void beforeEvent(uint32_t, uint64_t ns) override {
    const uint64_t to = std::min(ns, call_.endNs);
    if (to <= sinceNs_)
      return;
    chain_.clear();
    divide(root_, thread_, sinceNs_, to);
    sinceNs_ = to;
  }
  bool isOver() const { return sinceNs_ >= call_.endNs; }
  std::vector<WhyPart> parts() const { return partsOf(root_); }
  std::vector<WhyWait> takeWaits() {
    keepLongest(0);
    std::ranges::sort(waits_, {}, &WhyWait::fromNs);
    return std::move(waits_);
  }

private:
  PartNode &part(HolderNode &node, PartKind kind, uint32_t function, uint32_t library, const WaitObject &object = {}) {
    return node.parts[{kind, function, library, object.key()}];
  }

  // What `thread` did in from..to, during which no thread had an event.
  void divide(HolderNode &node, uint32_t thread, uint64_t from, uint64_t to) {
    chain_.push_back(thread);
    node.times.add(from, to);
    const WaitState::ThreadState &state = state_->thread(thread);
    const WaitFrame *frame = state_->waiting(thread);
    const bool isSpin = frame && frame->does.kind == WaitKind::SpinLock;
    // Without scheduling records, a call that waits counts as waiting, and anything else as running.
    const auto untold = [&](uint64_t begin, uint64_t end) {
      if (begin < end)
        frame ? waits(node, thread, frame, begin, end) : runs(node, thread, begin, end);
    };
    const bool hasSwitches = state.hasSched && !isSpin;
    const auto between = [&](uint64_t begin, uint64_t end) {
      hasSwitches ? runs(node, thread, begin, end) : untold(begin, end);
    };
    uint64_t at = from;
    if (state.lane)
      for (const OffCpu &off : state.lane->between(from, to)) {
        const uint64_t begin = std::max(off.fromNs, at), end = std::min(off.toNs, to);
        if (begin >= end || (!hasSwitches && off.why != OffCpu::Why::Recorder))
          continue;
        between(at, begin);
        const bool waitsOn = frame && off.fromNs >= state.lane->knownToNs() && state_->waitsBeyond(*state.lane);
        if (off.why == OffCpu::Why::Waiting || (off.why == OffCpu::Why::Unknown && waitsOn))
          waits(node, thread, frame, begin, end);
        else
          part(node, kindOf(off.why), kNobody, kNobody).times.add(begin, end);
        at = end;
      }
    between(at, to);
    chain_.pop_back();
  }

  static PartKind kindOf(OffCpu::Why why) {
    return why == OffCpu::Why::Preempted  ? PartKind::Preempted
           : why == OffCpu::Why::Recorder ? PartKind::Recorder
                                          : PartKind::Unknown;
  }

  void runs(HolderNode &node, uint32_t thread, uint64_t from, uint64_t to) {
    if (from >= to)
      return;
    const auto [function, library] = state_->innermost(thread);
    const bool isOwn = &node != &root_ || isInnermost();
    part(node, isOwn ? PartKind::Own : PartKind::Callee, function, library).times.add(from, to);
  }
  // True if the chosen call is the innermost one of its thread.
  bool isInnermost() const {
    const std::vector<WaitFrame> &frames = state_->thread(thread_).frames;
    return frames.size() == call_.depth + size_t{1};
  }

  void waits(HolderNode &node, uint32_t thread, const WaitFrame *frame, uint64_t from, uint64_t to) {
    const auto [function, library] = state_->innermost(thread);
    WaitObject object;
    if (frame && frame->object != kNobody)
      object = state_->object(frame->object);
    else
      object.kind = frame ? frame->does.kind : library != kNobody ? WaitKind::Library : WaitKind::Own;
    object.process = state_->table().threads[thread].process;
    std::vector<uint32_t> holders = state_->waitedFor(thread);
    uint64_t wokenNs = 0;
    bool isInferred = false;
    if (frame && (holders.empty() || object.kind == WaitKind::Join))
      if (const auto waker = wakers_.find({thread, frame->beginSeq}); waker != wakers_.end()) {
        wokenNs = waker->second.ns;
        if (holders.empty() && object.kind == WaitKind::Child)
          holders.push_back(state_->mainThreadAt(waker->second.thread, from));
        else if (holders.empty())
          holders.push_back(waker->second.thread);
        isInferred = waker->second.isInferred;
      }
    if (object.kind == WaitKind::Join && !holders.empty())
      object.joined = holders.front();
    PartNode &wait = part(node, PartKind::Waiting, function, library, object);
    wait.times.add(from, to);
    wait.object = {object.process, object.kind, object.value, object.other, object.joined, object.place, library};
    if (chain_.size() == 1)
      noteWait({from, to, object.kind, holders.empty() ? kNobody : holders.front(), wokenNs});
    if (holders.empty())
      return;
    // If there are several readers, only one is followed: all of them have to release the lock.
    HolderNode &holder = wait.holders[holders.front()];
    holder.isInferred = isInferred;
    if (std::ranges::find(chain_, holders.front()) != chain_.end() || chain_.size() >= kDeepestChain) {
      holder.times.add(from, to);
      holder.isCycle = true;
    } else {
      divide(holder, holders.front(), from, to);
    }
  }

  static std::vector<WhyPart> partsOf(const HolderNode &node) {
    std::vector<WhyPart> parts;
    for (const auto &[key, from] : node.parts) {
      WhyPart &part = parts.emplace_back();
      part.kind = std::get<0>(key), part.function = std::get<1>(key), part.library = std::get<2>(key);
      part.object = from.object, part.ns = from.times.ns, part.inNs = from.times.middleNs();
      for (const auto &[thread, holder] : from.holders)
        part.holders.push_back(
            {thread, holder.times.ns, holder.times.middleNs(), holder.isInferred, holder.isCycle, partsOf(holder)});
      std::ranges::stable_sort(part.holders, std::greater(), &WhyPart::Holder::ns);
    }
    std::ranges::stable_sort(parts, std::greater(), &WhyPart::ns);
    return parts;
  }

  void noteWait(const WhyWait &wait) {
    if (!waits_.empty() && waits_.back().toNs == wait.fromNs && waits_.back().thread == wait.thread &&
        waits_.back().wokenNs == wait.wokenNs) {
      waits_.back().toNs = wait.toNs;
      return;
    }
    if (waits_.size() >= 4 * kMostWaits)
      keepLongest(1);
    waits_.push_back(wait);
  }
  // Except for the last `spared`, which may still go on.
  void keepLongest(size_t spared) {
    if (waits_.size() <= kMostWaits)
      return;
    const auto end = waits_.end() - static_cast<ptrdiff_t>(spared);
    const auto kept = waits_.begin() + static_cast<ptrdiff_t>(kMostWaits - spared);
    std::ranges::nth_element(waits_.begin(), kept, end, std::greater(),
                             [](const WhyWait &wait) { return wait.toNs - wait.fromNs; });
    waits_.erase(kept, end);
  }

  uint32_t thread_;
  const Span &call_;
  const WakerOfCall &wakers_;
  const WaitState *state_ = nullptr;
  uint64_t sinceNs_;
  HolderNode root_;
  std::vector<WhyWait> waits_;
  std::vector<uint32_t> chain_; // from the chosen thread to the one being asked about
};

/// Finds one call: the longest shown one, or the one with a given number.
class CallFinder : public CallSink<CallFinder> {
public:
  CallFinder(TraceTable &table, const FilterOptions &filter, std::optional<uint64_t> seq)
      : CallSink(table, filter), seq_(seq), ends_(endsOfProcesses(table)) {}

  Expected<void> events(const model::Batch &batch) override {
    auto done = CallSink::events(batch);
    return isFound_ ? earlyEnd() : done;
  }
  void end(Span span, bool shown, std::string &&) {
    if (span.how == SpanEnd::Open)
      span.endNs = std::max(span.endNs, ends_[table().threads[thread_].process]);
    if (seq_ ? span.beginSeq != *seq_ : !shown || (found && found->durationNs() >= span.durationNs()))
      return;
    found = span, thread = thread_;
    isFound_ = seq_.has_value();
  }

  std::optional<Span> found;
  uint32_t thread = 0;

private:
  std::optional<uint64_t> seq_;
  std::vector<uint64_t> ends_;
  bool isFound_ = false;
};

Expected<std::optional<Span>> find(model::TraceSource &source, CallFinder &finder,
                                   const std::vector<uint32_t> &threads) {
  model::ReadRequest request;
  request.threads = threads;
  request.isFurther = true;
  if (auto done = source.readPart(finder, request); !done && !isEarlyEnd(done.error()))
    return done.error();
  return finder.found;
}

} // namespace

Expected<std::optional<Span>> longestCall(const Trace &trace, const FilterOptions &filter, uint32_t &thread) {
  CallFinder finder(trace.table, filter, std::nullopt);
  auto found = find(trace.source, finder, trace.threads);
  thread = finder.thread;
  return found;
}

Expected<std::optional<Span>> callAt(model::TraceSource &source, TraceTable &table, uint32_t thread, uint64_t seq) {
  const FilterOptions everything;
  CallFinder finder(table, everything, seq);
  return find(source, finder, {thread});
}

Expected<Why> explainCall(model::TraceSource &source, TraceTable &table, uint32_t thread, const Span &call) {
  WakerOfCall wakers;
  CallWakers collector(wakers, call.beginNs);
  WhyTree tree(thread, call, wakers);
  for (const bool isFirst : {true, false}) {
    WaitState state(table, {}, isFirst ? static_cast<WaitListener &>(collector) : tree);
    tree.attach(state);
    const uint64_t lastNs = call.endNs;
    // Waits during the call end soon after it. If a thread still waits then, it does not matter which thread will wake
    // it.
    const auto use = [&](uint64_t seq, const model::Event &event, const model::Batch &batch) -> Expected<void> {
      state.take(seq, event, batch);
      return (isFirst ? event.timeNs > lastNs : tree.isOver()) ? earlyEnd() : Expected<void>();
    };
    if (auto done = mergeEvents({source, table, allThreads(table)}, use); !done && !isEarlyEnd(done.error()))
      return done.error();
    if (!isFirst && !tree.isOver())
      tree.beforeEvent(thread, call.endNs);
  }
  Why why;
  why.thread = thread, why.function = call.functionIndex, why.seq = call.beginSeq;
  why.beginNs = call.beginNs, why.endNs = call.endNs, why.how = call.how;
  why.parts = tree.parts();
  why.waits = tree.takeWaits();
  why.hasSched = table.threads[thread].knowsSched();
  return why;
}

} // namespace ada::analysis
