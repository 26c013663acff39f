// All threads' events in one sequence by time.
#pragma once

#include "trace_table.h"

#include <functional>
#include <vector>

namespace ada::analysis {

/// An event, its number in its thread, and the batch that holds its texts and details.
using EventUse = std::function<Expected<void>(uint64_t seq, const model::Event &, const model::Batch &)>;

/// Numbers of all threads.
std::vector<uint32_t> allThreads(const TraceTable &table);

/// Repeatedly takes the thread whose next event is the earliest; on a tie, the thread that comes first. The order
/// within a thread is kept, even if its times go backwards. Memory: some ten megabytes.
Expected<void> mergeEvents(const Trace &trace, const EventUse &use);

/// Where merging begins or goes on in a thread.
struct MergePlace {
  uint64_t seq = 0;          ///< an event; if the calls open there are to come first, one of TraceSource::cuts()
  bool withOpenCalls = true; ///< what is open at the thread's very first event comes in any case
  uint64_t passed = 0;       ///< events from there on, open calls among them, to leave out
};
/// The same from somewhere else. `places` has one for each of the threads. If `use` returns an error, it becomes where
/// to go on, with the event of the error.
Expected<void> mergeEventsFrom(const Trace &trace, std::vector<MergePlace> &places, const EventUse &use);

} // namespace ada::analysis
