// Passes on a part of a trace.
//
// A call that begins before the time range belongs to it if it continues inside. Open calls are therefore held back
// until an event of their thread is in the range; calls that have ended by then are dropped. Only whole calls are
// passed on.
#include "part_sink.h"

#include "analysis/events/kept_events.h"
#include "call_reader.h"

#include "shared/select/function_glob.h"
#include "trace/base/try.h"

#include <algorithm>
#include <utility>

namespace ada::analysis {

using model::Event;
using model::Kind;

ThreadChoice::ThreadChoice(const std::vector<std::string> &texts, const std::vector<model::Thread> &all) {
  for (const std::string &text : texts)
    choices_.push_back({text, std::ranges::any_of(all, [&](const model::Thread &thread) {
                          return std::to_string(thread.number) == text;
                        })});
}

bool ThreadChoice::wants(const model::Thread &thread) const {
  return choices_.empty() || std::ranges::any_of(choices_, [&](const Choice &choice) {
           const std::string &text = choice.text;
           if (choice.isNumber)
             return std::to_string(thread.number) == text;
           return std::to_string(thread.tid) == text || select::matches(text, thread.name) ||
                  select::matches(text, thread.label);
         });
}

struct PartSink::ThreadState {
  struct Frame {
    bool shown;
    size_t kept; ///< events held back before this call
  };

  ThreadState(FunctionRules &rules, bool started) : calls(*this, rules), started(started) {}

  CallReader<ThreadState, kFiltered> calls;
  bool wanted = false, started;
  uint32_t index = 0; ///< the thread's index in the sink
  std::vector<Frame> frames;
  KeptEvents kept;
};

PartSink::PartSink(const PartOptions &options, model::TraceSink &sink)
    : TableSink(table_), options_(options), sink_(sink), filter_(options.calls), rules_(filter_, table_) {}
PartSink::~PartSink() = default;

bool PartSink::needsRange() const {
  const auto isRelative = [](const std::optional<TimeBound> &bound) { return bound && !bound->isAbsolute; };
  return sink_.needsRange() || isRelative(options_.from) || isRelative(options_.to);
}

Expected<void> PartSink::begin(const model::TraceInfo &info) {
  const uint64_t start = info.range ? info.range->first : 0;
  if (options_.from)
    filter_.fromNs = options_.from->onClock(start);
  if (options_.to)
    filter_.toNs = options_.to->onClock(start);
  return sink_.begin(info);
}

Expected<void> PartSink::addProcess(const model::Process &process) {
  (void)TableSink::addProcess(process);
  return sink_.addProcess(process);
}

Expected<void> PartSink::addThread(const model::Thread &thread) {
  (void)TableSink::addThread(thread);
  threads_.push_back(std::make_unique<ThreadState>(rules_, filter_.fromNs == 0));
  if (decided_) {
    decided_ = false;
    return decideAll();
  }
  return {};
}

// The part of a lane in a time range.
static std::shared_ptr<const OffCpuLane> partOf(const std::shared_ptr<const OffCpuLane> &lane, uint64_t fromNs,
                                                uint64_t toNs) {
  if (!lane || (fromNs <= lane->knownFromNs() && toNs >= lane->knownToNs()))
    return lane;
  fromNs = std::max(fromNs, lane->knownFromNs());
  toNs = std::min(toNs, lane->knownToNs());
  if (fromNs >= toNs)
    return nullptr;
  std::vector<OffCpu> periods;
  for (OffCpu off : lane->between(fromNs, toNs)) {
    off.fromNs = std::max(off.fromNs, fromNs);
    off.toNs = std::min(off.toNs, toNs);
    periods.push_back(off);
  }
  std::vector<OnCpu> runs;
  for (OnCpu run : lane->runs()) {
    run.fromNs = std::max(run.fromNs, fromNs);
    run.toNs = std::min(run.toNs, toNs);
    if (run.fromNs < run.toNs)
      runs.push_back(run);
  }
  std::optional<std::vector<PageFaults>> faults;
  if (lane->knowsFaults()) {
    faults.emplace(lane->faults().begin(), lane->faults().end());
    std::erase_if(*faults, [&](const PageFaults &of) { return of.lastNs < fromNs || of.lastNs >= toNs; });
  }
  return std::make_shared<OffCpuLane>(std::move(periods), fromNs, toNs, lane->isSchedKnown(), std::move(runs),
                                      std::move(faults));
}

// Called at the first event: the traces that we write have named all threads by then.
Expected<void> PartSink::decideAll() {
  if (std::exchange(decided_, true))
    return {};
  const ThreadChoice choice(options_.threads, table_.threads);
  for (; decidedThreads_ < threads_.size(); ++decidedThreads_) {
    ThreadState &state = *threads_[decidedThreads_];
    model::Thread thread = table_.threads[decidedThreads_];
    state.wanted = choice.wants(thread);
    if (!state.wanted)
      continue;
    thread.index = state.index = chosenThreads_++;
    thread.offCpu = partOf(thread.offCpu, filter_.fromNs, filter_.toNs);
    if (thread.extent) {
      thread.extent->firstNs = std::max(thread.extent->firstNs, filter_.fromNs);
      thread.extent->lastNs = std::min(thread.extent->lastNs, filter_.toNs);
    }
    ADA_TRY(sink_.addThread(thread));
  }
  return {};
}

Expected<void> PartSink::addFunction(const model::Function &function) {
  renumbered_.push_back(~uint32_t(0));
  return TableSink::addFunction(function);
}

// Replaces the function's number in the event by the sink's.
Expected<void> PartSink::renumber(Event &event) {
  if (isText(event.kind))
    return {};
  uint32_t &number = renumbered_[event.function];
  if (number == ~uint32_t(0)) {
    model::Function function = table_.functions[event.function];
    function.index = number = chosenFunctions_++;
    ADA_TRY(sink_.addFunction(function));
  }
  event.function = number;
  return {};
}

bool PartSink::enter(ThreadState &thread, const Event &event) {
  thread.calls.take(0, event, {});
  const bool shown = thread.calls.filter().isShown();
  thread.frames.push_back({shown, thread.kept.size()});
  return shown;
}

// True if the end is to be shown, because its call was.
bool PartSink::leave(ThreadState &thread, const Event &event) {
  const auto step = thread.calls.take(0, event, {});
  if (step.stray) // its call began before the trace
    return thread.started && thread.calls.filter().showsStray(event.function, event.timeNs);
  ThreadState::Frame frame = {};
  for (size_t i = 0; i < step.finished.size(); ++i) {
    frame = thread.frames.back();
    thread.frames.pop_back();
  }
  if (!thread.started)
    thread.kept.cut(frame.kept); // ended before the range
  return frame.shown && thread.started;
}

Expected<void> PartSink::emit(const model::Batch &batch) {
  if (chosen_.empty())
    return {};
  auto done = sink_.events({chosen_, batch.texts, batch.details, 0, batch.keptFromNs, batch.unknownCalls, numbers_});
  chosen_.clear();
  numbers_.clear();
  return done;
}

// The range begins. The open calls belong to it.
Expected<void> PartSink::release(ThreadState &thread, const model::Batch &batch) {
  thread.started = true;
  ADA_TRY(emit(batch));
  return thread.kept.release(thread.kept.size(), sink_, [this](Event &event) { return renumber(event); });
}

Expected<void> PartSink::take(ThreadState &thread, const model::Batch &batch, size_t index) {
  const Event &in = batch.events[index];
  Event event = in;
  event.thread = thread.index;
  if (!thread.started && in.timeNs >= filter_.fromNs)
    ADA_TRY(release(thread, batch));
  const bool isBefore = !thread.started;
  const bool isPast = in.timeNs >= filter_.toNs && filter_.toNs != ~uint64_t(0);
  bool isShown = false;
  switch (in.kind) {
  case Kind::Call:
    isShown = enter(thread, in);
    break;
  case Kind::Return:
  case Kind::Exception:
  case Kind::Inferred:
  case Kind::Missing:
    isShown = leave(thread, in);
    break;
  case Kind::Value:
    isShown = thread.frames.empty() ? !isBefore && !isPast : thread.frames.back().shown;
    break;
  default:
    isShown = !isBefore && !isPast;
    break;
  }
  if (!isShown)
    return {};
  if (!isBefore) {
    auto done = renumber(event);
    chosen_.push_back(event);
    if (!batch.numbers.empty())
      numbers_.push_back(batch.numbers[index]);
    return done;
  }
  thread.kept.keep(event, batch, index);
  return {};
}

Expected<void> PartSink::events(const model::Batch &batch) {
  ADA_TRY(decideAll());
  for (size_t i = 0; i < batch.events.size(); ++i) {
    ThreadState &thread = *threads_[batch.events[i].thread];
    if (thread.wanted)
      ADA_TRY(take(thread, batch, i));
  }
  return emit(batch);
}

Expected<void> PartSink::endThread(uint32_t index) {
  ADA_TRY(decideAll());
  ThreadState &thread = *threads_[index];
  if (!thread.wanted)
    return {};
  if (!thread.started) // calls that never ended
    ADA_TRY(release(thread, {}));
  return sink_.endThread(thread.index);
}

Expected<void> PartSink::finish() {
  ADA_TRY(decideAll());
  for (const auto &thread : threads_)
    if (thread->wanted && !thread->started)
      ADA_TRY(release(*thread, {}));
  if (sink_.wantsUnused())
    ADA_TRY(announceUnused());
  return sink_.finish();
}

// Functions without a chosen event, as far as they themselves are chosen.
Expected<void> PartSink::announceUnused() {
  for (uint32_t number = 0; number < renumbered_.size(); ++number) {
    const uint8_t rule = rules_.of(number);
    const bool isChosen = (filter_.functions.empty() || rule & FunctionRules::kRoot) &&
                          (filter_.included.empty() || rule & FunctionRules::kIncluded) &&
                          !(rule & (FunctionRules::kExcluded | FunctionRules::kPruned));
    if (renumbered_[number] != ~uint32_t(0) || !isChosen)
      continue;
    model::Function function = table_.functions[number];
    function.index = renumbered_[number] = chosenFunctions_++;
    ADA_TRY(sink_.addFunction(function));
  }
  return {};
}

bool PartSink::anyThread() const { return threads_.empty() || options_.threads.empty() || chosenThreads_ > 0; }

} // namespace ada::analysis
