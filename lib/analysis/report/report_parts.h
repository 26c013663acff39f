// What a report takes from a part of a thread: the row of each call, and calls that continue beyond the part.
#pragma once

#include "analysis/calls/open_calls.h"
#include "analysis/events/module_loads.h"
#include "trace/statistics.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ada::analysis {

enum class ReportBy { Function, Thread, Module, File };

/// Identifies a row in terms that all workers share: a module's number, a function's id, or a file. A library function
/// has a separate id for each module that calls it and for each way to call it, so it is identified by its name.
struct RowKey {
  static constexpr uint32_t kNoThread = ~uint32_t(0);
  uint32_t process = 0, thread = kNoThread;
  uint64_t number = 0;
  std::string text;
  auto operator<=>(const RowKey &) const = default;
};

/// The name of the file that the process executed, or its own name if that is not known.
std::string foldedName(const model::Process &process);
/// By process: the first one with the same program.
std::vector<uint32_t> firstOfProgram(const TraceTable &table);

/// Finds the row that a function's calls count for.
class RowKeys {
public:
  /// The table must outlive it. `folds`: see ReportOptions::foldsProcesses.
  RowKeys(const TraceTable &table, ReportBy by, bool folds = false)
      : table_(table), by_(by), firsts_(folds ? firstOfProgram(table) : std::vector<uint32_t>()) {}
  /// A thread that makes calls, or RowKey::kNoThread for any of the function's own process.
  RowKey of(const model::Function &function, uint32_t thread);
  /// What besides the function decides about the row of a thread's calls.
  uint32_t placeOf(uint32_t thread) const {
    return by_ == ReportBy::Thread ? thread : rowProcess(table_.threads[thread].process);
  }

private:
  const ModuleLoads &loadsOf(uint32_t process);
  uint32_t rowProcess(uint32_t process) const { return firsts_.empty() ? process : firsts_[process]; }
  const TraceTable &table_;
  ReportBy by_;
  std::vector<uint32_t> firsts_;
  std::unordered_map<uint32_t, ModuleLoads> loads_; // by process
};

/// No group, function or list.
inline constexpr uint32_t kNoNumber = ~uint32_t(0);

/// What a report notes of the end of a call that began in another part.
struct ReportNote {
  uint32_t group = kNoNumber; ///< the reader's number of the row that it counts for
  bool isOutermost = false;   ///< of the calls of that row
};
using ReportEnds = PartEnds<ReportNote>;

} // namespace ada::analysis
