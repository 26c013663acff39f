// The values of counters (ADA_COUNTER).
#pragma once

#include "analysis/calls/call_filter.h"
#include "analysis/calls/thread_workers.h"
#include "analysis/calls/value_texts.h"
#include "analysis/events/trace_columns.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace ada::analysis {

/// Holds any 64-bit integer and any double.
struct CounterValue {
  long double number = 0;
  bool isInteger = true;

  /// 5, -1, 0.5; valid in JSON, too, except for "nan" and "inf".
  std::string text() const;
  double asDouble() const { return static_cast<double>(number); }
  bool isFinite() const;
};

/// The value recorded with an event of a counter, or the id of a flow; nothing if there is none.
std::optional<CounterValue> counterValue(const model::Event &event, const model::Batch &batch, ValueTexts &values);

/// All events of one counter name in a process.
struct CounterRow {
  uint32_t process = 0;
  const model::Function *function = nullptr; ///< one of its places, in Counters::functions
  uint64_t count = 0;
  CounterValue least, most, last;
  uint64_t lastNs = 0;
};

struct Counters {
  Counters() = default;
  Counters(Counters &&) = default; // no copies: rows point to functions
  Counters &operator=(Counters &&) = default;

  std::vector<CounterRow> rows; ///< sorted by process and name
  std::deque<model::Function> functions;
  Damage damage;
};

/// Reads the threads, several at a time.
Expected<Counters> readCounters(const Trace &trace, const FilterOptions &filter);

struct CounterLine {
  const CounterRow *row;
  const TraceTable *trace;
  std::string name, source; ///< `name` is for text
};

Columns<CounterLine> counterColumns();

} // namespace ada::analysis
