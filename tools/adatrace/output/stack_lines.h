// Prints how threads ended: their open calls, and the last calls before.
#pragma once

#include "function_names.h"
#include "input/trace_input.h"
#include "options/table_options.h"
#include "terminal/terminal.h"

#include "analysis/events/thread_ends.h"
#include "analysis/waits/wait_table.h"

#include <optional>
#include <string>
#include <vector>

namespace ada::cli {

/// The threads of a trace as they are now, or as they were at its end.
class StackTable {
public:
  /// Reads the chosen threads of `input`, and up to `recent` finished calls of each. Values are read only for the calls
  /// passed to readValues(). If reading fails, ends the command.
  static StackTable read(TraceInput &input, const analysis::FilterOptions &filter, size_t recent);

  /// Reads arguments and results of these calls; of long lists only `most` at each end, because each takes a look-up in
  /// the trace. If reading fails, ends the command.
  void readValues(uint32_t thread, std::vector<analysis::EndCall> &calls, size_t most = 200);

  std::vector<analysis::ThreadEnd> &threads() { return ends_.threads; }
  const std::vector<model::Function> &functions() const { return ends_.functions; }
  const analysis::Damage &damage() const { return ends_.damage; }
  TraceInput &input() const { return *input_; }
  /// The time up to which an open call of this thread is open: now if its process is alive, otherwise the end of the
  /// trace.
  uint64_t endNs(uint32_t thread) const { return processEnds_[input_->table().threads[thread].process]; }
  bool isAlive(uint32_t thread) const { return areAlive_[input_->table().threads[thread].process]; }
  uint64_t lastEventNs(uint32_t thread) const;

private:
  explicit StackTable(TraceInput &input) : input_(&input) {}

  TraceInput *input_;
  analysis::ThreadEnds ends_;
  std::vector<uint64_t> processEnds_; // by process
  std::vector<bool> areAlive_;
};

struct StackLineOptions {
  NameOptions names = {};
  TableOptions table = {};
  size_t mostFrames = 100; ///< per thread; the innermost and the outermost frames are shown
};

/// Prints a heading with the thread, its open calls with the innermost first, and its last finished calls, if any.
void printStack(Output &out, const Palette &palette, const StackTable &table, const analysis::ThreadEnd &end,
                const StackLineOptions &options);
/// Prints the stack in one line: "thread 3 (tid 4711, worker): wait < loop < main".
void printStackLine(Output &out, const Palette &palette, const StackTable &table, const analysis::ThreadEnd &end,
                    const StackLineOptions &options);
/// One row per thread.
void printStackRows(Output &out, const Palette &palette, const StackTable &table,
                    const std::vector<analysis::ThreadEnd> &ends, const std::vector<analysis::DeadlockCycle> &deadlocks,
                    const StackLineOptions &options);
ColumnList stackTable();
ColumnList frameTable();

/// A call with its thread.
struct LastCall {
  uint32_t thread = 0;
  const analysis::EndCall *call = nullptr;
};
void printLastCalls(Output &out, const Palette &palette, const StackTable &table, const std::vector<LastCall> &calls,
                    const StackLineOptions &options);
ColumnList lastCallTable();

/// Prints on standard error what the threads of a killed process were doing. The thread that recorded last is shown
/// with its open calls and its last finished calls, each other thread in one line. `directory` is the process's pid_N.
void explainDeath(const std::string &directory, When color);

} // namespace ada::cli
