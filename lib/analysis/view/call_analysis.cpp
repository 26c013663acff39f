// Analyses of single calls for the viewer.
#include "call_analysis.h"

#include "bounded_source.h"
#include "trace/base/try.h"

#include <algorithm>
#include <memory>

namespace ada::view {

namespace {

struct Part {
  std::shared_ptr<ReadBounds> bounds = std::make_shared<ReadBounds>();
  AnalysedPart about;
  uint64_t events = 0;
};

Expected<Part> partBetween(TraceView &view, uint64_t fromNs, uint64_t toNs) {
  Part part;
  part.about.fromNs = fromNs, part.about.toNs = toNs;
  for (uint32_t thread = 0; thread < view.table().threads.size(); ++thread) {
    const auto seqs = ADA_TRY(view.seqsAround(thread, fromNs, toNs));
    const uint64_t all = view.table().threads[thread].extent->events;
    part.about.isWhole &= seqs.first == 0 && seqs.second >= all;
    part.events += seqs.second - std::min(seqs.first, seqs.second);
    part.bounds->seqs.push_back(seqs);
  }
  return part;
}

void watch(Part &part, const AnalysisLimits &limits) {
  part.bounds->isOver = [bounds = std::weak_ptr(part.bounds), limits, all = part.events] {
    constexpr double kPasses = 2; // an analysis reads the part about so often
    const auto read = bounds.lock();
    if (read && limits.tell && all > 0)
      limits.tell(std::min(1.0, static_cast<double>(read->events) / (kPasses * static_cast<double>(all))));
    return limits.isOver && limits.isOver();
  };
}

// Nothing before it is missing.
bool beginsWhole(const Part &part) {
  return std::ranges::all_of(part.bounds->seqs, [](const auto &seqs) { return seqs.first == 0; });
}

// The call itself and nothing around it.
Expected<Part> partOf(TraceView &view, uint64_t beginNs, uint64_t endNs, const AnalysisLimits &limits) {
  Part part = ADA_TRY(partBetween(view, beginNs, endNs));
  part.about.isTooLong = part.events > limits.mostEvents;
  part.about.isWhole = beginsWhole(part);
  watch(part, limits);
  return part;
}

// The largest part around the call (or up to its end) that has no more events than the limit.
Expected<Part> partAround(TraceView &view, uint64_t beginNs, uint64_t endNs, const AnalysisLimits &limits,
                          bool withLater) {
  const uint64_t start = view.startNs(), end = view.endNs();
  Part part = ADA_TRY(partBetween(view, beginNs, endNs));
  part.about.isTooLong = part.events > limits.mostEvents;
  if (!part.about.isTooLong)
    for (uint64_t beyond = std::max<uint64_t>(endNs - beginNs, 100'000);; beyond *= 2) {
      const uint64_t from = beginNs - std::min(beyond, beginNs - std::min(start, beginNs));
      const uint64_t to = withLater ? endNs + std::min(beyond, std::max(end, endNs) - endNs) : endNs;
      Part wider = ADA_TRY(partBetween(view, from, to));
      if (wider.events > limits.mostEvents)
        break;
      part = std::move(wider);
      if (part.about.isWhole || (from <= start && (!withLater || to >= end)))
        break;
    }
  // Only what comes before the call is missing if later events don't matter.
  if (!withLater)
    part.about.isWhole = beginsWhole(part);
  watch(part, limits);
  return part;
}

} // namespace

Expected<AnalysedPart> explainCall(TraceView &view, const CallDetails &call, const AnalysisLimits &limits,
                                   const WhyUse &use) {
  const uint64_t endNs = call.endNs.value_or(std::max(view.endNs(), call.beginNs));
  // What happened before matters only to a call that waited: another thread may have taken a lock then.
  const bool hasWaited = !call.knowsSched || call.offCpu->waitingNs > 0 || call.offCpu->unknownNs > 0;
  Part part = ADA_TRY(hasWaited ? partAround(view, call.beginNs, endNs, limits, /*withLater=*/false)
                                : partOf(view, call.beginNs, endNs, limits));
  if (part.about.isTooLong)
    return part.about;
  const TraceView::Lease reader = view.lease();
  BoundedSource source(*reader->source, part.bounds);
  Span span;
  span.beginNs = call.beginNs, span.endNs = endNs, span.beginSeq = call.seq, span.depth = call.depth;
  span.how = call.endNs ? call.how : SpanEnd::Open;
  const auto why = ADA_TRY(analysis::explainCall(source, reader->table, call.thread, span));
  use(why, *reader);
  return part.about;
}

Expected<AnalysedPart> compareCall(TraceView &view, const CallDetails &call, const AnalysisLimits &limits,
                                   const OutliersUse &use) {
  const uint64_t endNs = call.endNs.value_or(std::max(view.endNs(), call.beginNs));
  Part part = ADA_TRY(partAround(view, call.beginNs, endNs, limits, /*withLater=*/true));
  if (part.about.isTooLong)
    return part.about;
  const TraceView::Lease reader = view.lease();
  BoundedSource source(*reader->source, part.bounds);
  analysis::Damage damage;
  std::vector<uint32_t> threads(view.table().threads.size());
  for (uint32_t i = 0; i < threads.size(); ++i)
    threads[i] = i;
  uint64_t tookNs = endNs - call.beginNs;
  if (call.offCpu)
    tookNs -= std::min(tookNs, call.offCpu->recorderNs);
  const uint64_t justShorterNs = tookNs - std::min<uint64_t>(tookNs, 1);
  const analysis::TimesWanted wanted{.globs = {},
                                     .names = {view.functions().at(call.function).displayName},
                                     .longerThanNs = justShorterNs,
                                     .asked = {call.thread, call.beginNs, tookNs}};
  const auto times = ADA_TRY(analysis::readTimes({source, reader->table, threads}, wanted, damage));
  analysis::FunctionTimes none;
  none.function = wanted.names.front();
  const analysis::FunctionTimes &function = times.functions.empty() ? none : times.functions.front();
  analysis::SlowestOf slowest;
  if (const analysis::SlowLimits limits = analysis::limitsOf(function.all(), slowest, function.longer);
      limits.slow == 0 || tookNs < limits.slowFromNs) {
    slowest.kind = analysis::SlowestOf::Kind::Longer, slowest.isGiven = true;
    slowest.longerThanNs = justShorterNs;
  }
  const auto outliers =
      ADA_TRY(analysis::findOutliers(source, reader->table, times, function, slowest, damage, {call.thread, call.seq}));
  use(outliers, function, *reader);
  return part.about;
}

} // namespace ada::view
