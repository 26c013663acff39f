// Where a thread can be read from, and what is open there.
#pragma once

#include "ada/trace/calls.h"
#include "analysis/events/trace_table.h"

#include <span>
#include <vector>

namespace ada::analysis {

/// A thread's TraceSource::cuts(), numbered from 0; number size() is the thread's end. Searches are binary: the number
/// of steps is the logarithm of the number of cuts, and each step reads the calls open at a cut, or a block.
class Cuts {
public:
  /// `table` must hold the thread.
  Cuts(model::TraceSource &source, TraceTable &table, uint32_t thread);

  size_t size() const { return cuts_.size(); }
  /// The number of the event at a cut.
  uint64_t seqOf(size_t cut) const { return at(cut); }
  /// Sends all events between two cuts to `sink`, after the calls that are open at the first one.
  Expected<void> read(model::TraceSink &sink, size_t first, size_t last) const;
  /// The same up to the thread's end, without the open calls.
  Expected<void> readOn(model::TraceSink &sink, size_t first) const;

  /// The last cut from which event `seq` can be reached.
  size_t lastUntilEvent(uint64_t seq) const;
  /// The last cut whose next event is not later than `ns`; 0 if there is none.
  Expected<size_t> lastUntil(uint64_t ns) const;
  /// The first cut whose next event is not earlier than `ns`; size() if there is none.
  Expected<size_t> firstFrom(uint64_t ns) const;
  /// `open` are the calls open at `cut`. Returns the first later cut at which the innermost of them is no longer open.
  Expected<size_t> endOf(std::span<const Span> open, size_t cut) const;
  /// Whether exactly these calls are open at a cut.
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
