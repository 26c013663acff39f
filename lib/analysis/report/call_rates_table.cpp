// The columns of what calls cost since the last look and in sum.
#include "call_rates_table.h"

#include "trace/names.h"

#include <algorithm>

namespace ada::analysis {

namespace {

constexpr Column<RateRow> kRates[] = {
    {ColumnInfo{"last_calls", Holds::Count, "calls that ended since the last look"} | inText("calls", 9) | kSorts,
     [](const RateRow &row) -> Value { return row.last.calls; }},
    {ColumnInfo{"last_total_ns", Holds::Duration, "between their entries and exits; outermost calls only"} |
         inText("total", 10, 0, 5) | kSorts,
     [](const RateRow &row) -> Value { return row.last.totalNs; }},
    {ColumnInfo{"last_self_ns", Holds::Duration, "the same without the calls that they made"} | inText("self", 10) |
         kSorts | Look::Number,
     [](const RateRow &row) -> Value { return row.last.selfNs; }},
    {ColumnInfo{"last_mean_ns", Holds::Duration, "mean and 99th percentile of their durations"} |
         inText("mean", 10, 0, 4) | kSorts,
     [](const RateRow &row) -> Value { return row.last.meanNs(); }},
    {ColumnInfo{"last_p99_ns", Holds::Duration} | inText("p99", 10, 0, 6) | kSorts,
     [](const RateRow &row) -> Value { return row.last.durations.percentile(99); }},
    {ColumnInfo{"calls", Holds::Count, "the same since the recording began"} | inText("all calls", 11, 0, 3) | kSorts,
     [](const RateRow &row) -> Value { return row.all.calls; }},
    {ColumnInfo{"total_ns", Holds::Duration} | inText("all total", 10, 0, 2) | kSorts,
     [](const RateRow &row) -> Value { return row.all.totalNs; }},
    {ColumnInfo{"self_ns", Holds::Duration} | inText("all self", 10, 0, 7) | kSorts,
     [](const RateRow &row) -> Value { return row.all.selfNs; }},
    {ColumnInfo{"mean_ns", Holds::Duration} | inText("all mean", 10, 0, 1) | kSorts,
     [](const RateRow &row) -> Value { return row.all.meanNs(); }},
    {ColumnInfo{"p99_ns", Holds::Duration} | inText("all p99", 10, 0, 2) | kSorts,
     [](const RateRow &row) -> Value { return row.all.durations.percentile(99); }},
    {ColumnInfo{"function", Holds::Text, "its name, short; functions of that name in all processes are one row"} |
         inText("function", 0, 1) | Look::Name,
     [](const RateRow &row) -> Value { return shortName(row.function); }},
};

} // namespace

Columns<RateRow> rateColumns() { return kRates; }

std::vector<const RateRow *> sortedRates(const CallRates &rates, std::string_view word) {
  std::vector<const RateRow *> rows;
  for (const RateRow &row : rates.rows())
    if (row.all.calls > 0)
      rows.push_back(&row);
  std::ranges::sort(rows, {}, &RateRow::function);
  const auto *column = findColumn(rateColumns(), word);
  if (!column || !column->sorts)
    return rows;
  std::ranges::stable_sort(rows, std::greater(), [](const RateRow *row) { return row->all.selfNs; });
  std::ranges::stable_sort(rows, std::greater(), [&](const RateRow *row) { return column->get(*row).number(); });
  return rows;
}

} // namespace ada::analysis
