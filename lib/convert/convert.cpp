// Connects a source with a sink, and finds the range of times where the sink needs it and the source doesn't know it.
#include "ada/trace/convert.h"

#include "base/try.h"
#include "model/passing_sink.h"

#include <algorithm>

namespace ada::model {

TraceSink::~TraceSink() = default;
TraceSource::~TraceSource() = default;

Function TraceSource::functionOf(uint32_t process, uint64_t id) const {
  Function function;
  function.process = process, function.id = id;
  return function;
}

Expected<void> TraceSource::readPart(TraceSink &, const ReadRequest &) {
  return Error{.code = "E_INTERNAL", .message = "this source can only be read as a whole"};
}

bool ReadRequest::wantsThread(uint32_t thread) const {
  return !threads || std::ranges::find(*threads, thread) != threads->end();
}

namespace {

class RangeFinder : public TraceSink {
public:
  Expected<void> events(const Batch &batch) override {
    for (const Event &event : batch.events) {
      low_ = std::min(low_, event.timeNs);
      high_ = std::max(high_, event.timeNs);
    }
    return {};
  }
  std::optional<std::pair<uint64_t, uint64_t>> range() const {
    if (low_ > high_)
      return std::nullopt;
    return std::pair(low_, high_);
  }

private:
  uint64_t low_ = ~uint64_t{0}, high_ = 0;
};

// Passes the range to begin().
class RangeTeller : public PassingSink {
public:
  using Range = std::optional<std::pair<uint64_t, uint64_t>>;
  RangeTeller(TraceSink &sink, Range range) : PassingSink(sink), range_(range) {}

  Expected<void> begin(const TraceInfo &info) override {
    TraceInfo told = info;
    told.range = range_;
    return sink_.begin(told);
  }
  bool needsRange() const override { return false; }

private:
  Range range_;
};

} // namespace

Expected<void> convert(TraceSource &source, TraceSink &sink) {
  if (!sink.needsRange() || source.knowsRange())
    return source.read(sink);
  ADA_TRY(source.makeRepeatable());
  RangeFinder finder;
  ADA_TRY(source.read(finder));
  RangeTeller teller(sink, finder.range());
  return source.read(teller);
}

} // namespace ada::model
