// A report of a session that is being recorded, which reads each event once.
//
//   GrowingReport growing(trace, options);
//   for (;;) {
//     auto source = model::openTrace(path);
//     growing.beginLook();
//     trace.look(**source, growing);
//     ... growing.report() ...
//   }
//
// The new events of a thread are a part of it, as in a report that reads long threads in parts: its figures are added
// up, and calls that are open at its end continue in the next part.
#pragma once

#include "analysis/events/growing_trace.h"
#include "report.h"
#include "report_rows.h"

#include <deque>
#include <memory>
#include <vector>

namespace ada::analysis {

class GrowingReport : public model::TraceSink {
public:
  /// `options` without `arguments`, because those are known only where a call begins. Both must outlive it.
  GrowingReport(GrowingTrace &trace, const ReportOptions &options) : trace_(trace), options_(options) {}

  /// Before each look.
  void beginLook();
  Expected<void> events(const model::Batch &batch) override;
  Expected<void> endThread(uint32_t thread) override;

  /// What makeReport() would find in the events so far, with the functions of the trace as `metFunctions`. Valid until
  /// the next look.
  Report report();
  /// Number of calls that have not ended.
  uint64_t openCalls() const;

private:
  struct ThreadState {
    OpenCalls<ReportNote> open;
    uint32_t parts = 0;
    uint64_t latestNs = 0;
  };
  /// Begins the next part of the thread in a worker, with the calls that are open.
  Expected<void> beginPart(ReportWorker &worker, uint32_t thread, bool isLast);
  /// Ends it, and adds what continues to `open`.
  Expected<void> endPart(ReportWorker &worker, uint32_t thread, OpenCalls<ReportNote> &open);

  GrowingTrace &trace_;
  const ReportOptions &options_;
  std::vector<bool> keeps_; // by thread: no summaries
  std::unique_ptr<ReportWorker> worker_;
  std::vector<ThreadState> threads_;
  bool isInThread_ = false;
  MergedRows rows_;
  Report sums_; // functions and counts
};

} // namespace ada::analysis
