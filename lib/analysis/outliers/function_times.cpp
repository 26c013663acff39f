// Reads the durations of functions' calls.
#include "function_times.h"

#include "analysis/calls/part_reader.h"
#include "trace/base/try.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace ada::analysis {

namespace {

constexpr size_t kMaxLongCalls = 200'000; // per worker
constexpr uint64_t kLeastLongNs = 1000;
constexpr uint64_t kLeastPreemptedNs = 1000; // a shorter call can't have been: a switch takes longer

// A number that looks random, from a mixing function (SplitMix64).
uint64_t orderOf(uint32_t thread, uint64_t seq) {
  uint64_t mixed = seq + (uint64_t{thread} + 1) * 0x9e3779b97f4a7c15;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 31);
}

// How many calls of each complete function a part of a thread begins.
struct TimesPart {
  ThreadPart part;
  struct Begun {
    uint32_t name = 0;
    uint64_t calls = 0, firstNs = 0;
  };
  std::vector<Begun> begun;
};

// The note of a call that continues in another part.
struct TimesNote {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t name = kNone;         // at its end, if it counts
  uint32_t thread = 0, part = 0; // where it began,
  uint64_t nth = 0;              // and its number among the calls there
};

class TimesWorker : public PartReader<TimesWorker, TimesNote> {
public:
  TimesWorker(TraceTable &table, const TimesWanted &wanted, const FilterOptions &globs, const FilterOptions &range)
      : PartReader(table), wanted_(wanted), globs_(globs, table), range_(range, table),
        wantsLong_(table.threads.size() > 1 && wanted.mostComplete > 0) {}

  void beginPart(const ThreadPart &part) {
    startPart(part, range_, nullptr, nullptr);
    const model::Thread &about = table().threads[part.thread];
    firstNs_ = about.extent ? about.extent->firstNs : 0;
  }
  Expected<void> endThread(uint32_t) override {
    endPart();
    TimesPart counts{.part = part(), .begun = {}};
    for (const uint32_t name : met_) {
      if (states_[name].begun > 0 && functions[name].isComplete)
        counts.begun.push_back({name, states_[name].begun, states_[name].firstNs});
      states_[name] = {};
    }
    met_.clear();
    if (!counts.begun.empty())
      begunIn.push_back(std::move(counts));
    openFunctions_ = 0;
    keepEnds();
    return {};
  }

  // Called by PartReader.
  void begun(uint64_t, const model::Event &call, bool, std::string &&) {
    const uint32_t name = nameOf(call.function);
    if (name == kNone)
      return;
    State &state = states_[name];
    if (state.begun == 0 && state.open == 0)
      met_.push_back(name);
    ++openFunctions_;
    if (state.open++ > 0 || (call.isEarlier && part().continues())) // counted in the part that it began in
      return;
    state.nth = state.begun++;
    if (state.nth == 0)
      state.firstNs = call.timeNs;
  }
  void ended(const Span &call, const OffCpuOfCall *, bool shown, std::string &&) {
    if (const uint32_t name = leave(call, shown); name != kNone)
      add(functions[name], call, {name, part().thread, part().number, states_[name].nth});
  }
  void endedCrossing(const Span &call, bool shown, std::string &&, TimesNote &note) { note.name = leave(call, shown); }
  void left(const Span &call, TimesNote &note) {
    if (const uint32_t name = nameOf(call.functionIndex); name != kNone && !(call.isEarlier && part().continues()))
      note.thread = part().thread, note.part = part().number, note.nth = states_[name].nth;
  }
  void crossed(const Span &call, const OffCpuOfCall &, const TimesNote &begun, const TimesNote &ended) override {
    if (ended.name != kNone)
      add(functions[ended.name], call, begun);
  }

  std::vector<FunctionTimes> functions;
  std::vector<LongCall> longCalls; // LongCall::name is a function's number
  std::vector<TimesPart> begunIn;

private:
  static constexpr uint32_t kNone = TimesNote::kNone, kNew = kNone - 1;
  struct State { // of a name in the current part
    uint32_t open = 0;
    uint64_t begun = 0, firstNs = 0; // outermost calls
    uint64_t nth = 0;                // of the outermost open one
  };

  // The innermost call ends. The number of its name if it counts as one of that function's.
  uint32_t leave(const Span &call, bool shown) {
    const uint32_t name = nameOf(call.functionIndex);
    if (name == kNone) {
      if (call.durationNs() >= longFromNs_ && openFunctions_ == 0 && wantsLong_ && !isCutOff(call))
        addLong(call);
      return kNone;
    }
    --openFunctions_;
    return --states_[name].open > 0 || !shown || isCutOff(call) || !isSeen(call.how) ? kNone : name;
  }
  // It began before the trace did.
  bool isCutOff(const Span &span) const { return span.isEarlier && (!part().continues() || span.beginNs < firstNs_); }
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
  // In the loop over events.
  [[gnu::always_inline]] void add(FunctionTimes &times, const Span &span, const TimesNote &begun) {
    const uint32_t thread = begun.thread;
    uint64_t ns = span.durationNs(), preemptedNs = 0;
    if (const OffCpuLane *lane = ns < kLeastPreemptedNs ? nullptr : table().threads[thread].offCpu.get()) {
      const OffCpuTimes off = lane->timesBetween(span.beginNs, span.endNs);
      ns -= wanted_.withRecorder ? 0 : std::min(ns, off.recorderNs);
      preemptedNs = std::min(ns, off.preemptedNs);
    }
    const auto fill = [&](TimedCall call) {
      call.thread = thread, call.part = begun.part, call.nth = begun.nth;
      call.beginSeq = span.beginSeq, call.endSeq = span.endSeq, call.beginNs = span.beginNs;
      call.endNs = span.endNs;
      return call;
    };
    times.longestNs = std::max(times.longestNs, ns);
    times.longer += ns > wanted_.longerThanNs, times.slower += ns > wanted_.asked.ns;
    const bool isAsked = span.beginNs == wanted_.asked.beginNs && thread == wanted_.asked.thread;
    const uint64_t order = isAsked ? 0 : orderOf(thread, span.endSeq);
    if (preemptedNs < ns / 20 || preemptedNs == 0)
      return times.undisturbed.add(ns, order, fill);
    times.preempted.add(ns, order, fill);
    if (preemptedNs <= ns / 2)
      times.preemptedLess.add(ns - preemptedNs, order, fill);
    else {
      times.mostlyPreempted.add(ns - preemptedNs, order, fill);
      times.mostlyPreemptedNs.add(ns - preemptedNs, static_cast<int64_t>(preemptedNs));
    }
  }
  [[gnu::noinline]] void addLong(const Span &span) {
    longCalls.push_back({span.functionIndex, part().thread, span.beginNs, span.endNs});
    if (longCalls.size() < kMaxLongCalls)
      return;
    longFromNs_ *= 2; // only the longer half matters then
    std::erase_if(longCalls, [&](const LongCall &call) { return call.endNs - call.beginNs < longFromNs_; });
  }

  const TimesWanted &wanted_;
  FunctionRules globs_, range_;
  const bool wantsLong_;
  uint64_t longFromNs_ = kLeastLongNs;
  uint64_t firstNs_ = 0; // of the thread
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<uint32_t> names_; // by function
  std::vector<State> states_;   // by name
  std::vector<uint32_t> met_;   // names with calls in the current part; some may be there twice
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
      into.mostlyPreempted.merge(times.mostlyPreempted), into.mostlyPreemptedNs += times.mostlyPreemptedNs;
      into.longestNs = std::max(into.longestNs, times.longestNs);
      into.longer += times.longer, into.slower += times.slower, into.isComplete &= times.isComplete;
    }
    for (TimesPart &part : worker.begunIn) {
      for (TimesPart::Begun &begun : part.begun)
        begun.name = numbers[begun.name];
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
  ReadTimes finish() {
    // Numbers of calls count from the thread's first; parts only know theirs.
    std::ranges::sort(parts_, {}, [](const TimesPart &part) { return std::pair(part.part.thread, part.part.number); });
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint64_t> before; // by name, thread and part
    for (const TimesPart &part : parts_) {
      for (const TimesPart::Begun &begun : part.begun) {
        if (!functions_[begun.name].isComplete) // for another worker it was not
          continue;
        std::vector<FunctionTimes::OfThread> &threads = functions_[begun.name].threads;
        if (threads.empty() || threads.back().thread != part.part.thread)
          threads.push_back({part.part.thread, 0, begun.firstNs});
        before[{begun.name, part.part.thread, part.part.number}] = threads.back().calls;
        threads.back().calls += begun.calls;
      }
    }
    for (uint32_t name = 0; name < functions_.size(); ++name)
      for (CallTimes *times :
           {&functions_[name].undisturbed, &functions_[name].preempted, &functions_[name].preemptedLess})
        times->update([&](TimedCall &call) { call.nth += before[{name, call.thread, call.part}]; });
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

Expected<ReadTimes> readTimes(const Trace &trace, const TimesWanted &wanted, Damage &damage) {
  FilterOptions globs, range;
  globs.included = wanted.globs;
  range.fromNs = wanted.fromNs, range.toNs = wanted.toNs;
  TimesJoin join;
  ADA_TRY(readCalls<TimesWorker>(
      trace, kPartEvents, [&](TraceTable &own) { return std::make_unique<TimesWorker>(own, wanted, globs, range); },
      [&](TimesWorker &worker) { join.add(worker); }, damage));
  return join.finish();
}

} // namespace ada::analysis
