// What functions, threads and processes cost: a report's figures, for the tables about them.
#pragma once

#include "ada/trace/off_cpu.h"
#include "shared_trace.h"
#include "trace/statistics.h"

#include <atomic>
#include <functional>
#include <map>
#include <vector>

namespace ada::query {

struct ThreadTotals {
  uint64_t calls = 0;
  uint64_t selfNs = 0;
  OffCpuTimes off; ///< of the time in calls
  uint64_t totalNs() const { return selfNs + off.recorderNs; }
  uint64_t onCpuNs() const { return off.onCpuNs(selfNs); }
  void operator+=(const ThreadTotals &other) { calls += other.calls, selfNs += other.selfNs, off += other.off; }
};

struct TraceTotals {
  std::vector<FunctionStatistics> functions; ///< by number, of all processes
  std::vector<ThreadTotals> threads;         ///< by index
  std::vector<ThreadTotals> processes;
};

/// Uses the figures that an earlier report kept, and keeps new ones, as `adatrace report` does. Ends with an error for
/// which analysis::isEarlyEnd() holds if `stop` becomes true.
Expected<TraceTotals> totalsOf(SharedTrace &trace, const std::atomic<bool> &stop);

/// The figures of the functions that a process called, by number.
using ProcessFigures = std::map<uint32_t, FunctionStatistics>;
/// The same for each process that has calls, in their order; memory does not grow with their number. `visit` returns
/// false to end.
Expected<void> eachProcessFigures(SharedTrace &trace, const std::atomic<bool> &stop,
                                  const std::function<bool(uint32_t process, const ProcessFigures &figures)> &visit);

} // namespace ada::query
