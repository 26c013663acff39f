// The common part of sinks for formats that are written and never read.
#include "export_sink.h"

#include "trace/base/text.h"
#include "trace/labels.h"

#include <algorithm>
#include <optional>

namespace ada::formats {

void SystemIds::add(const model::Process &process) {
  const bool isUsable = process.pid && *process.pid > 0 && *process.pid < kMadeUp;
  uint32_t pid = isUsable ? static_cast<uint32_t>(*process.pid) : 0;
  if (!isUsable || !known_.insert(pid).second)
    pid = kMadeUp + process.index;
  pids_.push_back(pid);
}

void SystemIds::add(const model::Thread &thread) {
  const bool isUsable = thread.tid > 0 && thread.tid < kMadeUp;
  uint32_t tid = isUsable ? static_cast<uint32_t>(thread.tid) : 0;
  // Some consumers identify threads by their tid alone.
  if (!isUsable || !known_.insert(uint64_t{1} << 32 | tid).second)
    tid = kMadeUp + thread.index;
  tids_.push_back(tid);
}

// Receives the calls from CallReader.
struct ExportSink::ThreadState {
  struct LateValues {
    uint32_t depth;
    std::string list, json;
  };

  ThreadState(ExportSink &owner, uint32_t number)
      : sink(owner), index(number), isFollowed(owner.followed_.contains(number)),
        calls(*this, owner.rules_, owner.hasValues_ ? &owner.values_ : nullptr) {
    calls.follow(analysis::RecorderTimes(owner.table_.threads[number].offCpu.get()));
  }

  void begin(uint64_t callSeq, const model::Event &call, bool, std::string &&arguments) {
    const SymbolKind kind = sink.function(call.function).kind;
    const uint32_t depth = calls.walker().depth() - 1;
    const uint64_t seq = call.isEarlier ? Span::kNoSeq : callSeq;
    if (isPoint(kind)) {
      isPassed = sink.point({.thread = index,
                             .function = call.function,
                             .depth = depth,
                             .kind = kind,
                             .timeNs = call.timeNs,
                             .seq = seq,
                             .value = value,
                             .arguments = arguments,
                             .json = json});
      if (isPassed)
        return;
    }
    sink.beginCall({.thread = index,
                    .function = call.function,
                    .depth = depth,
                    .timeNs = call.timeNs,
                    .seq = seq,
                    .arguments = arguments,
                    .json = sink.hasLists_ ? std::string_view(json) : std::string_view()});
  }
  void end(const Span &span, bool, std::string &&result) {
    if (isPassed) { // the end of a point; nothing begins inside one
      isPassed = false;
      return;
    }
    std::string values, valuesJson;
    if (!late.empty() && late.back().depth == span.depth) {
      values = std::move(late.back().list);
      valuesJson = std::move(late.back().json);
      late.pop_back();
    }
    sink.endCall({.thread = index, .span = span, .result = result, .values = values, .json = valuesJson});
  }
  void heldUp(uint64_t fromNs, uint64_t toNs) {
    if (!isPassed)
      sink.heldUp(index, fromNs, toNs);
  }
  // Keeps the data recorded with a call until begin(), which may come with the next event.
  void keep(const model::Event &event, const model::Batch &batch) {
    const bool isCall = event.kind == model::Kind::Call && sink.hasValues_;
    const bool isPointCall = isCall && isPoint(sink.function(event.function).kind);
    value = isPointCall ? analysis::counterValue(event, batch, sink.values_) : std::nullopt;
    json = isCall && event.details && (isPointCall || sink.hasLists_) ? sink.values_.argumentsJson(event, batch)
                                                                      : std::string();
  }
  // Adds a value of a call that has already been handed on.
  void addLate(const model::Text &text) {
    if (calls.walker().depth() == 0)
      return sink.lose("values outside of any call");
    const uint32_t depth = calls.walker().depth() - 1;
    if (late.empty() || late.back().depth != depth)
      late.push_back({depth, {}, {}});
    analysis::addValue(late.back().list, text);
    if (sink.hasLists_)
      analysis::addValueJson(late.back().json, text);
    sink.lateValue(index, depth, text);
  }

  ExportSink &sink;
  uint32_t index;
  bool isFollowed;
  analysis::CallReader<ThreadState> calls;
  uint64_t seq = 0;
  std::optional<uint64_t> firstNs; // of the events, excluding calls that were already open
  std::vector<LateValues> late;    // the outermost call first
  std::optional<analysis::CounterValue> value;
  std::string json;      // of the pending call
  bool isPassed = false; // the innermost call was handed on as a point
};

ExportSink::ExportSink(Wants wants) : hasValues_(wants != Wants::Calls), hasLists_(wants == Wants::ValueLists) {}
ExportSink::~ExportSink() = default;

Expected<void> ExportSink::begin(const model::TraceInfo &info) {
  beginTrace(info);
  return status();
}

Expected<void> ExportSink::addProcess(const model::Process &process) {
  table_.processes.push_back(process);
  table_.processes.back().symbols = {};
  table_.processes.back().label = nameForPeople(process);
  newProcess(table_.processes.back());
  return status();
}

Expected<void> ExportSink::addThread(const model::Thread &thread) {
  table_.threads.push_back(thread);
  table_.threads.back().label = nameForPeople(thread);
  threads_.emplace_back();
  newThread(table_.threads.back());
  if (thread.offCpu)
    offCpuTimes(thread);
  if (thread.offCpu && std::ranges::count(thread.offCpu->all(), OffCpu::Why::Recorder, &OffCpu::why) == 0)
    table_.threads.back().offCpu = {};
  return status();
}

Expected<void> ExportSink::addFunction(const model::Function &function) {
  table_.functions.push_back(function);
  model::Function &added = table_.functions.back();
  for (std::string *text : {&added.name, &added.displayName, &added.file})
    if (!isUtf8(*text)) {
      lost_.addChanged({*text});
      *text = validUtf8(*text);
    }
  newFunction(added);
  return status();
}

ExportSink::ThreadState &ExportSink::stateOf(uint32_t thread) {
  std::unique_ptr<ThreadState> &state = threads_[thread];
  if (!state)
    state = std::make_unique<ThreadState>(*this, thread);
  return *state;
}

Expected<void> ExportSink::events(const model::Batch &batch) {
  for (const model::Event &event : batch.events) {
    ThreadState &state = stateOf(event.thread);
    if (!state.firstNs && !event.isEarlier)
      state.firstNs = event.timeNs;
    if (!batch.numbers.empty())
      state.seq = batch.numbers[static_cast<size_t>(&event - batch.events.data())];
    if (state.isFollowed)
      nextEvent(event, state.calls.walker().open());
    switch (event.kind) {
    case model::Kind::Mark:
      state.calls.settle();
      mark(event.thread, event.timeNs, batch.texts[event.extra]);
      break;
    case model::Kind::Value:
      if (!hasValues_)
        lost_.add("values: the format has no place for them");
      else if (!state.calls.isPending())
        state.addLate(batch.texts[event.extra]);
      else {
        state.calls.take(state.seq, event, batch);
        if (hasLists_)
          analysis::addValueJson(state.json, batch.texts[event.extra]);
      }
      break;
    case model::Kind::Call:
    case model::Kind::Return:
    case model::Kind::Exception:
    case model::Kind::Inferred:
    case model::Kind::Missing:
      state.calls.take(state.seq, event, batch);
      state.keep(event, batch);
      break;
    default:
      lost_.add("events of kinds without a name");
    }
    state.seq += !event.isEarlier;
  }
  return status();
}

uint64_t ExportSink::firstEventNs(uint32_t thread) const { return threads_[thread]->firstNs.value_or(0); }

void ExportSink::leave(ThreadState &thread) {
  thread.calls.finish();
  lost_.add("ends of calls that began before the trace", thread.calls.walker().strayExits());
  leaveThread(thread.index);
  table_.threads[thread.index].offCpu = {};
  threads_[thread.index].reset();
}

Expected<void> ExportSink::endThread(uint32_t thread) {
  if (threads_[thread])
    leave(*threads_[thread]);
  return status();
}

Expected<void> ExportSink::finish() {
  for (const auto &thread : threads_)
    if (thread)
      leave(*thread);
  if (status())
    endTrace();
  return status();
}

std::string nameOf(const model::Thread &thread) {
  return thread.label.empty() ? "thread " + std::to_string(thread.number) : validUtf8(thread.label);
}
std::string labelOf(const model::Thread &thread) {
  return nameOf(thread) + " (tid " + std::to_string(thread.tid) + ")";
}

std::string nameOf(const model::Process &process) {
  const std::string program = programOf(process);
  return validUtf8(program.empty() ? process.label : program);
}
std::string labelOf(const model::Process &process) {
  return nameOf(process) + (process.pid ? " (pid " + std::to_string(*process.pid) + ")" : "");
}

} // namespace ada::formats
