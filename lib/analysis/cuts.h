// Where a thread can be read from, and what is open there.
#ifndef ADA_LIB_ANALYSIS_CUTS_H
#define ADA_LIB_ANALYSIS_CUTS_H

#include "ada/trace/calls.h"
#include "trace_table.h"

#include <span>
#include <vector>

namespace ada::analysis {

/// A thread's TraceSource::cuts(), numbered from 0; number size() is the thread's end. What is looked for is found by
/// halves: that takes the logarithm of their number, each time the list of calls that are open at a cut, or a block.
class Cuts {
public:
  /// `table` must hold the thread.
  Cuts(model::TraceSource &source, TraceTable &table, uint32_t thread);

  size_t size() const { return cuts_.size(); }
  /// All events between two cuts, to `sink`. The calls that are open at the first one come before them.
  Expected<void> read(model::TraceSink &sink, size_t first, size_t last) const;
  /// The same without the calls that are open.
  Expected<void> readOn(model::TraceSink &sink, size_t first) const;

  /// The last cut at which an event comes that is not later than `ns`; 0 if there is none.
  Expected<size_t> lastUntil(uint64_t ns) const;
  /// The first cut at which an event comes that is not earlier than `ns`; size() if there is none.
  Expected<size_t> firstFrom(uint64_t ns) const;
  /// The first cut behind `cut`, where these are open, at which the innermost of them is not open any more.
  Expected<size_t> endOf(std::span<const Span> open, size_t cut) const;
  /// Whether it is these calls that are open at a cut.
  Expected<bool> areOpen(std::span<const Span> calls, size_t cut) const;

private:
  struct Place {
    std::vector<model::Event> open;
    uint64_t timeNs = ~uint64_t(0); // of the first event
  };
  Expected<Place> look(size_t cut, bool wantsTime) const;
  uint64_t at(size_t cut) const { return cut < cuts_.size() ? cuts_[cut] : ~uint64_t(0); }

  model::TraceSource &source_;
  TraceTable &table_;
  uint32_t thread_;
  std::vector<uint64_t> cuts_;
};

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_CUTS_H
