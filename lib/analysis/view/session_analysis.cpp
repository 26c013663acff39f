// The findings of a trace, for the viewer.
#include "session_analysis.h"

#include "analysis/findings/findings.h"
#include "bounded_source.h"
#include "trace/base/try.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace ada::view {

Expected<analysis::Findings> findInSession(TraceView &view, const std::string &name, const AnalysisLimits &limits) {
  const auto bounds = std::make_shared<ReadBounds>();
  bounds->seqs.assign(view.table().threads.size(), {0, ~uint64_t{0}});
  const uint64_t all = std::max<uint64_t>(view.events(), 1);
  // The bounds own this function, so it must not own them.
  bounds->isOver = [read = &bounds->events, limits, all] {
    constexpr double kPasses = 5; // fewer if nothing waited, or if no calls differ
    if (limits.tell)
      limits.tell(std::min(1.0, static_cast<double>(*read) / (kPasses * static_cast<double>(all))));
    return limits.isOver && limits.isOver();
  };
  const TraceView::Lease reader = view.lease();
  BoundedSource source(*reader->source, bounds);
  std::vector<uint32_t> threads(view.table().threads.size());
  std::iota(threads.begin(), threads.end(), 0);
  analysis::Damage damage; // the viewer shows what it has found itself
  return analysis::findAll({source, reader->table, threads}, name, damage);
}

} // namespace ada::view
