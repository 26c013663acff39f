// Reads the durations of functions' calls.
#include "function_times.h"

#include "analysis/events/thread_calls.h"
#include "trace/base/try.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

namespace ada::analysis {

namespace {

constexpr uint64_t kPartEvents = 1 << 20;
constexpr size_t kMostLongCalls = 200'000; // per worker
constexpr uint64_t kLeastLongNs = 1000;
constexpr uint64_t kLeastPreemptedNs = 1000; // a shorter call can't have been: a switch takes longer

// A number that looks random, from a mixing function (SplitMix64).
uint64_t orderOf(uint32_t thread, uint64_t seq) {
  uint64_t mixed = seq + (uint64_t{thread} + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

// What a part of a thread adds to what the other parts know.
struct TimesPart {
  ThreadPart part;
  bool hasEvents = false;
  uint64_t openAtStart = 0, openAtEnd = 0; // prints of the open calls, which two neighbours must agree on
  struct Begun {
    uint32_t name = 0;
    uint64_t calls = 0, firstNs = 0;
  };
  std::vector<Begun> begun;
  struct Open { // begun in the part, and still open at its end
    uint32_t name = 0;
    uint64_t beginNs = 0, beginSeq = 0, nth = 0;
  };
  std::vector<Open> open;
};

class TimesWorker : public TableSink {
public:
  TimesWorker(TraceTable &table, const TimesWanted &wanted, const FilterOptions &globs, const FilterOptions &range)
      : TableSink(table), wanted_(wanted), globs_(globs, table), range_(range, table),
        wantsLong_(table.threads.size() > 1 && wanted.mostComplete > 0) {}

  void beginPart(const ThreadPart &part) {
    part_ = {};
    part_.part = part;
    const model::Thread &about = table().threads[part.thread];
    lane_ = about.offCpu.get();
    firstNs_ = about.extent ? about.extent->firstNs : 0;
  }
  [[gnu::flatten]] Expected<void> events(const model::Batch &batch) override {
    if (!calls_)
      calls_.emplace(*this, range_, nullptr);
    calls_->take(batch);
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    if (calls_) {
      part_.hasEvents = true;
      for (const Span &span : calls_->walker().open())
        part_.openAtEnd = printOf(part_.openAtEnd, span.functionIndex, span.beginNs);
      if (part_.part.isLast)
        calls_->finish();
      calls_.reset();
    }
    for (uint32_t name = 0; name < states_.size(); ++name) {
      State &state = states_[name];
      if (state.begun > 0)
        part_.begun.push_back({name, state.begun, state.firstNs});
      if (state.open > 0 && state.beginSeq != Span::kNoSeq)
        part_.open.push_back({name, state.beginNs, state.beginSeq, state.nth});
      state = {};
    }
    openFunctions_ = 0;
    parts.push_back(std::move(part_));
    return {};
  }

  // Called by ThreadCalls.
  void begin(uint64_t seq, const model::Event &call, bool, std::string &&) {
    if (call.isEarlier && part_.part.number > 0)
      part_.openAtStart = printOf(part_.openAtStart, call.function, call.timeNs);
    const uint32_t name = nameOf(call.function);
    if (name == kNone)
      return;
    State &state = states_[name];
    ++openFunctions_;
    if (state.open++ > 0)
      return;
    state.beginNs = call.timeNs;
    if (call.isEarlier && part_.part.number > 0) { // counted in the part that it began in
      state.beginSeq = Span::kNoSeq;
      return;
    }
    state.beginSeq = call.isEarlier ? Span::kNoSeq : seq;
    state.nth = state.begun++;
    if (state.nth == 0)
      state.firstNs = call.timeNs;
  }
  void end(const Span &span, bool shown, std::string &&) {
    const uint32_t name = nameOf(span.functionIndex);
    if (name == kNone) {
      if (span.durationNs() >= longFromNs_ && openFunctions_ == 0 && wantsLong_ && !isCutOff(span))
        addLong(span);
      return;
    }
    --openFunctions_;
    if (--states_[name].open > 0 || !shown || isCutOff(span))
      return;
    if (isSeen(span.how))
      add(functions[name], states_[name], span);
  }

  std::vector<FunctionTimes> functions;
  std::vector<LongCall> longCalls; // LongCall::name is a function's number
  std::vector<TimesPart> parts;

private:
  static constexpr uint32_t kNone = ~uint32_t{0}, kNew = kNone - 1;
  struct State { // of a name in the current part
    uint32_t open = 0;
    uint64_t begun = 0, firstNs = 0;             // outermost calls
    uint64_t beginNs = 0, beginSeq = 0, nth = 0; // of the outermost open one
  };

  uint64_t printOf(uint64_t before, uint32_t function, uint64_t beginNs) const {
    return orderOf(static_cast<uint32_t>(before), before ^ table().functions[function].id) ^ (beginNs + before * 31);
  }
  // It began before the trace did.
  bool isCutOff(const Span &span) const {
    return span.isEarlier && (part_.part.number == 0 || span.beginNs < firstNs_);
  }
  uint32_t nameOf(uint32_t function) {
    if (function >= names_.size())
      names_.resize(function + size_t{1}, kNew);
    return names_[function] == kNew ? findName(function) : names_[function];
  }
  [[gnu::noinline]] uint32_t findName(uint32_t function) {
    const std::string &name = table().functions[function].displayName;
    const bool isIt = wanted_.names.empty() ? (globs_.of(function) & FunctionRules::kIncluded) != 0
                                            : std::ranges::find(wanted_.names, name) != wanted_.names.end();
    if (!isIt)
      return names_[function] = kNone;
    const auto [at, isNew] = numbers_.try_emplace(name, static_cast<uint32_t>(functions.size()));
    if (isNew) {
      FunctionTimes &times = functions.emplace_back();
      times.function = name;
      times.isComplete = functions.size() <= wanted_.mostComplete;
      for (CallTimes *calls : {&times.undisturbed, &times.preempted, &times.preemptedLess})
        *calls = CallTimes(times.isComplete);
      states_.emplace_back();
    }
    return names_[function] = at->second;
  }
  void add(FunctionTimes &times, const State &state, const Span &span) {
    uint64_t ns = span.durationNs(), preemptedNs = 0;
    if (lane_ && ns >= kLeastPreemptedNs) {
      const OffCpuTimes off = lane_->timesBetween(span.beginNs, span.endNs);
      ns -= wanted_.withRecorder ? 0 : std::min(ns, off.recorderNs);
      preemptedNs = std::min(ns, off.preemptedNs);
    }
    const auto fill = [&](TimedCall call) {
      call.thread = part_.part.thread, call.part = part_.part.number, call.nth = state.nth;
      call.beginSeq = span.beginSeq, call.endSeq = span.endSeq, call.beginNs = span.beginNs;
      call.endNs = span.endNs;
      return call;
    };
    times.longestNs = std::max(times.longestNs, ns);
    times.longer += ns > wanted_.longerThanNs, times.slower += ns > wanted_.asked.ns;
    const bool isAsked = span.beginNs == wanted_.asked.beginNs && part_.part.thread == wanted_.asked.thread;
    const uint64_t order = isAsked ? 0 : orderOf(part_.part.thread, span.endSeq);
    if (preemptedNs < ns / 20 || preemptedNs == 0)
      return times.undisturbed.add(ns, order, fill);
    times.preempted.add(ns, order, fill);
    if (preemptedNs <= ns / 2)
      times.preemptedLess.add(ns - preemptedNs, order, fill);
    else
      ++times.mostlyPreempted, times.mostlyPreemptedNs += preemptedNs;
  }
  [[gnu::noinline]] void addLong(const Span &span) {
    longCalls.push_back({span.functionIndex, part_.part.thread, span.beginNs, span.endNs});
    if (longCalls.size() < kMostLongCalls)
      return;
    longFromNs_ *= 2; // only the longer half matters then
    std::erase_if(longCalls, [&](const LongCall &call) { return call.endNs - call.beginNs < longFromNs_; });
  }

  const TimesWanted &wanted_;
  FunctionRules globs_, range_;
  const bool wantsLong_;
  uint64_t longFromNs_ = kLeastLongNs;
  TimesPart part_;
  const OffCpuLane *lane_ = nullptr;
  uint64_t firstNs_ = 0; // of the thread
  std::optional<ThreadCalls<TimesWorker>> calls_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<uint32_t> names_; // by function
  std::vector<State> states_;   // by name
  uint64_t openFunctions_ = 0;  // open calls of any of them
};

// Joins what the workers found.
class TimesJoin {
public:
  void add(TimesWorker &worker) {
    std::vector<uint32_t> numbers;
    for (FunctionTimes &times : worker.functions) {
      const auto [at, isNew] = numbers_.try_emplace(times.function, static_cast<uint32_t>(functions_.size()));
      numbers.push_back(at->second);
      if (isNew) {
        functions_.push_back(std::move(times));
        continue;
      }
      FunctionTimes &into = functions_[at->second];
      into.undisturbed.merge(times.undisturbed), into.preempted.merge(times.preempted);
      into.preemptedLess.merge(times.preemptedLess);
      into.mostlyPreempted += times.mostlyPreempted, into.mostlyPreemptedNs += times.mostlyPreemptedNs;
      into.longestNs = std::max(into.longestNs, times.longestNs);
      into.longer += times.longer, into.slower += times.slower, into.isComplete &= times.isComplete;
    }
    for (TimesPart &part : worker.parts) {
      for (TimesPart::Begun &begun : part.begun)
        begun.name = numbers[begun.name];
      for (TimesPart::Open &open : part.open)
        open.name = numbers[open.name];
      parts_.push_back(std::move(part));
    }
    for (LongCall call : worker.longCalls) {
      const auto [at, isNew] = longNames_.try_emplace(worker.table().functions[call.name].displayName,
                                                      static_cast<uint32_t>(result_.names.size()));
      if (isNew)
        result_.names.push_back(at->first);
      call.name = at->second;
      result_.longCalls.push_back(call);
    }
  }
  // False if parts do not fit together, because the trace is damaged: then it has to be read in one piece.
  bool fits() {
    std::ranges::sort(parts_, {}, [](const TimesPart &part) { return std::pair(part.part.thread, part.part.number); });
    uint64_t open = 0;
    for (const TimesPart &part : parts_) {
      if (part.part.number == 0)
        open = 0;
      if (!part.hasEvents)
        continue;
      if (part.part.number > 0 && part.openAtStart != open)
        return false;
      open = part.openAtEnd;
    }
    return true;
  }
  ReadTimes finish() {
    // Numbers of calls count from the thread's first; parts only know theirs.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> before; // by name, thread and part
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, std::pair<uint32_t, TimesPart::Open>> opened; // and begin
    for (const TimesPart &part : parts_) {
      for (const TimesPart::Begun &begun : part.begun) {
        std::vector<FunctionTimes::OfThread> &threads = functions_[begun.name].threads;
        if (threads.empty() || threads.back().thread != part.part.thread)
          threads.push_back({part.part.thread, 0, begun.firstNs});
        before[{begun.name, part.part.thread, part.part.number}] = threads.back().calls;
        threads.back().calls += begun.calls;
      }
      for (const TimesPart::Open &open : part.open)
        opened[{open.name, part.part.thread, open.beginNs}] = {part.part.number, open};
    }
    const auto complete = [&](uint32_t name, TimedCall &call) {
      if (call.beginSeq == Span::kNoSeq) { // it began in another part
        const auto at = opened.find({name, call.thread, call.beginNs});
        if (at == opened.end())
          return false;
        call.part = at->second.first;
        call.beginSeq = at->second.second.beginSeq, call.nth = at->second.second.nth;
      }
      call.nth += before[{name, call.thread, call.part}];
      return true;
    };
    for (uint32_t name = 0; name < functions_.size(); ++name)
      for (CallTimes *times :
           {&functions_[name].undisturbed, &functions_[name].preempted, &functions_[name].preemptedLess})
        times->update([&](TimedCall &call) { return complete(name, call); });
    for (const auto &[function, name] : numbers_)
      if (functions_[name].undisturbed.count() + functions_[name].preempted.count() > 0)
        result_.functions.push_back(std::move(functions_[name]));
    std::ranges::sort(result_.longCalls, {}, &LongCall::beginNs);
    return std::move(result_);
  }

private:
  std::map<std::string, uint32_t> numbers_;
  std::vector<FunctionTimes> functions_; // by number
  std::vector<TimesPart> parts_;
  std::unordered_map<std::string, uint32_t> longNames_;
  ReadTimes result_;
};

} // namespace

CallTimes FunctionTimes::all() const {
  CallTimes times;
  times.merge(undisturbed), times.merge(preempted);
  return times;
}

CallTimes FunctionTimes::withoutPreemption() const {
  CallTimes times;
  times.merge(undisturbed), times.merge(preemptedLess);
  return times;
}

Expected<ReadTimes> readTimes(model::TraceSource &source, const TraceTable &table, const std::vector<uint32_t> &threads,
                              const TimesWanted &wanted, Damage &damage) {
  FilterOptions globs, range;
  globs.included = wanted.globs;
  range.fromNs = wanted.fromNs, range.toNs = wanted.toNs;
  for (const uint64_t partEvents : {kPartEvents, ~uint64_t(0)}) {
    TimesJoin join;
    Damage found;
    ADA_TRY(readParts<TimesWorker>(
        source, table, partsOf(source, table, threads, partEvents),
        [&](TraceTable &own) { return std::make_unique<TimesWorker>(own, wanted, globs, range); },
        [&](TimesWorker &worker) { join.add(worker); }, found));
    if (!join.fits() && partEvents != ~uint64_t(0))
      continue;
    damage.problems.insert(damage.problems.end(), found.problems.begin(), found.problems.end());
    damage.warnings.insert(damage.warnings.end(), found.warnings.begin(), found.warnings.end());
    return join.finish();
  }
  return ReadTimes(); // not reached
}

} // namespace ada::analysis
