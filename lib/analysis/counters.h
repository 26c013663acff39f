// What counters (ADA_COUNTER) showed.
#ifndef ADA_LIB_ANALYSIS_COUNTERS_H
#define ADA_LIB_ANALYSIS_COUNTERS_H

#include "call_filter.h"
#include "thread_workers.h"
#include "value_texts.h"

#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace ada::analysis {

/// Holds every integer of 64 bits and every double.
struct CounterValue {
  long double number = 0;
  bool isInteger = true;

  /// 5, -1, 0.5; also as JSON, but for "nan" and "inf".
  std::string text() const;
  double asDouble() const { return static_cast<double>(number); }
  bool isFinite() const;
};

/// The value that was recorded with an event of a counter, or the id of a flow; nothing if it is not there.
std::optional<CounterValue> counterValue(const model::Event &event, const model::Batch &batch, ValueTexts &values);

/// All of one name in a process.
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

  std::vector<CounterRow> rows; ///< by process and name
  std::deque<model::Function> functions;
  Damage damage;
};

/// Reads the given threads, several at a time. `table` must hold them already.
Expected<Counters> readCounters(model::TraceSource &source, const TraceTable &table,
                                const std::vector<uint32_t> &threads, const FilterOptions &filter);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_COUNTERS_H
