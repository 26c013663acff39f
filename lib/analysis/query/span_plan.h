// Which parts of a thread have to be read for a request.
#pragma once

#include "analysis/calls/cuts.h"
#include "shared_trace.h"
#include "span_part.h"
#include "span_rows.h"

#include <memory>
#include <optional>
#include <vector>

namespace ada::query {

/// The places from which a thread can be read, and the parts that a request needs.
class ThreadPlan {
public:
  static Expected<ThreadPlan> make(SharedTrace &trace, const SpanRequest &request, const SpanFilter &filter,
                                   uint32_t thread);

  /// In order; may be empty.
  const std::vector<SpanPart> &parts() const { return parts_; }
  /// Calls that are open after the last of the parts may have to be followed to their ends. Returns the part in which
  /// the innermost of `open` ends, or a part before that; none after the thread's end. `open` are open at event `from`,
  /// where a part ended. With `skips`, parts before the one in which it ends are left out.
  Expected<std::optional<SpanPart>> tail(const std::vector<OpenSpan> &open, uint64_t from, bool skips);
  /// The number of the event that began the innermost of `open`, which are open at event `from`, the first of the
  /// parts.
  Expected<std::optional<uint64_t>> beginOf(const std::vector<OpenSpan> &open, uint64_t from);

private:
  /// A call that is open somewhere.
  struct Call {
    uint64_t functionId, beginNs;
  };
  struct Place {
    std::vector<Call> open;
    uint64_t timeNs = ~uint64_t{0}; // of the first event
  };
  ThreadPlan(SharedTrace &trace, uint32_t thread) : trace_(&trace), thread_(thread) {}
  Expected<void> choose(const SpanRequest &request, const SpanFilter &filter);
  Expected<void> read(model::TraceSink &sink, uint64_t first, uint64_t last);
  Expected<Place> look(size_t cut, bool wantsTime);
  /// The first cut in (low, high) for which is(cut) holds, or `high`; if it holds for one, it holds for all after it.
  template <class Is> Expected<size_t> findFirst(size_t low, size_t high, Is &&is);
  size_t cutOf(uint64_t seq) const;
  uint64_t at(size_t cut) const { return cut < cuts_.size() ? cuts_[cut] : ~uint64_t{0}; }
  SpanPart partOf(size_t first, size_t last) const;
  void addPart(size_t first, size_t last);
  bool areOpen(const Place &place, const std::vector<OpenSpan> &calls) const;

  SharedTrace *trace_;
  uint32_t thread_;
  uint64_t partEvents_ = 0;
  std::unique_ptr<model::TraceSource> source_; // made when needed
  std::vector<uint64_t> newIds_;               // of functions that were not announced, by the source's number
  std::vector<uint64_t> cuts_;
  std::vector<SpanPart> parts_;
};

} // namespace ada::query
