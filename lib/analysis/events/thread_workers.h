// Reads the threads of a trace, several at a time, and long ones in several parts.
//
// Each worker has its own source and adds up what its threads did under its own numbers. Afterwards the workers'
// figures are merged by what the numbers stand for. Workers share nothing while they run.
#pragma once

#include "trace_table.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace ada::analysis {

/// Damage beyond what the given source's problems() list.
struct Damage {
  std::vector<Error> problems;
  std::vector<Warning> warnings;
};

/// A part of a thread that is read separately: events number `first` up to `last`.
struct ThreadPart {
  uint32_t thread = 0, number = 0; ///< its parts are numbered from 0
  uint64_t first = 0, last = ~uint64_t(0);
  bool isLast = true;
};

/// One part per thread, or several for threads with more than `partEvents` events. `table` must hold the threads
/// already.
inline std::vector<ThreadPart> partsOf(const model::TraceSource &source, const TraceTable &table,
                                       const std::vector<uint32_t> &threads, uint64_t partEvents = ~uint64_t(0)) {
  std::vector<ThreadPart> parts;
  for (const uint32_t thread : threads) {
    const uint64_t pieces = table.threads[thread].extent->events / partEvents;
    parts.push_back({.thread = thread});
    if (pieces < 2)
      continue;
    const std::vector<uint64_t> cuts = source.cuts(thread, pieces);
    for (size_t i = 1; i < cuts.size(); ++i) {
      parts.back().last = cuts[i], parts.back().isLast = false;
      parts.push_back({.thread = thread, .number = static_cast<uint32_t>(i), .first = cuts[i]});
    }
  }
  return parts;
}

/// Distributes the parts to as many workers as there are processors, then passes the workers to `use`, one after the
/// other. A Worker is a TraceSink that make(TraceTable &) made, with its own table. If it has beginPart(), this is
/// called before each part.
template <class Worker>
Expected<void> readParts(model::TraceSource &source, const TraceTable &table, std::vector<ThreadPart> order,
                         const std::function<std::unique_ptr<Worker>(TraceTable &)> &make,
                         const std::function<void(Worker &)> &use, Damage &damage) {
  // The largest parts first, so that no worker is left with one at the end.
  const auto size = [&](const ThreadPart &part) {
    return std::min(part.last, table.threads[part.thread].extent->events) - part.first;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const ThreadPart &a, const ThreadPart &b) { return size(a) > size(b); });
  struct Reader {
    std::unique_ptr<model::TraceSource> source;
    TraceTable table;
    std::unique_ptr<Worker> worker;
    Expected<void> done;
  };
  std::vector<Reader> readers(std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), order.size()));
  for (Reader &reader : readers) {
    reader.source = source.another();
    reader.table = table;
    reader.worker = make(reader.table);
  }
  std::atomic<size_t> next = 0;
  const auto work = [&](Reader &reader) {
    for (size_t i; reader.done && (i = next.fetch_add(1)) < order.size();) {
      model::ReadRequest request;
      request.threads = {order[i].thread};
      request.fromSeq = order[i].first, request.toSeq = order[i].last;
      request.isFurther = request.withOpenCalls = true;
      if constexpr (requires { reader.worker->beginPart(order[i]); })
        reader.worker->beginPart(order[i]);
      reader.done = reader.source->readPart(*reader.worker, request);
    }
  };
  std::vector<std::thread> running;
  for (size_t i = 1; i < readers.size(); ++i)
    running.emplace_back([&, i] { work(readers[i]); });
  if (!readers.empty())
    work(readers[0]);
  for (std::thread &thread : running)
    thread.join();

  for (Reader &reader : readers) {
    if (!reader.done)
      return reader.done.error();
    for (const Error &problem : reader.source->problems())
      damage.problems.push_back(problem);
    for (const Warning &warning : reader.source->warnings())
      damage.warnings.push_back(warning);
    use(*reader.worker);
    reader.worker.reset();
    reader.table = {};
    reader.source.reset();
  }
  return {};
}

} // namespace ada::analysis
