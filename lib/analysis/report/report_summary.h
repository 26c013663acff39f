// Figures of the parts of finished threads in a report, kept in a file beside them so that they need not be read again.
//
// docs/formats/packed.md describes the bytes; docs/explanation/reading.md describes when they are valid.
#pragma once

#include "analysis/calls/call_filter.h"
#include "report_parts.h"
#include "trace/base/varint_bytes.h"

#include <map>
#include <string>
#include <vector>

namespace ada::analysis {

/// The figures of a part in a report by function in which every call counts.
struct PartSummary {
  uint64_t earliestNs = ~uint64_t(0); ///< of the part's events
  uint64_t latestNs = 0;              ///< of the part's events, and of the begins of the calls open at its start
  uint64_t strayExits = 0, missingExits = 0;
  ReportEnds ends; ///< a call with a group counts for its own function's row
  struct Row {
    uint64_t functionId = 0; ///< the id of one of the row's functions
    FunctionStatistics figures;
  };
  std::vector<Row> rows;              ///< for the calls that begin and end in the part
  std::vector<uint64_t> metFunctions; ///< all functions with events in the part

  /// Omits the part's number and where it ends: both follow from the parts around it.
  void put(VarintBytes &to) const;
  static std::optional<PartSummary> get(VarintCursor &from);

  /// Keeps what counts with this filter, which has a time range and nothing else. False if the events have to be read
  /// for that, because some are in the range and some outside.
  bool restrict(const FilterOptions &filter);
};

/// A process's file.
class ReportSummaries {
public:
  /// A thread's parts as they are in the file, from its start to its end.
  struct Thread {
    uint64_t print = 0;
    std::vector<std::vector<std::byte>> parts;
  };

  /// The summaries of threads that have not changed. Empty if there is no valid file.
  static ReportSummaries read(const model::Prints &prints, const TraceTable &table);
  /// Replaces the file in one step. Summaries that can't be written are dropped without a message.
  void write(const model::Prints &prints) const;

  std::map<uint32_t, Thread> threads; ///< by model::Thread::number

  /// A print of everything that the thread's figures depend on, except its functions; `events` is the print of its
  /// events.
  static uint64_t printOf(uint64_t events, const model::Thread &thread);
};

} // namespace ada::analysis
