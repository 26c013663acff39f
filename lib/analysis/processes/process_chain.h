// Why a process, or a whole session, took as long as it did.
//
// There are two answers: the chain of the processes that were waited for last, and how many threads were on-CPU at
// once.
//
// The chain is found from its end. A process that was off-CPU when one of its children ended, and went on soon after
// that, had waited for it: then the time before belongs to the child, back to where that began, and so on. A process
// that waited, and went on while or soon after one at the other end of its pipe was on-CPU, had waited for that
// (process_pipes.h). Both are inferred from times, not seen. Without scheduling records nothing is inferred. Processes
// whose parents were not traced are ordered by time only: before one of them comes the one that ended last before it
// began.
#pragma once

#include "process_list.h"

namespace ada::analysis {

/// How the step of a chain is known.
enum class ChainLink : uint8_t {
  Asked,    ///< it is the process that was asked about
  Inferred, ///< its parent went on when it ended
  Pipe,     ///< one at the other end of its pipe went on while or after it ran
  Started,  ///< it started a process of the chain
  Order,    ///< its parent was not traced; the next one began after it had ended
  Nothing,  ///< no step of a process: between two that follow by Order
};
std::string_view chainLinkName(ChainLink link);

/// A part of the time in which the chain was in one process, and not in its children.
struct ChainStep {
  uint32_t run = kNoProcess; ///< in ProcessList::all; kNoProcess: in none that was traced
  ChainLink link = ChainLink::Asked;
  uint64_t fromNs = 0, toNs = 0;
  bool mayWait = false; ///< for a child, or for a process at the other end of a pipe
};

/// The chain of a process, or with kNoProcess of the session, by time. Its steps add up to all the time.
std::vector<ChainStep> chainOf(const ProcessList &list, const TraceTable &table, uint32_t run);

/// Several steps with alike command lines as one.
struct ChainRow {
  ChainLink link = ChainLink::Asked;
  std::vector<uint32_t> runs; ///< by time, each once
  std::string command;        ///< empty for ChainLink::Nothing
  uint64_t ns = 0;
  std::optional<OffCpuTimes> off; ///< of the main threads; nothing if it is not known for each of them
  /// Parts of `ns` in processes without scheduling records that may have waited for others.
  uint64_t unknownNs = 0;
};
/// The longest first.
std::vector<ChainRow> foldChain(const ProcessList &list, const TraceTable &table, const std::vector<ChainStep> &steps);

/// How many threads of traced processes were on-CPU at once.
struct CpuUse {
  std::vector<uint64_t> atOnceNs; ///< by their number
  std::vector<uint64_t> aloneNs;  ///< by process: one of its threads was on-CPU, and no other thread
  uint64_t untold = 0;            ///< processes of which it is not known when they were on-CPU
};
CpuUse cpuUse(const ProcessList &list, const TraceTable &table, uint64_t fromNs, uint64_t toNs);

} // namespace ada::analysis
