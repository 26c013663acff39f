// Follows the calls of one function and adds up what lies in each of them.
#include "call_sample.h"

#include "analysis/calls/call_reader.h"
#include "analysis/calls/off_cpu_follower.h"
#include "analysis/waits/wait_functions.h"
#include "trace/base/try.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

namespace ada::analysis {

namespace {

// A call to look at.
struct WantedCall {
  TimedCall call;
  bool isSlow = false;
};

// A piece of a thread that holds some of them.
struct WantedPart {
  ThreadPart part;
  size_t first = 0, count = 0; // in the list of wanted calls
};

class SampleWorker : public TableSink {
public:
  SampleWorker(TraceTable &table, const std::vector<WantedCall> &wanted, const std::vector<WantedPart> &parts)
      : TableSink(table), wanted_(wanted), parts_(parts), rules_(everything_, table) {}

  void beginPart(const ThreadPart &part) {
    thread_ = part.thread;
    const model::Thread &about = table().threads[thread_];
    offCpu_ = OffCpuFollower(about.offCpu.get(), 0, ~uint64_t(0), 2 * table().processOf(about).resolutionNs);
    hasSched_ = about.knowsSched();
    lastNs_ = 0;
    const WantedPart &of = parts_[part.number];
    next_ = std::span(wanted_).subspan(of.first, of.count);
  }
  Expected<void> events(const model::Batch &batch) override {
    if (!calls_)
      calls_.emplace(*this, rules_, nullptr);
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (!event.isEarlier) {
        if (isInside_ && offCpu_.isDue(event.timeNs))
          takeOffCpu(event.timeNs);
        lastNs_ = event.timeNs;
      }
      calls_->take(seq, event, batch);
      seq += !event.isEarlier;
    }
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    calls_.reset();
    if (isInside_) // damage has cut the call off
      leave();
    open_.clear(), lastChild_.clear();
    return {};
  }

  // Called by CallReader.
  void begin(uint64_t seq, const model::Event &call, bool, std::string &&) {
    const size_t depth = calls_->walker().depth() - 1; // of this call
    if (lastChild_.size() < depth + 2)
      lastChild_.resize(depth + 2, kNoName);
    lastChild_[depth + 1] = kNoName;
    if (isInside_) {
      const uint32_t node = paths.child(open_.back(), call.function);
      open_.push_back(node);
      touch(node).calls++;
      return;
    }
    if (next_.empty() || call.isEarlier || seq != next_.front().call.beginSeq)
      return;
    isInside_ = true;
    functionDepth_ = depth;
    open_.assign(1, PathTree::kRoot);
    current_ = {};
    current_.before = lastChild_[depth];
    current_.caller = depth > 0 ? calls_->walker().open()[depth - 1].functionIndex : kNoName;
    current_.nth = next_.front().call.nth;
    current_.isSlow = next_.front().isSlow;
    touch(PathTree::kRoot).calls = 1;
    offCpu_.skipTo(call.timeNs);
  }
  void end(const Span &span, bool, std::string &&) {
    if (span.depth < lastChild_.size())
      lastChild_[span.depth] = span.functionIndex;
    if (!isInside_)
      return;
    touch(open_.back()).cpuNs += span.durationNs() - span.childrenNs; // minus what was off-CPU: takeOffCpu()
    open_.pop_back();
    if (span.depth > functionDepth_) {
      current_.hasException |= span.how == SpanEnd::Exception;
      return;
    }
    if (span.endSeq == next_.front().call.endSeq)
      finishCall(span);
    leave();
  }

  std::vector<SampledCall> calls;
  PathTree paths; // of this worker's numbers of functions

private:
  void leave() {
    isInside_ = false;
    next_ = next_.subspan(1);
    for (const CallPart &part : current_.parts)
      placeOf_[part.node] = 0;
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
    current_.thread = thread_;
    current_.beginSeq = span.beginSeq, current_.endSeq = span.endSeq;
    current_.beginNs = span.beginNs, current_.endNs = span.endNs;
    current_.isException = span.how == SpanEnd::Exception;
    calls.push_back(current_);
  }

  const std::vector<WantedCall> &wanted_;
  const std::vector<WantedPart> &parts_;
  const FilterOptions everything_;
  FunctionRules rules_;

  uint32_t thread_ = 0;
  bool hasSched_ = false;
  uint64_t lastNs_ = 0;
  OffCpuFollower offCpu_;
  std::optional<CallReader<SampleWorker>> calls_;
  std::span<const WantedCall> next_; // of the current part
  std::vector<uint32_t> lastChild_;  // by depth: the last call that ended there, in the same caller
  bool isInside_ = false;            // in a wanted call
  size_t functionDepth_ = 0;
  std::vector<uint32_t> open_; // nodes of the open calls, from the wanted one on
  SampledCall current_;
  std::vector<uint32_t> placeOf_; // by node: its place in current_.parts, plus 1
};

/// Gives the functions of all workers numbers by name, and joins what they collected.
class SampleJoin {
public:
  SampleJoin(CallSample &sample, const std::vector<std::string> &names) : sample_(sample) {
    sample_.names = names;
    for (const std::string &name : names)
      known_.emplace(name, static_cast<uint32_t>(known_.size()));
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
  }
  void finish() {
    std::ranges::sort(sample_.calls, {}, [](const SampledCall &call) { return std::pair(call.thread, call.beginNs); });
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

// The pieces of threads to read for the wanted calls: from the last place before each at which reading can begin.
std::vector<WantedPart> partsWith(const model::TraceSource &source, const std::vector<WantedCall> &wanted) {
  constexpr uint64_t kBefore = 256; // events before a call, for the call before it
  std::vector<WantedPart> parts;
  std::vector<uint64_t> cuts;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const TimedCall &call = wanted[i].call;
    const bool isNewThread = i == 0 || call.thread != wanted[i - 1].call.thread;
    if (isNewThread)
      cuts = source.cuts(call.thread, ~size_t(0));
    const uint64_t wish = std::max(call.beginSeq - std::min(call.beginSeq, kBefore), cuts.front());
    const uint64_t first = *(std::ranges::upper_bound(cuts, wish) - 1);
    if (isNewThread || first > parts.back().part.last)
      parts.push_back(
          {{.thread = call.thread, .number = static_cast<uint32_t>(parts.size()), .first = first, .last = 0}, i, 0});
    parts.back().part.last = std::max(parts.back().part.last, call.endSeq + 1);
    ++parts.back().count;
  }
  return parts;
}

} // namespace

std::string threadText(const TraceTable &table, uint32_t thread) {
  const model::Thread &about = table.threads[thread];
  const std::string number = "thread " + std::to_string(about.number);
  return about.name.empty() ? number : number + " (" + about.name + ")";
}

void CallSample::thin(uint64_t most, const CallId &always) {
  uint64_t seen[2] = {};
  const uint64_t steps[2] = {ordinary / most + 1, slow / most + 1};
  std::erase_if(calls, [&](const SampledCall &call) {
    return seen[call.isSlow]++ % steps[call.isSlow] != 0 && call.id() != always;
  });
  slow = static_cast<uint64_t>(std::ranges::count(calls, true, &SampledCall::isSlow));
  ordinary = calls.size() - slow;
}

Expected<CallSample> sampleCalls(model::TraceSource &source, TraceTable &table, const ReadTimes &times,
                                 const FunctionTimes &function, const CallTimes &calls, const SlowLimits &limits,
                                 Damage &damage) {
  std::vector<WantedCall> wanted;
  for (const TimedCall &call : calls.choose(limits.slowFromNs, ~uint64_t(0), limits.mostSampled))
    wanted.push_back({call, true});
  for (const TimedCall &call : calls.choose(limits.ordinaryFromNs, limits.ordinaryToNs, limits.mostSampled))
    wanted.push_back({call, false});
  std::ranges::sort(wanted, {}, [](const WantedCall &of) { return std::pair(of.call.thread, of.call.beginSeq); });
  const std::vector<WantedPart> parts = partsWith(source, wanted);
  std::vector<ThreadPart> toRead;
  for (const WantedPart &part : parts)
    toRead.push_back(part.part);

  CallSample sample;
  sample.longCalls = times.longCalls;
  sample.threads = function.threads;
  for (const FunctionTimes::OfThread &thread : function.threads)
    sample.all += thread.calls;
  SampleJoin join(sample, times.names);
  ADA_TRY(readParts<SampleWorker>(
      {source, table, {}}, toRead, [&](TraceTable &own) { return std::make_unique<SampleWorker>(own, wanted, parts); },
      [&](SampleWorker &worker) { join.add(worker); }, damage));
  join.finish();
  return sample;
}

} // namespace ada::analysis
