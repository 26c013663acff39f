// The processes of a trace: what ran in each, when, how it ended, and which process started it.
//
//   const ProcessList list = listProcesses(table);
//   for (const ProcessRun &run : list.all)
//     use(run.program(), run.durationNs(), run.parent);
//
// A trace has a directory for each program that a process executed, and for each part of a long trace (rotate). Here
// they are one process. Nothing in a manifest is trusted: a parent is taken only if it was there before its child.
#pragma once

#include "analysis/events/trace_table.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada::analysis {

constexpr uint32_t kNoProcess = ~uint32_t{0};
/// How long after a child's last recorded time its parent may be woken by its end. Between the two are the rest of the
/// recorder's files and the end of the process: 1.2 ms for a small program, more on a busy machine.
constexpr uint64_t kEndToWakeNs = 10'000'000;

/// One program that a process executed.
struct Execution {
  std::string program; ///< the last component of its path
  std::vector<std::string> arguments;
  std::array<std::string, 3> pipes; ///< which its standard input, output and error were at first; empty: no pipe
  uint64_t beginNs = 0;
  uint32_t process = 0; ///< its first part, in TraceTable::processes
  /// The main thread in each of its parts that has one, by time: in TraceTable::threads.
  std::vector<uint32_t> mainThreads;

  /// Its main thread in the first of these parts, or kNoProcess.
  uint32_t mainThread() const { return mainThreads.empty() ? kNoProcess : mainThreads[0]; }
};

/// A process, from its first recorded moment to its last one, or to its end where that is known.
struct ProcessRun {
  std::vector<Execution> executions; ///< by time, at least one
  std::optional<uint64_t> pid, parentPid;
  uint32_t parent = kNoProcess;    ///< in ProcessList::all; kNoProcess if that one was not traced
  uint64_t beginNs = 0, endNs = 0; ///< 0 if the process was killed before it recorded anything
  /// How the last part ended, as in the manifest: "code", "signal", "running", …; empty if that is not known. A process
  /// that is "running" by its manifest, but does not record, is "unfinished".
  std::string how;
  int64_t value = 0; ///< exit code or signal
  /// When it ended, if `record` saw it be killed.
  std::optional<uint64_t> endedNs;
  uint64_t events = 0, lost = 0;
  /// The sum over its threads; nothing if it is not known for each of them.
  std::optional<uint64_t> onCpuNs;

  uint64_t durationNs() const { return endNs - beginNs; }
  const Execution &last() const { return executions.back(); }
  /// What it executed then; at other times, the nearest.
  const Execution &executionAt(uint64_t ns) const;
  /// "git", or "sh → git" if it executed one after the other.
  std::string program() const;
  /// "0", "3", "signal 9", "running", "unfinished"; empty if it is not known.
  std::string exit() const;
  /// Whether it is known that it ended, and not only that it executed something else.
  bool hasEnded() const { return how == "code" || how == "signal"; }
  /// A process whose end nobody saw counts as failed, too.
  bool hasFailed() const {
    return how == "signal" || how == "unknown" || how == "unfinished" || (how == "code" && value != 0);
  }
};

struct ProcessList {
  std::vector<ProcessRun> all;     ///< by begin; at the end, those of which it is not known
  std::vector<uint32_t> runOf;     ///< in `all`, by number in TraceTable::processes
  std::optional<uint64_t> cores;   ///< of the machine
  uint64_t beginNs = 0, endNs = 0; ///< of all of them

  /// By process, in order of begin; the last element holds those whose parents are unknown.
  std::vector<std::vector<uint32_t>> children() const;
};

ProcessList listProcesses(const TraceTable &table);

/// By number in TraceTable::processes: the time until which its calls that never ended are open. It is the end of the
/// process if that is known, otherwise the end of the trace.
std::vector<uint64_t> endsOfProcesses(const TraceTable &table);

} // namespace ada::analysis
