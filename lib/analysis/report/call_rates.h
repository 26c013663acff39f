// What the calls of each function cost since the last look, and in sum, while a session is being recorded.
//
//   CallRates rates;
//   for (;;) {
//     auto source = model::openTrace(path);   // again each time: the session has grown
//     rates.update(**source);
//     ... rates.rows() ...
//   }
//
// Each look reads only the events that are new. A call counts when it ends: its whole duration then, even if that is
// longer than the time since the last look.
#pragma once

#include "analysis/calls/call_reader.h"
#include "analysis/events/growing_trace.h"
#include "trace/statistics.h"

#include "ada/trace/calls.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ada::analysis {

/// Calls that have ended.
struct CallSums {
  uint64_t calls = 0;
  uint64_t totalNs = 0; ///< of recursive calls, the outermost
  uint64_t selfNs = 0;
  Distribution durations;

  uint64_t meanNs() const { return durations.count() ? sumNs / durations.count() : 0; }
  uint64_t sumNs = 0; ///< of all, for the mean
};

/// The functions of one name in all processes.
struct RateRow {
  std::string function; ///< its display name
  CallSums last, all;   ///< since the last look, and since the recording began
};

class CallRates {
public:
  /// `source` is threadwise, and of the same session each time. `wants`: which processes count; empty: all.
  Expected<void> update(model::TraceSource &source, const std::function<bool(const model::Process &)> &wants = {});

  const std::deque<RateRow> &rows() const { return rows_; }
  /// Number of events, likewise.
  uint64_t lastEvents() const { return lastEvents_; }
  uint64_t allEvents() const { return allEvents_; }
  /// Number of calls that have not ended.
  uint64_t openCalls() const;

  void end(const Span &span); ///< called by CallReader

private:
  class Reader;
  struct ThreadState {
    explicit ThreadState(CallRates &rates) : calls(rates) {}
    CallReader<CallRates, kWithRecorder> calls;
    uint64_t lastNs = 0; ///< the time of the last event
  };
  RateRow &rowOf(uint32_t function);

  TraceTable table_;
  GrowingTrace trace_{table_};
  std::deque<RateRow> rows_;
  std::map<std::string, RateRow *> rowOfName_;
  std::vector<RateRow *> rowOf_;            // by function
  std::map<uint32_t, ThreadState> threads_; // by number
  uint64_t lastEvents_ = 0, allEvents_ = 0;
};

} // namespace ada::analysis
