// The rows of the tables `functions`, `threads` and `processes`, for SQL and for the exported database.
#pragma once

#include "ada/trace/model.h"
#include "trace/base/table.h"
#include "trace_totals.h"

#include <cstdint>
#include <vector>

namespace ada::query {

/// Whether anything is known about when the threads of a process ran.
struct Knowledge {
  bool sched = false, recorder = false;
  void add(const model::Thread &thread) {
    sched |= thread.knowsSched();
    recorder |= thread.offCpu != nullptr;
  }
  void operator|=(const Knowledge &other) { sched |= other.sched, recorder |= other.recorder; }
};

/// The values are in the order of the table's columns. `number`: what the row's `id` is. `isShared`: several processes
/// have the function.
std::vector<Value> functionRow(uint32_t number, const model::Function &function, bool isShared,
                               const FunctionStatistics &figures, const Knowledge &known);
std::vector<Value> processFunctionRow(uint32_t number, uint32_t process, const FunctionStatistics &figures,
                                      const Knowledge &known);
std::vector<Value> threadRow(uint32_t number, const model::Thread &thread, const model::ThreadExtent &extent,
                             const ThreadTotals &totals, const Knowledge &known);
std::vector<Value> processRow(const model::Process &process, uint64_t threads, const ThreadTotals &totals,
                              const Knowledge &known);

} // namespace ada::query
