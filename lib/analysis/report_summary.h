// What the parts of finished threads had in a report, kept in a file beside them, so that they need not be read again.
//
// docs/formats/packed.md describes the bytes, and docs/design.md when they are right.
#ifndef ADA_LIB_ANALYSIS_REPORT_SUMMARY_H
#define ADA_LIB_ANALYSIS_REPORT_SUMMARY_H

#include "base/varint_bytes.h"
#include "call_filter.h"
#include "report_parts.h"

#include <map>
#include <string>
#include <vector>

namespace ada::analysis {

/// The figures of a part in a report by functions to which every call counts.
struct PartSummary {
  uint64_t earliestNs = ~uint64_t(0); ///< of its events
  uint64_t latestNs = 0;              ///< of its events, and of the begins of the calls that were open at its start
  uint64_t strayExits = 0, missingExits = 0;
  PartEnds ends; ///< a call whose row is not nothing counts for the row of its own function
  struct Row {
    uint64_t functionId = 0; ///< one of those that the row is of
    FunctionStatistics figures;
  };
  std::vector<Row> rows;              ///< of the calls that begin and end in it
  std::vector<uint64_t> metFunctions; ///< all that it has events of

  /// The number of a thread's part, and where it ends, come from the parts around it.
  void put(VarintBytes &to) const;
  static std::optional<PartSummary> get(VarintCursor &from);

  /// Leaves what counts with this filter, which has a range of time and nothing else. False if the events have to be
  /// read for that: the part has some in the range and some outside.
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

  /// Those of the threads that are still as they were. Empty if there is no file, or none that is good.
  static ReportSummaries read(const model::Prints &prints, const TraceTable &table);
  /// Replaces the file, at once. What can't be written is not kept, and nobody is told.
  void write(const model::Prints &prints) const;

  std::map<uint32_t, Thread> threads; ///< by model::Thread::number

  /// A print of all that the thread's figures depend on but for its functions; `events` is that of its events.
  static uint64_t printOf(uint64_t events, const model::Thread &thread);
};

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_REPORT_SUMMARY_H
