// Which parts of a thread have to be read for a request.
//
// Searches are binary: each step decodes the list of open calls at a cut, or the first event after it.
#include "span_plan.h"

#include "trace/base/try.h"

#include <algorithm>

namespace ada::query {

Expected<ThreadPlan> ThreadPlan::make(SharedTrace &trace, const SpanRequest &request, const SpanFilter &filter,
                                      uint32_t thread) {
  ThreadPlan plan(trace, thread);
  plan.partEvents_ = request.partEvents;
  const uint64_t events = trace.table().threads[thread].extent ? trace.table().threads[thread].extent->events : 0;
  if (events > 0)
    plan.cuts_ = trace.source().cuts(thread, ~size_t{0});
  if (plan.cuts_.size() > 1) {
    ADA_TRY(plan.choose(request, filter));
  } else {
    plan.cuts_ = {0};
    plan.addPart(0, 1);
  }
  return plan;
}

Expected<void> ThreadPlan::choose(const SpanRequest &request, const SpanFilter &filter) {
  size_t first = 0, last = cuts_.size();
  // All calls that are wanted had not ended before this time.
  const uint64_t fromNs = std::max(request.fromNs, request.minTs);
  if (fromNs > 0) {
    const size_t later = ADA_TRY(findFirst(0, cuts_.size(), [&](size_t cut) -> Expected<bool> {
      const Place place = ADA_TRY(look(cut, true));
      return place.timeNs >= fromNs;
    }));
    first = later - 1;
  }
  // Times that only show the order do not tell one call from another, so that none is looked for.
  const model::Process &process = trace_->table().processOf(trace_->table().threads[thread_]);
  if ((process.resolutionNs > 0 || process.timesAreOrder) && !filter.hasIds())
    first = 0;
  // None began after this time.
  const uint64_t toNs = std::min(request.toNs == 0 ? 0 : request.toNs - 1, request.maxTs);
  if (request.toNs != SpanRequest::kNoLimit || request.maxTs != SpanRequest::kNoLimit)
    last = ADA_TRY(findFirst(0, cuts_.size(), [&](size_t cut) -> Expected<bool> {
      const Place place = ADA_TRY(look(cut, true));
      return place.timeNs > toNs;
    }));
  if (filter.hasIds()) {
    const uint64_t none = spanId(thread_, 0) - 1;
    if (request.maxId <= none || request.minId > (none | ((uint64_t{1} << kSpanIdBits) - 1)))
      return {};
    const uint64_t most = trace_->table().threads[thread_].extent->events;
    const uint64_t low = request.minId > none ? request.minId - none - 1 : 0;
    if (low >= most) { // calls that began before the first event
      first = 0, last = 1;
    } else {
      first = std::max(first, cutOf(low));
      const uint64_t high = request.maxId - none - 1;
      if (high < most)
        last = std::min(last, cutOf(high) + 1);
    }
  }
  if (first >= last)
    first = last - 1;
  if (first > 0 && (request.columns.hasAny(kSumColumns) || request.columns.hasAny(kBeginColumns)) && !filter.hasIds()) {
    // More than the end is wanted of calls that are open there.
    const Place place = ADA_TRY(look(first, false));
    std::vector<OpenSpan> open;
    for (const Call &call : place.open) {
      model::Function about = trace_->source().functionOf(trace_->table().threads[thread_].process, call.functionId);
      about.process = trace_->table().threads[thread_].process;
      about.id = call.functionId;
      open.push_back({.functionId = call.functionId, .beginNs = call.beginNs});
      if (!filter.wantsBegin(trace_->numberOfNew(about), static_cast<uint32_t>(open.size() - 1), call.beginNs))
        continue;
      first = ADA_TRY(findFirst(0, first, [&](size_t cut) -> Expected<bool> {
        const Place before = ADA_TRY(look(cut, false));
        return areOpen(before, open);
      }));
      first -= first > 0;
      break;
    }
  }
  for (size_t begin = first; begin < last;) {
    size_t end = begin + 1;
    while (end < last && at(end) - at(begin) < partEvents_)
      ++end;
    addPart(begin, end);
    begin = end;
  }
  return {};
}

SpanPart ThreadPlan::partOf(size_t first, size_t last) const {
  return {.thread = thread_,
          .number = static_cast<uint32_t>(first),
          .first = at(first),
          .last = at(last),
          .isLast = last >= cuts_.size()};
}

void ThreadPlan::addPart(size_t first, size_t last) { parts_.push_back(partOf(first, last)); }

size_t ThreadPlan::cutOf(uint64_t seq) const {
  return static_cast<size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), seq) - cuts_.begin()) - 1;
}

template <class Is> Expected<size_t> ThreadPlan::findFirst(size_t low, size_t high, Is &&is) {
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    const bool holds = ADA_TRY(is(middle));
    (holds ? high : low) = middle;
  }
  return high;
}

Expected<void> ThreadPlan::read(model::TraceSink &sink, uint64_t first, uint64_t last) {
  if (!source_)
    source_ = trace_->another();
  return source_->readPart(sink, analysis::requestOf({.thread = thread_, .first = first, .last = last}));
}

Expected<ThreadPlan::Place> ThreadPlan::look(size_t cut, bool wantsTime) {
  struct Sink : model::TraceSink {
    Expected<void> addFunction(const model::Function &function) override {
      newIds.push_back(function.id);
      return {};
    }
    Expected<void> events(const model::Batch &batch) override {
      for (const model::Event &event : batch.events)
        if (event.isEarlier)
          open.push_back(event);
        else
          timeNs = event.timeNs;
      return {};
    }
    explicit Sink(std::vector<uint64_t> &newIds) : newIds(newIds) {}
    std::vector<uint64_t> &newIds;
    std::vector<model::Event> open;
    uint64_t timeNs = ~uint64_t{0};
  } sink(newIds_);
  ADA_TRY(read(sink, cuts_[cut], cuts_[cut] + wantsTime));
  Place place;
  place.timeNs = sink.timeNs;
  const std::vector<model::Function> &known = trace_->table().functions;
  for (const model::Event &call : sink.open)
    place.open.push_back(
        {call.function < known.size() ? known[call.function].id : newIds_[call.function - known.size()], call.timeNs});
  return place;
}

bool ThreadPlan::areOpen(const Place &place, const std::vector<OpenSpan> &calls) const {
  return place.open.size() >= calls.size() &&
         std::equal(calls.begin(), calls.end(), place.open.begin(), [](const OpenSpan &a, const Call &b) {
           return a.functionId == b.functionId && a.beginNs == b.beginNs;
         });
}

Expected<std::optional<SpanPart>> ThreadPlan::tail(const std::vector<OpenSpan> &open, uint64_t from, bool skips) {
  size_t cut = cutOf(from);
  if (from == ~uint64_t{0} || cut >= cuts_.size())
    return std::optional<SpanPart>();
  size_t next = cut + 1;
  if (skips) {
    next = ADA_TRY(findFirst(cut, cuts_.size(), [&](size_t later) -> Expected<bool> {
      const Place place = ADA_TRY(look(later, false));
      return !areOpen(place, open);
    }));
    cut = next - 1;
  } else {
    while (next < cuts_.size() && at(next) - at(cut) < partEvents_)
      ++next;
  }
  return std::optional(partOf(cut, next));
}

Expected<std::optional<uint64_t>> ThreadPlan::beginOf(const std::vector<OpenSpan> &open, uint64_t from) {
  const size_t here = cutOf(from);
  const size_t after = ADA_TRY(findFirst(0, here, [&](size_t cut) -> Expected<bool> {
    const Place place = ADA_TRY(look(cut, false));
    return areOpen(place, open);
  }));
  if (after == 0)
    return std::optional<uint64_t>();
  // It begins in the block before that cut, or before the first event.
  struct Sink : model::TraceSink {
    Expected<void> addFunction(const model::Function &function) override {
      newIds.push_back(function.id);
      return {};
    }
    Expected<void> events(const model::Batch &batch) override {
      calls.take(batch);
      return {};
    }
    explicit Sink(std::vector<uint64_t> &newIds) : newIds(newIds) {}
    std::vector<uint64_t> &newIds;
    analysis::CallReader<Sink, analysis::kCallsOnly> calls{*this};
  } sink(newIds_);
  ADA_TRY(read(sink, cuts_[after - 1], cuts_[after]));
  const std::span<const Span> calls = sink.calls.walker().open();
  if (calls.size() < open.size())
    return std::optional<uint64_t>();
  const Span &found = calls[open.size() - 1];
  if (found.beginNs != open.back().beginNs)
    return std::optional<uint64_t>();
  if (found.isEarlier)
    return after == 1 ? std::optional(Span::kNoSeq) : std::nullopt; // before the first event
  return std::optional(found.beginSeq);
}

} // namespace ada::query
