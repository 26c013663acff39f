// Where a thread can be read from, and what is open there.
#include "cuts.h"

#include "analysis/events/early_end.h"
#include "trace/base/try.h"

#include <algorithm>

namespace ada::analysis {

Cuts::Cuts(model::TraceSource &source, TraceTable &table, uint32_t thread)
    : source_(source), table_(table), thread_(thread), cuts_(source.cuts(thread, ~size_t(0))) {}

Expected<void> Cuts::read(model::TraceSink &sink, size_t first, size_t last) const {
  model::ReadRequest request;
  request.threads = {thread_};
  request.fromSeq = at(first), request.toSeq = at(last);
  request.isFurther = request.withOpenCalls = true;
  return source_.readPart(sink, request);
}

Expected<void> Cuts::readOn(model::TraceSink &sink, size_t first) const {
  model::ReadRequest request;
  request.threads = {thread_};
  request.fromSeq = at(first);
  request.isFurther = true;
  return source_.readPart(sink, request);
}

Expected<Cuts::Place> Cuts::look(size_t cut, bool wantsTime) const {
  struct Sink : TableSink {
    using TableSink::TableSink;
    Expected<void> events(const model::Batch &batch) override {
      for (const model::Event &event : batch.events)
        if (event.isEarlier)
          place.open.push_back(event);
        else
          place.timeNs = event.timeNs;
      return {};
    }
    Place place;
  } sink(table_);
  model::ReadRequest request;
  request.threads = {thread_};
  request.fromSeq = cuts_[cut], request.toSeq = cuts_[cut] + wantsTime;
  request.isFurther = request.withOpenCalls = true;
  ADA_TRY(source_.readPart(sink, request));
  return std::move(sink.place);
}

// The first number in (low, high) for which is(number) holds, or `high`. If it holds for a number, it holds for all
// after it.
template <class Is> static Expected<size_t> findFirst(size_t low, size_t high, Is &&is) {
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    const bool holds = ADA_TRY(is(middle));
    (holds ? high : low) = middle;
  }
  return high;
}

size_t Cuts::lastUntilEvent(uint64_t seq) const {
  const auto later = std::ranges::upper_bound(cuts_, seq); // the first cut is event 0
  return static_cast<size_t>(later - cuts_.begin()) - 1;
}

Expected<size_t> Cuts::lastUntil(uint64_t ns) const {
  auto later = findFirst(0, cuts_.size(), [&](size_t cut) -> Expected<bool> {
    auto place = look(cut, true);
    return place ? Expected<bool>(place->timeNs > ns) : place.error();
  });
  return later ? Expected<size_t>(*later - 1) : later.error();
}

Expected<size_t> Cuts::firstFrom(uint64_t ns) const {
  return findFirst(0, cuts_.size(), [&](size_t cut) -> Expected<bool> {
    auto place = look(cut, true);
    return place ? Expected<bool>(place->timeNs >= ns) : place.error();
  });
}

static bool isSame(const Span &span, const model::Event &call) {
  return span.functionIndex == call.function && span.beginNs == call.timeNs;
}

Expected<size_t> Cuts::endOf(std::span<const Span> open, size_t cut) const {
  return findFirst(cut, cuts_.size(), [&](size_t later) -> Expected<bool> {
    auto place = ADA_TRY(look(later, false));
    return place.open.size() < open.size() || !isSame(open.back(), place.open[open.size() - 1]);
  });
}

Expected<bool> Cuts::areOpen(std::span<const Span> calls, size_t cut) const {
  auto place = ADA_TRY(look(cut, false));
  if (place.open.size() != calls.size())
    return false;
  for (size_t i = 0; i < calls.size(); ++i)
    if (!isSame(calls[i], place.open[i]))
      return false;
  return true;
}

} // namespace ada::analysis
