// Connects a source with a sink, and finds the range of times where the sink needs it and the source doesn't know it.
#include "ada/trace/convert.h"

#include "analysis/query/function_numbers.h"
#include "trace/base/try.h"
#include "trace/passing_sink.h"

#include <algorithm>
#include <vector>

namespace ada::model {

TraceSink::~TraceSink() = default;
TextOnDemand::Source::~Source() = default;

TextOnDemand::TextOnDemand(std::string text) {
  struct Kept : Source {
    explicit Kept(std::string text) : kept(std::move(text)) {}
    std::string text(uint64_t) const override { return kept; }
    const std::string kept;
  };
  if (!text.empty())
    source_ = std::make_shared<const Kept>(std::move(text));
}

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

// Passes the numbers of events, threads and functions.
class NumberTeller : public PassingSink {
public:
  using PassingSink::PassingSink;
  /// Functions are numbered in the order in which the source announces all of them, not in that of their first calls.
  Expected<void> announceAll(TraceSource &source) {
    struct Announced : analysis::TableSink {
      explicit Announced(NumberTeller &teller) : TableSink(teller.table_), teller(teller) {}
      bool wantsUnused() const override { return true; }
      Expected<void> addFunction(const Function &function) override {
        teller.functions_.add(function);
        return {};
      }
      NumberTeller &teller;
    } sink(*this);
    ReadRequest nothing;
    nothing.threads.emplace();
    return source.readPart(sink, nothing);
  }

  Expected<void> addProcess(const Process &process) override {
    if (process.index >= table_.processes.size())
      table_.processes.push_back(process);
    return sink_.addProcess(process);
  }
  Expected<void> addThread(const Thread &thread) override {
    threads_.push_back({.hasNumbers = thread.extent.has_value()});
    Thread told = thread;
    told.indexInTrace = thread.index;
    return sink_.addThread(told);
  }
  Expected<void> addFunction(const Function &function) override {
    Function told = function;
    told.numberInTrace = functions_.add(function);
    return sink_.addFunction(told);
  }
  Expected<void> events(const Batch &batch) override {
    numbers_.clear();
    for (const Event &event : batch.events) {
      State &thread = threads_[event.thread];
      if (thread.hasNumbers) // some events may be lost before this batch
        thread.next = std::max(thread.next, batch.firstSeq);
      numbers_.push_back(thread.next);
      thread.next += !event.isEarlier;
    }
    Batch told = batch;
    told.numbers = numbers_;
    return sink_.events(told);
  }

private:
  struct State {
    bool hasNumbers = false; // from a threadwise source
    uint64_t next = 0;
  };
  analysis::TraceTable table_;
  query::FunctionNumbers functions_{table_};
  std::vector<State> threads_;
  std::vector<uint64_t> numbers_; // of the batch's events
};

Expected<void> read(TraceSource &source, TraceSink &sink) {
  if (!sink.wantsNumbers())
    return source.read(sink);
  NumberTeller teller(sink);
  if (source.isThreadwise())
    ADA_TRY(teller.announceAll(source));
  return source.read(teller);
}

} // namespace

Expected<void> convert(TraceSource &source, TraceSink &sink) {
  if (!sink.needsRange() || source.knowsRange())
    return read(source, sink);
  ADA_TRY(source.makeRepeatable());
  RangeFinder finder;
  ADA_TRY(source.read(finder));
  RangeTeller teller(sink, finder.range());
  return read(source, teller);
}

} // namespace ada::model
