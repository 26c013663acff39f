// Adds up the values of counters.
#include "counters.h"

#include "analysis/calls/part_reader.h"
#include "trace/base/format.h"
#include "trace/base/json.h"
#include "trace/base/try.h"

#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace ada::analysis {

std::string CounterValue::text() const {
  if (!isInteger)
    return fmt::format("{}", asDouble());
  return number < 0 ? std::to_string(static_cast<int64_t>(number)) : std::to_string(static_cast<uint64_t>(number));
}

bool CounterValue::isFinite() const { return std::isfinite(number); }

std::optional<CounterValue> counterValue(const model::Event &event, const model::Batch &batch, ValueTexts &values) {
  const auto detail = values.detailOf(event, batch);
  if (!detail || detail->isReturn || detail->types->parameters.empty())
    return std::nullopt;
  const types::Value value = detail->types->parameters[0].value(detail->registers());
  if (value.type().kind == types::Kind::Float) {
    const auto number = value.asDouble();
    return number ? std::optional(CounterValue{*number, false}) : std::nullopt;
  }
  if (value.type().kind == types::Kind::Pointer && value.isKnown()) {
    uint64_t address = 0;
    for (size_t i = value.bytes().size(); i-- > 0;)
      address = address << 8 | static_cast<uint64_t>(value.bytes()[i]);
    return CounterValue{static_cast<long double>(address), true};
  }
  if (const auto number = value.type().kind == types::Kind::Signed ? value.asSigned() : std::nullopt)
    return CounterValue{static_cast<long double>(*number), true};
  if (const auto number = value.asUnsigned())
    return CounterValue{static_cast<long double>(*number), true};
  if (const auto number = value.asSigned())
    return CounterValue{static_cast<long double>(*number), true};
  return std::nullopt;
}

namespace {

using Key = std::pair<uint32_t, std::string>; // process and name

void add(CounterRow &row, const CounterRow &other) {
  const bool isFirst = row.count == 0;
  if (isFirst || other.least.number < row.least.number)
    row.least = other.least;
  if (isFirst || other.most.number > row.most.number)
    row.most = other.most;
  if (isFirst || other.lastNs >= row.lastNs)
    row.last = other.last, row.lastNs = other.lastNs;
  row.count += other.count;
}

// What is noted of a counter's call that continues in another part: its value where it begins, and whether it counts at
// its end.
struct CounterNote {
  uint32_t process = 0;
  std::optional<CounterValue> value;
  bool isShown = false;
};

class CounterWorker : public PartReader<CounterWorker, CounterNote> {
public:
  CounterWorker(TraceTable &table, const FilterOptions &filter)
      : PartReader(table), rules_(filter, table), values_(table, ValueTexts::Of::Annotations) {}

  bool wantsDetails() const override { return true; }
  void beginPart(const ThreadPart &part) {
    startPart(part, rules_, nullptr, nullptr);
    process_ = table().threads[part.thread].process;
  }
  Expected<void> events(const model::Batch &batch) override {
    uint64_t seq = batch.firstSeq;
    for (const model::Event &event : batch.events) {
      if (event.kind == model::Kind::Call && isCounter(event.function))
        value_ = counterValue(event, batch, values_);
      follow(event);
      calls().take(seq++, event, batch);
    }
    return {};
  }
  Expected<void> endThread(uint32_t) override {
    endPart();
    value_.reset();
    keepEnds();
    return {};
  }

  // Called by PartReader.
  void ended(const Span &call, const OffCpuOfCall *, bool shown, std::string &&) {
    if (isCounter(call.functionIndex) && call.how != SpanEnd::Open)
      addRow(process_, call, std::exchange(value_, std::nullopt), shown);
  }
  void endedCrossing(const Span &call, bool shown, std::string &&, CounterNote &note) {
    note.isShown = shown && call.how != SpanEnd::Open;
  }
  void left(const Span &call, CounterNote &note) {
    if (isCounter(call.functionIndex))
      note.process = process_, note.value = value_;
  }
  void crossed(const Span &call, const OffCpuOfCall &, const CounterNote &begun, const CounterNote &ended) override {
    addRow(begun.process, call, begun.value, ended.isShown);
  }

  std::map<Key, CounterRow> rows;
  std::map<const CounterRow *, uint32_t> function;

private:
  void addRow(uint32_t process, const Span &call, const std::optional<CounterValue> &value, bool isShown) {
    if (!value || !isShown)
      return;
    CounterRow &row = rows[{process, table().functions[call.functionIndex].displayName}];
    if (row.count == 0)
      row.process = process, function[&row] = call.functionIndex;
    add(row, {.count = 1, .least = *value, .most = *value, .last = *value, .lastNs = call.beginNs});
  }
  bool isCounter(uint32_t function) const { return table().functions[function].kind == SymbolKind::Counter; }

  FunctionRules rules_;
  ValueTexts values_;
  std::optional<CounterValue> value_; // of the counter that is open
  uint32_t process_ = 0;              // of the current thread
};

} // namespace

Expected<Counters> readCounters(const Trace &trace, const FilterOptions &filter) {
  Counters counters;
  std::map<Key, CounterRow> all;
  ADA_TRY(readCalls<CounterWorker>(
      trace, kPartEvents, [&](TraceTable &own) { return std::make_unique<CounterWorker>(own, filter); },
      [&](CounterWorker &worker) {
        for (const auto &[key, row] : worker.rows) {
          CounterRow &sum = all[key];
          if (!sum.function) {
            sum.process = row.process;
            sum.function = &counters.functions.emplace_back(worker.table().functions[worker.function[&row]]);
          }
          add(sum, row);
        }
      },
      counters.damage));
  for (const auto &[key, row] : all)
    counters.rows.push_back(row);
  return counters;
}

namespace {

// JSON has no infinity and no NaN.
Value valueOf(const CounterValue &value) { return Json{value.isFinite() ? value.text() : jsonString(value.text())}; }

constexpr Column<CounterLine> kCounters[] = {
    {kPid, [](const CounterLine &line) -> Value { return line.trace->processes[line.row->process].pid; }},
    {kProcess, [](const CounterLine &line) -> Value { return line.trace->processes[line.row->process].label; }},
    {ColumnInfo{"counter", Holds::Text, "the counter's name"} | inText("counter", 0, 9) | Look::Name,
     [](const CounterLine &line) -> Value { return line.row->function->displayName; },
     [](const CounterLine &line) { return line.name; }},
    {ColumnInfo{"source", Holds::Text, "one of the places where it is set"} | kOrNull,
     [](const CounterLine &line) -> Value { return line.source; }},
    {ColumnInfo{"count", Holds::Count, "number of values"} | inText("values", 12),
     [](const CounterLine &line) -> Value { return line.row->count; }},
    {ColumnInfo{"min", Holds::Real, "a number; `\"nan\"`, `\"inf\"` and `\"-inf\"` are strings"} |
         inText("min", 15, 0, 1),
     [](const CounterLine &line) -> Value { return valueOf(line.row->least); },
     [](const CounterLine &line) { return line.row->least.text(); }},
    {ColumnInfo{"max", Holds::Real} | inText("max", 15, 0, 2),
     [](const CounterLine &line) -> Value { return valueOf(line.row->most); },
     [](const CounterLine &line) { return line.row->most.text(); }},
    {ColumnInfo{"last", Holds::Real} | inText("last", 15) | Look::Number,
     [](const CounterLine &line) -> Value { return valueOf(line.row->last); },
     [](const CounterLine &line) { return line.row->last.text(); }},
};

} // namespace

Columns<CounterLine> counterColumns() { return kCounters; }

} // namespace ada::analysis
