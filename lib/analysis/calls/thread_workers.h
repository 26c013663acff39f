// Reads the threads of a trace, several at a time, and long ones in several parts.
//
// Each worker has its own source and adds up what its threads did under its own numbers. Afterwards the workers'
// figures are merged by what the numbers stand for. Workers share nothing while they run.
#pragma once

#include "analysis/events/trace_table.h"
#include "trace/base/try.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace ada::analysis {

/// Damage beyond what the given source's problems() list.
struct Damage {
  std::vector<Error> problems;
  std::vector<Warning> warnings;

  Damage &operator+=(const Damage &other) {
    problems.insert(problems.end(), other.problems.begin(), other.problems.end());
    warnings.insert(warnings.end(), other.warnings.begin(), other.warnings.end());
    return *this;
  }
};

/// A part of a thread that is read separately: events number `first` up to `last`.
struct ThreadPart {
  uint32_t thread = 0, number = 0; ///< its parts are numbered from 0
  uint64_t first = 0, last = ~uint64_t(0);
  bool isLast = true; ///< calls that are open at its end are open at the end of the trace
  /// Whether calls that were open before it come first, about which the parts before it know more.
  bool continues() const { return number > 0; }
};

constexpr uint64_t kPartEvents = 1 << 20; ///< what a part has, as a rule
constexpr uint64_t kWholeThread = ~uint64_t(0);

/// One part per thread, or several for threads with more than `partEvents` events.
inline std::vector<ThreadPart> partsOf(const Trace &trace, uint64_t partEvents = kWholeThread) {
  std::vector<ThreadPart> parts;
  for (const uint32_t thread : trace.threads) {
    const uint64_t pieces = trace.table.threads[thread].extent->events / partEvents;
    parts.push_back({.thread = thread});
    if (pieces < 2)
      continue;
    const std::vector<uint64_t> cuts = trace.source.cuts(thread, pieces);
    for (size_t i = 1; i < cuts.size(); ++i) {
      parts.back().last = cuts[i], parts.back().isLast = false;
      parts.push_back({.thread = thread, .number = static_cast<uint32_t>(i), .first = cuts[i]});
    }
  }
  return parts;
}

/// What to read for a part.
inline model::ReadRequest requestOf(const ThreadPart &part) {
  model::ReadRequest request;
  request.threads = {part.thread};
  request.fromSeq = part.first, request.toSeq = part.last;
  request.isFurther = request.withOpenCalls = true;
  return request;
}

/// A reader with its own source and table.
template <class Reader> struct ThreadWorker {
  std::unique_ptr<model::TraceSource> source;
  TraceTable table;
  std::unique_ptr<Reader> reader;
  Expected<void> done;
};

/// Distributes the parts to as many workers as there are processors, and returns the workers. A Reader is a TraceSink
/// that make(TraceTable &) made, with its own table. If it has beginPart(), this is called before each part.
template <class Reader>
Expected<std::vector<std::unique_ptr<ThreadWorker<Reader>>>>
runWorkers(const Trace &trace, std::vector<ThreadPart> order,
           const std::function<std::unique_ptr<Reader>(TraceTable &)> &make, Damage &damage) {
  // The largest parts first, so that no worker is left with one at the end.
  const auto size = [&](const ThreadPart &part) {
    return std::min(part.last, trace.table.threads[part.thread].extent->events) - part.first;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const ThreadPart &a, const ThreadPart &b) { return size(a) > size(b); });
  std::vector<std::unique_ptr<ThreadWorker<Reader>>> workers(
      std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), order.size()));
  for (auto &worker : workers) {
    worker = std::make_unique<ThreadWorker<Reader>>();
    worker->source = trace.source.another();
    worker->table = trace.table;
    worker->reader = make(worker->table);
  }
  std::atomic<size_t> next = 0;
  const auto work = [&](ThreadWorker<Reader> &worker) {
    for (size_t i; worker.done && (i = next.fetch_add(1)) < order.size();) {
      if constexpr (requires { worker.reader->beginPart(order[i]); })
        worker.reader->beginPart(order[i]);
      worker.done = worker.source->readPart(*worker.reader, requestOf(order[i]));
    }
  };
  std::vector<std::thread> running;
  for (size_t i = 1; i < workers.size(); ++i)
    running.emplace_back([&, i] { work(*workers[i]); });
  if (!workers.empty())
    work(*workers[0]);
  for (std::thread &thread : running)
    thread.join();
  for (const auto &worker : workers) {
    if (!worker->done)
      return worker->done.error();
    damage += {worker->source->problems(), worker->source->warnings()};
  }
  return workers;
}

/// The same, but passes the readers to `use`, one after the other.
template <class Reader>
Expected<void> readParts(const Trace &trace, std::vector<ThreadPart> parts,
                         const std::function<std::unique_ptr<Reader>(TraceTable &)> &make,
                         const std::function<void(Reader &)> &use, Damage &damage) {
  auto workers = ADA_TRY(runWorkers<Reader>(trace, std::move(parts), make, damage));
  for (auto &worker : workers) {
    use(*worker->reader);
    worker.reset();
  }
  return {};
}

} // namespace ada::analysis
