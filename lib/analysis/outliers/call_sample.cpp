// Follows the calls of one function and adds up what lies in each of them.
#include "call_sample.h"

#include "analysis/events/thread_calls.h"
#include "analysis/waits/off_cpu_follower.h"
#include "analysis/waits/wait_functions.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace ada::analysis {

namespace {

constexpr size_t kMostLongCalls = 200'000; // per worker

class SampleWorker : public TableSink {
public:
  SampleWorker(TraceTable &table, const std::string &function, const SlowLimits &limits, const FilterOptions &range)
      : TableSink(table), function_(function), limits_(limits), rules_(range, table), slowStep_(stepFor(limits.slow)),
        ordinaryStep_(stepFor(limits.ordinary)), longFromNs_(std::max<uint64_t>(limits.ordinaryFromNs / 2, 1000)) {}

  void beginPart(const ThreadPart &part) {
    thread_ = part.thread;
    const model::Thread &about = table().threads[thread_];
    offCpu_ = OffCpuFollower(about.offCpu.get(), 0, ~uint64_t(0), 2 * table().processOf(about).resolutionNs);
    hasSched_ = about.knowsSched();
    nth_ = 0, lastNs_ = 0, firstNs_ = ~uint64_t(0);
  }
  Expected<void> events(const model::Batch &batch) override {
    if (!calls_)
      calls_.emplace(*this, rules_, nullptr);
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (!event.isEarlier) {
        if (isInside() && offCpu_.isDue(event.timeNs))
          takeOffCpu(event.timeNs);
        lastNs_ = event.timeNs;
      }
      calls_->take(seq++, event, batch);
    }
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    if (calls_)
      calls_->finish();
    calls_.reset();
    open_.clear(), lastChild_.clear(), isFunctionOpen_ = false;
    if (callsOfThread.size() <= thread_)
      callsOfThread.resize(thread_ + size_t{1}), firstOfThread.resize(thread_ + size_t{1}, ~uint64_t(0));
    callsOfThread[thread_] = nth_, firstOfThread[thread_] = firstNs_;
    return {};
  }

  // Called by ThreadCalls.
  void begin(uint64_t, const model::Event &call, bool, std::string &&) {
    const size_t depth = calls_->walker().depth() - 1; // of this call
    if (lastChild_.size() < depth + 2)
      lastChild_.resize(depth + 2, kNoName);
    lastChild_[depth + 1] = kNoName;
    if (isFunctionOpen_) {
      const uint32_t node = paths.child(open_.back(), call.function);
      open_.push_back(node);
      touch(node).calls++;
      return;
    }
    if (!isFunction(call.function))
      return;
    isFunctionOpen_ = true;
    functionDepth_ = depth;
    open_.assign(1, PathTree::kRoot);
    current_ = {};
    current_.before = lastChild_[depth];
    current_.caller = depth > 0 ? calls_->walker().open()[depth - 1].functionIndex : kNoName;
    current_.nth = nth_++;
    if (current_.nth == 0)
      firstNs_ = call.timeNs;
    touch(PathTree::kRoot).calls = 1;
    if (!call.isEarlier)
      offCpu_.skipTo(call.timeNs);
  }
  void end(const Span &span, bool shown, std::string &&) {
    if (span.depth < lastChild_.size())
      lastChild_[span.depth] = span.functionIndex;
    if (!isFunctionOpen_) {
      if (span.durationNs() >= longFromNs_ && !span.isEarlier)
        addLong(span);
      return;
    }
    touch(open_.back()).cpuNs += span.durationNs() - span.childrenNs; // minus what was off-CPU: finish()
    open_.pop_back();
    if (span.depth > functionDepth_)
      return;
    isFunctionOpen_ = false;
    if (shown && !span.isEarlier && (span.how == SpanEnd::Return || span.how == SpanEnd::Exception))
      finishCall(span);
    for (const CallPart &part : current_.parts)
      placeOf_[part.node] = 0;
  }

  std::vector<SampledCall> calls;
  std::vector<LongCall> longCalls;
  std::vector<uint64_t> callsOfThread, firstOfThread; // by thread
  PathTree paths;                                     // of this worker's numbers of functions

private:
  uint64_t stepFor(uint64_t count) const { return count / limits_.mostSampled + 1; }
  bool isInside() const { return isFunctionOpen_; }
  bool isFunction(uint32_t function) {
    if (function >= isFunction_.size())
      isFunction_.resize(table().functions.size(), 0);
    uint8_t &known = isFunction_[function];
    if (known == 0)
      known = table().functions[function].displayName == function_ ? 2 : 1;
    return known == 2;
  }
  CallPart &touch(uint32_t node) {
    if (node >= placeOf_.size())
      placeOf_.resize(paths.size());
    uint32_t &place = placeOf_[node];
    if (place == 0) {
      current_.parts.push_back({.node = node});
      place = static_cast<uint32_t>(current_.parts.size());
    }
    return current_.parts[place - 1];
  }
  // Counts for the innermost call; taken off its own time at its end.
  [[gnu::noinline]] void takeOffCpu(uint64_t ns) {
    offCpu_.take(lastNs_, ns, [&](const OffCpu &off) {
      const uint64_t took = off.durationNs();
      CallPart &part = touch(open_.back());
      part.cpuNs -= took; // its own time is added when it ends; unsigned arithmetic may wrap meanwhile
      switch (off.why) {
      case OffCpu::Why::Waiting:
        part.waitingNs += took;
        break;
      case OffCpu::Why::Preempted:
        current_.preemptedNs += took;
        break;
      case OffCpu::Why::Recorder:
        current_.recorderNs += took;
        break;
      case OffCpu::Why::Unknown:
        if (hasSched_)
          current_.unknownNs += took;
        else
          part.cpuNs += took;
        break;
      }
    });
  }
  void finishCall(const Span &span) {
    const uint64_t took = span.durationNs();
    const bool isSlow = limits_.slow > 0 && took >= limits_.slowFromNs;
    if (!isSlow && (took < limits_.ordinaryFromNs || took > limits_.ordinaryToNs))
      return;
    uint64_t &seen = isSlow ? slowSeen_ : ordinarySeen_;
    if (seen++ % (isSlow ? slowStep_ : ordinaryStep_) != 0 && limits_.always != CallId{thread_, span.beginSeq})
      return;
    current_.thread = thread_, current_.isSlow = isSlow;
    current_.beginSeq = span.beginSeq, current_.endSeq = span.endSeq;
    current_.beginNs = span.beginNs, current_.endNs = span.endNs;
    current_.isException = span.how == SpanEnd::Exception;
    calls.push_back(current_);
  }
  void addLong(const Span &span) {
    longCalls.push_back({span.functionIndex, thread_, span.beginNs, span.endNs});
    if (longCalls.size() < kMostLongCalls)
      return;
    longFromNs_ *= 2; // only the longer half matters then
    std::erase_if(longCalls, [&](const LongCall &call) { return call.endNs - call.beginNs < longFromNs_; });
  }

  const std::string &function_;
  const SlowLimits &limits_;
  FunctionRules rules_;
  uint64_t slowStep_, ordinaryStep_, longFromNs_;
  uint64_t slowSeen_ = 0, ordinarySeen_ = 0;
  std::vector<uint8_t> isFunction_; // 0: not looked at, 1: no, 2: yes

  uint32_t thread_ = 0;
  bool hasSched_ = false;
  uint64_t nth_ = 0, lastNs_ = 0, firstNs_ = ~uint64_t(0);
  OffCpuFollower offCpu_;
  std::optional<ThreadCalls<SampleWorker>> calls_;
  std::vector<uint32_t> lastChild_; // by depth: the last call that ended there, in the same caller
  bool isFunctionOpen_ = false;
  size_t functionDepth_ = 0;
  std::vector<uint32_t> open_; // nodes of the open calls, from the function's on
  SampledCall current_;
  std::vector<uint32_t> placeOf_; // by node: its place in current_.parts, plus 1
};

/// Gives the functions of all workers numbers by name, and joins what they collected.
class SampleJoin {
public:
  SampleJoin(CallSample &sample, size_t threads) : sample_(sample) {
    sample_.callsOfThread.resize(threads);
    sample_.firstOfThread.resize(threads, ~uint64_t(0));
  }

  void add(SampleWorker &worker) {
    numbers_.assign(worker.table().functions.size(), kNoName);
    nodes_.assign(worker.paths.size(), PathTree::kRoot);
    for (uint32_t node = 1; node < worker.paths.size(); ++node) { // parents come first
      const PathTree::Node &from = worker.paths[node];
      const bool isFunction = PathTree::isFunction(from.function);
      sample_.callsWaitFunctions |=
          isFunction && canWait(waitFunctionOf(worker.table().functions[from.function]).action);
      nodes_[node] =
          sample_.paths.child(nodes_[from.parent], isFunction ? nameOf(worker, from.function) : from.function);
    }
    for (SampledCall &call : worker.calls) {
      call.caller = call.caller == kNoName ? kNoName : nameOf(worker, call.caller);
      call.before = call.before == kNoName ? kNoName : nameOf(worker, call.before);
      for (CallPart &part : call.parts)
        part.node = nodes_[part.node];
      (call.isSlow ? sample_.slow : sample_.ordinary)++;
      sample_.calls.push_back(std::move(call));
    }
    for (LongCall call : worker.longCalls) {
      call.name = nameOf(worker, call.name);
      sample_.longCalls.push_back(call);
    }
    for (size_t thread = 0; thread < worker.callsOfThread.size(); ++thread) { // each thread has one worker
      sample_.callsOfThread[thread] += worker.callsOfThread[thread];
      sample_.firstOfThread[thread] = std::min(sample_.firstOfThread[thread], worker.firstOfThread[thread]);
    }
  }
  void finish() {
    for (const uint64_t calls : sample_.callsOfThread)
      sample_.all += calls;
    std::ranges::sort(sample_.calls, {}, [](const SampledCall &call) { return std::pair(call.thread, call.beginNs); });
    std::ranges::sort(sample_.longCalls, {}, &LongCall::beginNs);
  }

private:
  uint32_t nameOf(const SampleWorker &worker, uint32_t function) {
    uint32_t &number = numbers_[function];
    if (number == kNoName) {
      const auto [at, isNew] = known_.try_emplace(worker.table().functions[function].displayName,
                                                  static_cast<uint32_t>(sample_.names.size()));
      if (isNew)
        sample_.names.push_back(at->first);
      number = at->second;
    }
    return number;
  }

  CallSample &sample_;
  std::unordered_map<std::string, uint32_t> known_;
  std::vector<uint32_t> numbers_, nodes_; // of the worker's functions and nodes
};

} // namespace

std::string threadText(const TraceTable &table, uint32_t thread) {
  const model::Thread &about = table.threads[thread];
  const std::string number = "thread " + std::to_string(about.number);
  return about.name.empty() ? number : number + " (" + about.name + ")";
}

Expected<CallSample> sampleCalls(model::TraceSource &source, const TraceTable &table,
                                 const std::vector<uint32_t> &threads, const std::string &function,
                                 const SlowLimits &limits, uint64_t fromNs, uint64_t toNs, Damage &damage) {
  FilterOptions range;
  range.fromNs = fromNs, range.toNs = toNs;
  CallSample sample;
  SampleJoin join(sample, table.threads.size());
  auto done = readParts<SampleWorker>(
      source, table, partsOf(source, table, threads),
      [&](TraceTable &own) { return std::make_unique<SampleWorker>(own, function, limits, range); },
      [&](SampleWorker &worker) { join.add(worker); }, damage);
  if (!done)
    return done.error();
  join.finish();
  return sample;
}

} // namespace ada::analysis
