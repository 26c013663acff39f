// Keeps what a trace has announced: its processes, threads and functions.
#pragma once

#include "ada/trace/model.h"

#include <vector>

namespace ada::analysis {

/// Lists have at most this many lines about processes, because nobody reads thousands.
inline constexpr size_t kMaxListed = 20;
/// Whether summaries fold processes by program, instead of listing each.
constexpr bool areMany(size_t processes) { return processes >= kMaxListed; }

/// Each list is indexed by the number that events and the other lists use.
struct TraceTable {
  std::vector<model::Process> processes; ///< without `symbols` and `binariesFolder`
  std::vector<model::Thread> threads;
  std::vector<model::Function> functions;

  const model::Process &processOf(const model::Thread &thread) const { return processes[thread.process]; }
  bool hasManyProcesses() const { return areMany(processes.size()); }
};

/// The threads of a trace that are to be read: where their events come from, and what was announced so far. `table`
/// holds all threads already; the source announces functions to it while it is read.
struct Trace {
  model::TraceSource &source;
  TraceTable &table;
  const std::vector<uint32_t> &threads;
};

/// A sink that keeps what is announced. Several sinks of one source may share a table.
class TableSink : public model::TraceSink {
public:
  explicit TableSink(TraceTable &table) : table_(table) {}

  Expected<void> addProcess(const model::Process &process) override;
  Expected<void> addThread(const model::Thread &thread) override;
  Expected<void> addFunction(const model::Function &function) override;
  /// Ignores all events.
  Expected<void> events(const model::Batch &) override { return {}; }

  const TraceTable &table() const { return table_; }

private:
  TraceTable &table_;
};

/// "thread 3 (tid 4711, worker)", with "server " before it if that is wanted.
std::string threadLabel(const TraceTable &table, uint32_t thread, bool withProcess);

/// The modules of a process by number, as its description names them: "/usr/lib/libm.so", or "module 3".
std::string moduleName(const model::Process &process, uint32_t module);

} // namespace ada::analysis
