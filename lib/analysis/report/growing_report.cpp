// A report of a session that is being recorded, which reads each event once.
#include "growing_report.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::analysis {

void GrowingReport::beginLook() {
  keeps_.assign(trace_.table().threads.size(), false);
  worker_ = std::make_unique<ReportWorker>(trace_.table(), options_, keeps_);
}

Expected<void> GrowingReport::beginPart(ReportWorker &worker, uint32_t thread, bool isLast) {
  const ThreadState &state = threads_[thread];
  worker.beginPart({.thread = thread, .number = state.parts, .isLast = isLast});
  std::vector<model::Event> open;
  for (const ReportEnds::Call &call : state.open.calls)
    open.push_back({.timeNs = call.beginNs,
                    .thread = thread,
                    .function = trace_.numberOf(trace_.table().threads[thread].process, call.functionId),
                    .isEarlier = true});
  return open.empty() ? Expected<void>() : worker.events({open, {}, {}});
}

Expected<void> GrowingReport::endPart(ReportWorker &worker, uint32_t thread, OpenCalls<ReportNote> &open) {
  ADA_TRY(worker.endThread(thread));
  for (ReportEnds &ends : worker.parts) // the calls at its start are those that beginPart() opened
    open.join(ends, trace_.table(),
              [&](const Span &call, const OffCpuOfCall &off, const auto &begun, const auto &ended) {
                worker.crossed(call, off, begun, ended);
              });
  worker.parts.clear();
  return {};
}

Expected<void> GrowingReport::events(const model::Batch &batch) {
  const uint32_t thread = batch.events[0].thread;
  if (threads_.size() < trace_.table().threads.size()) {
    threads_.resize(trace_.table().threads.size());
    keeps_.resize(threads_.size());
  }
  if (!std::exchange(isInThread_, true))
    ADA_TRY(beginPart(*worker_, thread, false));
  for (const model::Event &event : batch.events)
    if (!event.isEarlier)
      threads_[thread].latestNs = std::max(threads_[thread].latestNs, event.timeNs);
  return worker_->events(batch);
}

Expected<void> GrowingReport::endThread(uint32_t thread) {
  if (!std::exchange(isInThread_, false))
    return {};
  ThreadState &state = threads_[thread];
  ++state.parts;
  return endPart(*worker_, thread, state.open);
}

// Adds the look's figures, and then, to a copy, the calls that are open now: as a last part of each thread that has
// nothing but an event that is neither call nor return, at the time of the thread's last event.
Report GrowingReport::report() {
  if (worker_) {
    addWorker(rows_, *worker_, sums_, options_.mostArgumentRows);
    worker_.reset();
  }
  MergedRows rows = rows_;
  Report report;
  report.strayExits = sums_.strayExits, report.missingExits = sums_.missingExits;
  ReportWorker last(trace_.table(), options_, keeps_);
  for (uint32_t thread = 0; thread < threads_.size(); ++thread) {
    const ThreadState &state = threads_[thread];
    if (state.open.calls.empty())
      continue;
    const model::Event now = {.timeNs = state.latestNs, .thread = thread, .kind = EventKind{}};
    OpenCalls<ReportNote> open = state.open;
    if (beginPart(last, thread, true) && last.events({{&now, 1}, {}, {}}))
      (void)endPart(last, thread, open); // a worker has no errors
  }
  addWorker(rows, last, report, options_.mostArgumentRows);
  addRows(report, trace_.table(), options_, std::move(rows));
  report.metFunctions = trace_.table().functions;
  return report;
}

uint64_t GrowingReport::openCalls() const {
  uint64_t open = 0;
  for (const ThreadState &thread : threads_)
    open += thread.open.calls.size();
  return open;
}

} // namespace ada::analysis
