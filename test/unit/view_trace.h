// A random trace in memory, and the true answers about it, for tests of lib/analysis/view.
#pragma once

#include "analysis/view/index_builder.h"
#include "analysis/view/trace_view.h"
#include "analysis/view/viewer_index.h"

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

namespace ada::view {

/// A call as the generator made it.
struct TrueCall {
  Item item;
  uint64_t endSeq = kNoSeq, parent = kNoSeq;
  uint64_t calls = 0, childrenNs = 0;
  SpanEnd how = SpanEnd::Open;
};

struct TrueThread {
  std::vector<model::Event> events;
  std::vector<TrueCall> calls; ///< in the order of their begin
};

struct TraceShape {
  unsigned threads = 1;
  size_t events = 20'000;
  uint32_t depths = 12, functions = 6;
  uint64_t mostStepNs = 3000; ///< steps between events are of all magnitudes up to this
};

inline TrueThread randomThread(std::mt19937_64 &random, const TraceShape &shape, uint32_t number) {
  TrueThread thread;
  std::vector<size_t> open;
  uint64_t now = 1'000'000 + number * 500;
  const auto below = [&](uint64_t limit) { return random() % limit; };
  // Phases of many events in little time, and the reverse.
  uint64_t most = shape.mostStepNs;
  const auto close = [&](SpanEnd how, uint64_t seq) {
    TrueCall &call = thread.calls[open.back()];
    open.pop_back();
    call.item.endNs = now, call.item.fillNs = now - call.item.beginNs;
    call.item.kind = itemKindOf(how);
    call.endSeq = seq, call.how = how;
    if (!open.empty())
      thread.calls[open.back()].childrenNs += call.item.fillNs;
  };
  while (thread.events.size() < shape.events) {
    const uint64_t seq = thread.events.size();
    if (below(2000) == 0)
      most = 1 + below(shape.mostStepNs);
    now += 1 + below(1 + below(below(20) == 0 ? most * 20 : most));
    model::Event event{.timeNs = now, .thread = number};
    const uint64_t what = below(100);
    if (what == 0) {
      event.kind = EventKind{77};
    } else if (open.empty() || (open.size() < shape.depths && what < 50)) {
      event.kind = model::Kind::Call;
      event.function = static_cast<uint32_t>(below(shape.functions));
      TrueCall call;
      call.item = {.beginNs = now,
                   .endNs = now,
                   .seq = seq,
                   .depth = static_cast<uint32_t>(open.size()),
                   .function = event.function,
                   .kind = ItemKind::Open};
      if (!open.empty()) {
        call.parent = thread.calls[open.back()].item.seq;
        ++thread.calls[open.back()].calls;
      }
      open.push_back(thread.calls.size());
      thread.calls.push_back(call);
    } else {
      // Sometimes the exit of an outer call: inner exits are missing.
      size_t left = what >= 97 && open.size() > 1 ? 2 : 1;
      if (left == 2 && thread.calls[open[open.size() - 2]].item.function == thread.calls[open.back()].item.function)
        left = 1;
      if (left == 2)
        close(SpanEnd::Missing, seq);
      const auto [kind, how] = what == 60   ? std::pair(model::Kind::Exception, SpanEnd::Exception)
                               : what == 61 ? std::pair(model::Kind::Inferred, SpanEnd::Inferred)
                               : what == 62 ? std::pair(model::Kind::Missing, SpanEnd::Missing)
                                            : std::pair(model::Kind::Return, SpanEnd::Return);
      event.kind = kind;
      event.function = thread.calls[open.back()].item.function;
      close(how, seq);
    }
    thread.events.push_back(event);
  }
  for (size_t depth = 0; depth < open.size(); ++depth) {
    Item &item = thread.calls[open[depth]].item;
    item.endNs = now, item.fillNs = now - item.beginNs;
    if (depth > 0)
      thread.calls[open[depth - 1]].childrenNs += item.fillNs;
  }
  return thread;
}

/// Delivers a random trace. With `cutEvents`, reading can start after every `cutEvents` events.
class RandomSource : public model::TraceSource {
public:
  RandomSource(std::shared_ptr<const std::vector<TrueThread>> threads, TraceShape shape, uint64_t cutEvents)
      : threads_(std::move(threads)), shape_(shape), cutEvents_(cutEvents) {}

  Expected<void> read(model::TraceSink &sink) override { return readPart(sink, {}); }
  bool isThreadwise() const override { return true; }
  std::unique_ptr<model::TraceSource> another() const override {
    return std::make_unique<RandomSource>(threads_, shape_, cutEvents_);
  }
  std::vector<uint64_t> cuts(uint32_t thread, size_t) const override {
    std::vector<uint64_t> cuts = {0};
    while (cutEvents_ && cuts.back() + cutEvents_ < (*threads_)[thread].events.size())
      cuts.push_back(cuts.back() + cutEvents_);
    return cuts;
  }
  Expected<void> readPart(model::TraceSink &sink, const model::ReadRequest &request) override {
    if (!request.isFurther)
      if (auto done = announce(sink); !done)
        return done;
    for (uint32_t i = 0; i < threads_->size(); ++i)
      if (request.wantsThread(i))
        if (auto done = readThread(sink, request, i); !done)
          return done;
    return sink.finish();
  }
  const std::vector<Error> &problems() const override { return problems_; }
  const std::vector<Warning> &warnings() const override { return warnings_; }

private:
  Expected<void> announce(model::TraceSink &sink) {
    (void)sink.addProcess({.name = "pid_1"});
    for (uint32_t i = 0; i < threads_->size(); ++i) {
      const auto &events = (*threads_)[i].events;
      model::Thread thread{.index = i, .number = i};
      thread.extent = model::ThreadExtent{.events = events.size()};
      if (!events.empty())
        thread.extent->firstNs = events.front().timeNs, thread.extent->lastNs = events.back().timeNs;
      (void)sink.addThread(thread);
    }
    for (uint32_t i = 0; i < shape_.functions; ++i) {
      model::Function function;
      function.index = i, function.id = i + 1, function.displayName = "f" + std::to_string(i) + "()";
      (void)sink.addFunction(function);
    }
    return {};
  }
  Expected<void> readThread(model::TraceSink &sink, const model::ReadRequest &request, uint32_t number) {
    const TrueThread &thread = (*threads_)[number];
    if (request.withOpenCalls && request.fromSeq > 0) {
      std::vector<model::Event> open;
      for (const TrueCall &call : thread.calls)
        if (call.item.seq < request.fromSeq && call.endSeq >= request.fromSeq)
          open.push_back(
              {.timeNs = call.item.beginNs, .thread = number, .function = call.item.function, .isEarlier = true});
      if (!open.empty())
        if (auto done = sink.events({.events = open, .texts = {}, .details = {}}); !done)
          return done;
    }
    const uint64_t last = std::min<uint64_t>(request.toSeq, thread.events.size());
    for (uint64_t at = request.fromSeq; at < last; at += 512) {
      const std::span part(thread.events.data() + at, std::min<uint64_t>(512, last - at));
      if (auto done = sink.events({.events = part, .texts = {}, .details = {}, .firstSeq = at}); !done)
        return done;
    }
    return sink.endThread(number);
  }

  std::shared_ptr<const std::vector<TrueThread>> threads_;
  TraceShape shape_;
  uint64_t cutEvents_;
  std::vector<Error> problems_;
  std::vector<Warning> warnings_;
};

/// A random trace, opened.
struct RandomTrace {
  explicit RandomTrace(uint64_t seed, TraceShape shape = {}, uint64_t cutEvents = 0) {
    std::mt19937_64 random(seed);
    auto made = std::make_shared<std::vector<TrueThread>>();
    for (uint32_t i = 0; i < shape.threads; ++i)
      made->push_back(randomThread(random, shape, i));
    threads = made;
    view = *TraceView::open(std::make_unique<RandomSource>(threads, shape, cutEvents), functions);
    // Gives each function the number that it has in the trace.
    for (uint32_t i = 0; i < shape.functions; ++i) {
      model::Function function;
      function.id = i + 1, function.displayName = "f" + std::to_string(i) + "()";
      functions.numberOf(function);
    }
  }
  /// Makes an index and uses it.
  std::shared_ptr<const ViewerIndex> index() {
    auto output = IndexOutput::temporary();
    if (!output || !buildIndex(*view, *output, {.madeOf = 1, .workers = 2}))
      return nullptr;
    auto file = ViewerIndex::open(output->take(), 1, view->table(), functions);
    if (!file)
      return nullptr;
    view->setIndex(*file);
    return *file;
  }

  FunctionList functions;
  std::shared_ptr<const std::vector<TrueThread>> threads;
  std::shared_ptr<TraceView> view;
};

} // namespace ada::view
