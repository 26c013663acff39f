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
/// within a thread is kept, even if its times go backwards. Memory: a few megabytes.
Expected<void> mergeEvents(const Trace &trace, const EventUse &use);
/// The same from somewhere else: `first` has, for each of `threads`, one of its TraceSource::cuts(). The calls that are
/// open there come first.
Expected<void> mergeEventsFrom(const Trace &trace, const std::vector<uint64_t> &first, const EventUse &use);

} // namespace ada::analysis
