// Finds, for every moment of a call, what its thread did and which thread it waited for.
#include "why.h"

#include "analysis/calls/call_sink.h"
#include "analysis/calls/cuts.h"
#include "analysis/events/early_end.h"
#include "analysis/events/merged_events.h"
#include "trace/base/try.h"

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
      noteWait({.fromNs = from,
                .toNs = to,
                .kind = object.kind,
                .thread = holders.empty() ? kNobody : holders.front(),
                .wokenNs = wokenNs,
                .takerDepth = holders.empty() || !frame || frame->object == kNobody
                                  ? kNobody
                                  : state_->depthOfTaker(frame->object, holders.front())});
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
    if (waits_.size() >= 4 * kMaxWaits)
      keepLongest(1);
    waits_.push_back(wait);
  }
  // Except for the last `spared`, which may still go on.
  void keepLongest(size_t spared) {
    if (waits_.size() <= kMaxWaits)
      return;
    const auto end = waits_.end() - static_cast<ptrdiff_t>(spared);
    const auto kept = waits_.begin() + static_cast<ptrdiff_t>(kMaxWaits - spared);
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

/// Finds the longest shown call.
class LongestCall : public CallSink<LongestCall> {
public:
  LongestCall(TraceTable &table, const FilterOptions &filter)
      : CallSink(table, filter), ends_(endsOfProcesses(table)) {}

  void end(Span span, bool shown, std::string &&) {
    if (span.how == SpanEnd::Open)
      span.endNs = std::max(span.endNs, ends_[table().threads[thread_].process]);
    if (shown && (!found || found->durationNs() < span.durationNs()))
      found = span, thread = thread_;
  }

  std::optional<Span> found;
  uint32_t thread = 0;

private:
  std::vector<uint64_t> ends_;
};

/// Finds the call of a thread that event `seq` begins, from any cut before it on.
class CallOfEvent : public TableSink {
public:
  using TableSink::begin;
  CallOfEvent(TraceTable &table, uint64_t seq) : TableSink(table), seq_(seq) {}

  Expected<void> events(const model::Batch &batch) override {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (event.isEarlier && passed_ > 0) // it is open already
        --passed_;
      else
        calls_.take(event.isEarlier ? Span::kNoSeq : seq++, event, batch);
      if (found || (!isMet_ && seq > seq_))
        return earlyEnd();
    }
    return {};
  }
  void endOpenCalls() { calls_.finish(); }

  std::span<const Span> open() const { return calls_.walker().open(); }
  bool isOpen() const { return isMet_; }
  /// What follows comes from another cut, where the call is open. Returns it and those around it.
  std::span<const Span> jump() {
    calls_.endInner(depth_ + size_t{1});
    passed_ = open().size();
    return open();
  }

  // Called by CallReader.
  void begin(uint64_t seq, const model::Event &call) {
    if (seq == seq_ && !call.isEarlier)
      isMet_ = true, depth_ = calls_.walker().depth() - 1;
  }
  void end(const Span &span) {
    if (isMet_ && span.depth == depth_)
      found = span, isMet_ = false;
  }

  std::optional<Span> found;

private:
  uint64_t seq_;
  CallReader<CallOfEvent, kCallsOnly> calls_{*this};
  bool isMet_ = false;
  uint32_t depth_ = 0;
  size_t passed_ = 0;
};

// Reads the block in which the call begins, and the one in which it ends.
Expected<void> find(const Cuts &cuts, CallOfEvent &finder, uint64_t seq) {
  const size_t first = cuts.lastUntilEvent(seq);
  ADA_TRY(cuts.read(finder, first, first + 1));
  if (!finder.isOpen() || first + 1 >= cuts.size())
    return {};
  const bool fits = ADA_TRY(cuts.areOpen(finder.open(), first + 1));
  if (!fits) // the trace is damaged
    return cuts.readOn(finder, first + 1);
  const size_t end = ADA_TRY(cuts.endOf(finder.jump(), first + 1));
  return cuts.read(finder, end - 1, end);
}

// The trace names functions that wait, or that act on what others wait for.
Expected<bool> hasWaitFunctions(const model::TraceSource &source) {
  struct Names : model::TraceSink {
    bool wantsUnused() const override { return true; }
    Expected<void> addFunction(const model::Function &function) override {
      has |= waitFunctionOf(function).action != WaitAction::None;
      return {};
    }
    Expected<void> events(const model::Batch &) override { return {}; }
    bool has = false;
  } names;
  const std::unique_ptr<model::TraceSource> another = source.another();
  if (!another)
    return true;
  model::ReadRequest nothing;
  nothing.threads.emplace();
  ADA_TRY(another->readPart(names, nothing));
  return names.has;
}

// Where to begin, by thread, so that everything that matters at `ns` is known: that is all before it if threads can act
// on each other; otherwise only their open calls are.
Expected<std::vector<MergePlace>> placesBefore(const Trace &trace, uint64_t ns) {
  constexpr uint64_t kFew = 1 << 18; // events, which are read as quickly as the names of all functions
  std::vector<MergePlace> places;
  uint64_t events = 0;
  for (const uint32_t thread : trace.threads) {
    places.push_back({.seq = trace.source.cuts(thread, 1).front()});
    if (const auto &extent = trace.table.threads[thread].extent; extent && extent->firstNs < ns)
      events += extent->events;
  }
  if (events < kFew)
    return places;
  const bool isAllNeeded = ADA_TRY(hasWaitFunctions(trace.source));
  if (isAllNeeded)
    return places;
  for (const uint32_t thread : trace.threads)
    if (const auto &extent = trace.table.threads[thread].extent; extent && extent->firstNs < ns) {
      const Cuts cuts(trace.source, trace.table, thread);
      const size_t last = ADA_TRY(cuts.lastUntil(ns));
      places[thread].seq = cuts.seqOf(last);
    }
  return places;
}

Expected<void> readOn(const Trace &trace, std::vector<MergePlace> &places, const EventUse &use) {
  const auto done = mergeEventsFrom(trace, places, use);
  return !done && isEarlyEnd(done.error()) ? Expected<void>() : done;
}

} // namespace

Expected<std::optional<Span>> longestCall(const Trace &trace, const FilterOptions &filter, uint32_t &thread) {
  LongestCall finder(trace.table, filter);
  model::ReadRequest request;
  request.threads = trace.threads;
  request.isFurther = true;
  ADA_TRY(trace.source.readPart(finder, request));
  thread = finder.thread;
  return finder.found;
}

Expected<std::optional<Span>> callAt(model::TraceSource &source, TraceTable &table, uint32_t thread, uint64_t seq) {
  CallOfEvent finder(table, seq);
  if (const auto done = find(Cuts(source, table, thread), finder, seq); !done && !isEarlyEnd(done.error()))
    return done.error();
  finder.endOpenCalls();
  if (finder.found && finder.found->how == SpanEnd::Open)
    finder.found->endNs = std::max(finder.found->endNs, endsOfProcesses(table)[table.threads[thread].process]);
  return finder.found;
}

Expected<Why> explainCall(model::TraceSource &source, TraceTable &table, uint32_t thread, const Span &call) {
  const std::vector<uint32_t> threads = allThreads(table);
  const Trace trace{source, table, threads};
  WakerOfCall wakers;
  CallWakers collector(wakers, call.beginNs);
  WhyTree tree(thread, call, wakers);
  WaitState first(table, {}, collector), second(table, {}, tree);
  tree.attach(second);
  auto places = ADA_TRY(placesBefore(trace, call.beginNs));
  const auto takeBefore = [&](uint64_t seq, const model::Event &event, const model::Batch &batch) -> Expected<void> {
    if (event.timeNs >= call.beginNs)
      return earlyEnd();
    first.take(seq, event, batch);
    second.take(seq, event, batch);
    return {};
  };
  ADA_TRY(readOn(trace, places, takeBefore));
  // Waits during the call end soon after it. If a thread still waits then, it does not matter which thread will wake
  // it.
  const auto takeFirst = [&](uint64_t seq, const model::Event &event, const model::Batch &batch) -> Expected<void> {
    first.take(seq, event, batch);
    return event.timeNs > call.endNs ? earlyEnd() : Expected<void>();
  };
  auto begin = places;
  ADA_TRY(readOn(trace, begin, takeFirst));
  const auto takeSecond = [&](uint64_t seq, const model::Event &event, const model::Batch &batch) -> Expected<void> {
    second.take(seq, event, batch);
    return tree.isOver() ? earlyEnd() : Expected<void>();
  };
  ADA_TRY(readOn(trace, places, takeSecond));
  if (!tree.isOver())
    tree.beforeEvent(thread, call.endNs);
  Why why;
  why.thread = thread, why.function = call.functionIndex, why.seq = call.beginSeq;
  why.beginNs = call.beginNs, why.endNs = call.endNs, why.how = call.how;
  why.parts = tree.parts();
  why.waits = tree.takeWaits();
  why.hasSched = table.threads[thread].knowsSched();
  return why;
}

} // namespace ada::analysis
