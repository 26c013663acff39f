// A trace that is being recorded, read piece by piece under numbers that stay the same.
#include "growing_trace.h"
#include "trace/base/try.h"

namespace ada::analysis {

// Takes one source's announcements and events, and hands the events on with the lasting numbers.
class GrowingTrace::Reader : public model::TraceSink {
public:
  Reader(GrowingTrace &trace, model::TraceSink &sink) : trace_(trace), sink_(sink) {}

  bool wantsDetails() const override { return sink_.wantsDetails(); }
  Expected<void> addProcess(const model::Process &process) override {
    TraceTable &table = trace_.table_;
    const auto [at, isNew] = trace_.processes_.try_emplace(process.name, static_cast<uint32_t>(table.processes.size()));
    if (isNew)
      table.processes.emplace_back(), trace_.functions_.emplace_back();
    model::Process &known = table.processes[at->second];
    known = process;
    known.index = at->second, known.symbols = {};
    processes_.push_back(at->second);
    return {};
  }
  Expected<void> addThread(const model::Thread &thread) override {
    TraceTable &table = trace_.table_;
    const uint32_t process = processes_[thread.process];
    const auto [at, isNew] =
        trace_.threads_.try_emplace({process, thread.number}, static_cast<uint32_t>(table.threads.size()));
    if (isNew)
      table.threads.emplace_back(), trace_.seen_.emplace_back();
    model::Thread &known = table.threads[at->second];
    known = thread;
    known.index = at->second, known.process = process;
    threads.push_back(at->second);
    return {};
  }
  Expected<void> addFunction(const model::Function &function) override {
    TraceTable &table = trace_.table_;
    const uint32_t process = processes_[function.process];
    const auto [at, isNew] =
        trace_.functions_[process].try_emplace(function.id, static_cast<uint32_t>(table.functions.size()));
    if (isNew)
      table.functions.emplace_back();
    model::Function &known = table.functions[at->second];
    known = function;
    known.index = at->second, known.process = process;
    functions_.push_back(at->second);
    return {};
  }
  Expected<void> events(const model::Batch &batch) override {
    events_.assign(batch.events.begin(), batch.events.end());
    for (model::Event &event : events_) {
      event.thread = threads[event.thread];
      if (!isText(event.kind))
        event.function = functions_[event.function];
    }
    model::Batch renumbered = batch;
    renumbered.events = events_;
    return sink_.events(renumbered);
  }
  Expected<void> endThread(uint32_t thread) override { return sink_.endThread(threads[thread]); }

  std::vector<uint32_t> threads; // lasting numbers, by the source's

private:
  GrowingTrace &trace_;
  model::TraceSink &sink_;
  std::vector<uint32_t> processes_, functions_;
  std::vector<model::Event> events_;
};

Expected<void> GrowingTrace::look(model::TraceSource &source, model::TraceSink &sink,
                                  const std::function<bool(uint32_t)> &wants) {
  Reader reader(*this, sink);
  model::ReadRequest request;
  request.threads.emplace();
  ADA_TRY(source.readPart(reader, request)); // what is announced
  request.isFurther = true;
  for (uint32_t thread = 0; thread < reader.threads.size(); ++thread) {
    const uint32_t number = reader.threads[thread];
    const model::ThreadExtent extent = table_.threads[number].extent.value_or(model::ThreadExtent());
    Seen &seen = seen_[number];
    if (extent.events == 0 || (wants && !wants(number)))
      continue;
    request.threads = {thread};
    request.fromSeq = seen.events, request.fromNs = 0, request.toSeq = extent.events;
    const bool hasLost = seen.events > 0 && seen.firstNs != extent.firstNs;
    if (hasLost) // the numbers of its events have changed
      request.fromSeq = 0, request.fromNs = seen.lastNs + 1;
    hasLostFront_ |= hasLost;
    const bool hasNew = hasLost ? extent.lastNs > seen.lastNs : extent.events > seen.events;
    seen = {extent.events, extent.firstNs, extent.lastNs};
    if (hasNew) // reading none would check the whole file
      ADA_TRY(source.readPart(reader, request));
  }
  return {};
}

} // namespace ada::analysis
