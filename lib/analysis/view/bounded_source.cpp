// A part of a trace as a trace of its own.
#include "bounded_source.h"

#include "trace/base/try.h"
#include "trace/passing_sink.h"

#include <algorithm>
#include <numeric>

namespace ada::view {

namespace {

class StoppableSink : public model::PassingSink {
public:
  StoppableSink(model::TraceSink &sink, ReadBounds &bounds) : PassingSink(sink), bounds_(bounds) {}

  Expected<void> events(const model::Batch &batch) override {
    bounds_.events.fetch_add(batch.events.size(), std::memory_order_relaxed);
    if (bounds_.isOver && bounds_.isOver())
      return Error{.code = "E_STOPPED", .message = "the analysis was stopped"};
    return sink_.events(batch);
  }

private:
  ReadBounds &bounds_;
};

} // namespace

// Thread by thread, because each has bounds of its own.
Expected<void> BoundedSource::readPart(model::TraceSink &sink, const model::ReadRequest &request) {
  StoppableSink stoppable(sink, *bounds_);
  std::vector<uint32_t> threads(bounds_->seqs.size());
  std::iota(threads.begin(), threads.end(), 0);
  for (const uint32_t thread : request.threads.value_or(threads)) {
    const auto [first, last] = bounds_->seqs[thread];
    if (request.toSeq <= first)
      continue;
    model::ReadRequest part = request;
    part.threads = {thread};
    part.isFurther = true;
    if (part.fromSeq < first)
      part.fromSeq = first, part.withOpenCalls = true;
    part.toSeq = std::max(std::min(part.toSeq, last), part.fromSeq);
    ADA_TRY(source_->readPart(stoppable, part));
  }
  return {};
}

std::unique_ptr<model::TraceSource> BoundedSource::another() const {
  auto inner = source_->another();
  auto made = std::make_unique<BoundedSource>(*inner, bounds_);
  made->owned_ = std::move(inner);
  return made;
}

std::vector<uint64_t> BoundedSource::cuts(uint32_t thread, size_t pieces) const {
  const auto [first, last] = bounds_->seqs[thread];
  std::vector<uint64_t> inside = {first};
  if (pieces > 1)
    for (const uint64_t cut : source_->cuts(thread, pieces))
      if (cut > first && cut < last)
        inside.push_back(cut);
  return inside;
}

} // namespace ada::view
