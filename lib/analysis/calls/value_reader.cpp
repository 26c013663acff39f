// Reads arguments and results of single calls.
#include "value_reader.h"

#include "analysis/events/early_end.h"
#include "trace/base/json.h"
#include "trace/base/try.h"

#include <utility>

namespace ada::analysis {

namespace {

// Takes the values of one event: those in its detail and, for a call, those that follow it.
class ValueSink : public TableSink {
public:
  ValueSink(TraceTable &table, ValueTexts &texts) : TableSink(table), texts_(texts) {}

  bool wantsDetails() const override { return true; }
  Expected<void> events(const model::Batch &batch) override {
    for (const model::Event &event : batch.events) {
      if (event.isEarlier)
        continue;
      if (event.kind == model::Kind::Value && hasEvent_) {
        const model::Text &text = batch.texts[event.extra];
        addValue(values.arguments, text);
        if (!values.json.empty())
          values.json.pop_back();
        values.json += values.json.size() > 1 ? "," : values.json.empty() ? "{" : "";
        appendJsonString(values.json, text.name);
        values.json += ":" + std::string(text.json) + "}";
        continue;
      }
      if (std::exchange(hasEvent_, true))
        return earlyEnd();
      values.arguments = texts_.arguments(event, batch);
      if (!values.arguments.empty())
        values.json = texts_.argumentsJson(event, batch);
      values.result = texts_.result(event, batch);
    }
    return {};
  }

  EventValues values;

private:
  ValueTexts &texts_;
  bool hasEvent_ = false;
};

} // namespace

Expected<EventValues> ValueReader::of(uint32_t thread, uint64_t seq) {
  ValueSink sink(table_, texts_);
  model::ReadRequest request;
  request.threads = {thread};
  request.fromSeq = seq;
  request.toSeq = seq + 256; // more values than a line shows
  request.isFurther = true;
  if (auto done = source_.readPart(sink, request); !done && !isEarlyEnd(done.error()))
    return done.error();
  return std::move(sink.values);
}

Expected<EventValues> ValueReader::of(uint32_t thread, const Span &call) {
  EventValues values;
  if (!call.isEarlier)
    values = ADA_TRY(of(thread, call.beginSeq));
  if (call.how == SpanEnd::Return) {
    auto end = ADA_TRY(of(thread, call.endSeq));
    values.result = std::move(end.result);
  }
  return values;
}

} // namespace ada::analysis
