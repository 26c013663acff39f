// The rows of tables that are made of single events.
#include "event_tables.h"

#include "analysis/calls/call_reader.h"
#include "analysis/events/early_end.h"
#include "analysis/values/counters.h"
#include "arguments.h"
#include "trace/base/try.h"

#include <optional>
#include <utility>

namespace ada::query {

namespace {

using analysis::CounterValue;
using model::Kind;

// What all these tables have in common: threads are read one after the other, in whole.
class EventRows : public model::TraceSink {
public:
  EventRows(SharedTrace &trace, const ListRequest &request, const std::atomic<bool> &stop, const RowVisitor &visit)
      : trace_(trace), functions_(trace), request_(request), stop_(stop), visit_(visit) {}

  Expected<void> addFunction(const model::Function &function) override {
    functions_.add(function);
    return {};
  }
  Expected<void> events(const model::Batch &batch) override {
    if (stop_)
      return analysis::earlyEnd();
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events)
      if (!take(seq++, event, batch))
        return analysis::earlyEnd();
    return {};
  }

protected:
  /// False ends the reading.
  virtual bool take(uint64_t seq, const model::Event &event, const model::Batch &batch) = 0;

  const model::Function &function(uint32_t number) const { return trace_.function(functions_.numberOf(number)); }
  uint64_t processOf(const model::Event &event) const { return trace_.table().threads[event.thread].process; }
  bool isWanted(const model::Event &event) const {
    return event.timeNs >= request_.minTs && event.timeNs <= request_.maxTs;
  }
  bool give(const std::vector<Value> &row) { return visit_(row); }

  SharedTrace &trace_;
  SourceFunctions functions_;
  const ListRequest &request_;

private:
  const std::atomic<bool> &stop_;
  const RowVisitor &visit_;
};

Value dataOf(std::string_view json) { return json.empty() ? Value() : Value(json); }

class AllEvents : public EventRows {
public:
  using EventRows::EventRows;

private:
  bool take(uint64_t seq, const model::Event &event, const model::Batch &batch) override {
    if (event.isEarlier || !isWanted(event))
      return true;
    row_ = {uint64_t{event.thread}, processOf(event), seq, event.timeNs};
    if (isText(event.kind)) {
      const model::Text &text = batch.texts[event.extra];
      row_.insert(row_.end(), {kindName(event.kind), text.name, Value(), dataOf(text.json)});
    } else {
      const std::string kind =
          isOfCall(event.kind) ? std::string(kindName(event.kind)) : std::to_string(static_cast<uint32_t>(event.kind));
      const model::Function &about = function(event.function);
      row_.insert(row_.end(), {kind, about.displayName, uint64_t{about.index}, Value()});
    }
    return give(row_);
  }
  std::vector<Value> row_;
};

// Events with what was recorded with them, and the calls around them.
class ValueRows : public EventRows {
public:
  ValueRows(SharedTrace &trace, const ListRequest &request, const std::atomic<bool> &stop, const RowVisitor &visit)
      : EventRows(trace, request, stop, visit), own_(trace.table()), values_(own_) {
    calls_.emplace(*this);
  }
  bool wantsDetails() const override { return true; }
  Expected<void> addFunction(const model::Function &function) override {
    own_.functions.push_back(function);
    return EventRows::addFunction(function);
  }
  Expected<void> endThread(uint32_t) override {
    if (!settle())
      return analysis::earlyEnd();
    calls_.emplace(*this);
    return {};
  }

protected:
  /// An event that is no exit. `id` is that of the call that it begins, if it does.
  virtual bool see(uint64_t id, const model::Event &event, const model::Batch &batch) = 0;
  /// What see() kept is complete.
  virtual bool settle() { return true; }

  Value openCall() const { return openCall(1); }
  Value callAround() const { return openCall(2); } // of a call that is a point
  SymbolKind kindOf(const model::Event &event) const { return own_.functions[event.function].kind; }

  analysis::TraceTable own_;
  analysis::ValueTexts values_;

private:
  Value openCall(size_t nth) const { // from the innermost one
    const std::span<const Span> open = calls_->walker().open();
    if (open.size() < nth)
      return {};
    const Span &call = open[open.size() - nth];
    return call.isEarlier ? earlierSpanId(thread_, call.depth) : spanId(thread_, call.beginSeq);
  }
  bool take(uint64_t seq, const model::Event &event, const model::Batch &batch) override {
    thread_ = event.thread;
    if (event.kind != Kind::Value && !settle())
      return false;
    calls_->take(seq, event, batch);
    return event.isEarlier || isExit(event.kind) || see(spanId(event.thread, seq), event, batch);
  }
  std::optional<analysis::CallReader<ValueRows, analysis::kCallsOnly>> calls_;
  uint32_t thread_ = 0;
};

class Counters : public ValueRows {
public:
  using ValueRows::ValueRows;

private:
  bool see(uint64_t, const model::Event &event, const model::Batch &batch) override {
    if (event.kind != Kind::Call || kindOf(event) != SymbolKind::Counter || !isWanted(event))
      return true;
    const std::optional<CounterValue> value = analysis::counterValue(event, batch, values_);
    const model::Function &about = function(event.function);
    return give({uint64_t{event.thread}, processOf(event), event.timeNs, about.displayName, uint64_t{about.index},
                 value && value->isFinite() ? Value(Json{value->text()}) : Value(), callAround()});
  }
};

class Flows : public ValueRows {
public:
  using ValueRows::ValueRows;

private:
  bool see(uint64_t, const model::Event &event, const model::Batch &batch) override {
    if (event.kind != Kind::Call || !isFlow(kindOf(event)) || !isWanted(event))
      return true;
    const std::optional<CounterValue> flow = analysis::counterValue(event, batch, values_);
    const model::Function &about = function(event.function);
    return !flow || give({uint64_t{event.thread}, processOf(event), event.timeNs, about.displayName,
                          uint64_t{about.index}, kindName(about.kind).substr(std::string_view("flow_").size()),
                          static_cast<uint64_t>(flow->number), callAround()});
  }
};

class Marks : public ValueRows {
public:
  using ValueRows::ValueRows;

private:
  bool see(uint64_t, const model::Event &event, const model::Batch &batch) override {
    if (!isWanted(event))
      return true;
    if (event.kind == Kind::Mark) {
      const model::Text &text = batch.texts[event.extra];
      return give({uint64_t{event.thread}, processOf(event), event.timeNs, text.name, dataOf(text.json), openCall()});
    }
    if (event.kind != Kind::Call || kindOf(event) != SymbolKind::Instant)
      return true;
    return give({uint64_t{event.thread}, processOf(event), event.timeNs, function(event.function).displayName,
                 dataOf(event.details ? values_.argumentsJson(event, batch) : std::string()), callAround()});
  }
};

class Args : public ValueRows {
public:
  using ValueRows::ValueRows;

private:
  bool see(uint64_t id, const model::Event &event, const model::Batch &batch) override {
    if (event.kind == Kind::Value && call_)
      analysis::addValueJson(json_, batch.texts[event.extra]);
    if (event.kind != Kind::Call || !isWanted(event))
      return true;
    call_ = event;
    id_ = id;
    json_ = event.details ? values_.argumentsJson(event, batch) : std::string();
    return true;
  }
  bool settle() override {
    const std::optional<model::Event> call = std::exchange(call_, std::nullopt);
    uint64_t position = 0;
    return !call || forEachArgument(json_, [&](std::string_view name, const std::string &text, bool isNumber) {
      return give({id_, uint64_t{call->thread}, processOf(*call), call->timeNs,
                   uint64_t{function(call->function).index}, position++, name, text,
                   isNumber ? Value(Json{text}) : Value()});
    });
  }
  std::optional<model::Event> call_;
  uint64_t id_ = 0;
  std::string json_;
};

template <class Rows>
Expected<void> readRows(SharedTrace &trace, const ListRequest &request, const std::atomic<bool> &stop,
                        const RowVisitor &visit, bool isTimed) {
  Rows rows(trace, request, stop, visit);
  const std::unique_ptr<model::TraceSource> source = trace.another();
  model::ReadRequest which;
  which.threads = request.threads;
  which.isFurther = true;
  if (isTimed) { // no call has to be known that began before
    which.fromNs = request.minTs;
    which.toNs = request.maxTs == ~uint64_t{0} ? request.maxTs : request.maxTs + 1;
  }
  auto done = source->readPart(rows, which);
  trace.addDamage(*source);
  return done;
}

} // namespace

Expected<void> readEventTable(SharedTrace &trace, std::string_view table, const ListRequest &request,
                              const std::atomic<bool> &stop, const RowVisitor &visit) {
  if (table == "args")
    return readRows<Args>(trace, request, stop, visit, false);
  if (table == "counters")
    return readRows<Counters>(trace, request, stop, visit, false);
  if (table == "marks")
    return readRows<Marks>(trace, request, stop, visit, false);
  if (table == "flows")
    return readRows<Flows>(trace, request, stop, visit, false);
  return readRows<AllEvents>(trace, request, stop, visit, true);
}

} // namespace ada::query
