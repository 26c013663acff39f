// The tables of a trace.
#include "tables.h"

#include <algorithm>
#include <iterator>

namespace ada::query {

namespace {

constexpr ColumnInfo kSpans[] = {
    ColumnInfo{
        "id", Holds::Number,
        "identifies the call in its trace: the thread's number times 2^40, plus 1, plus the number of the event "
        "that began the call. Calls that began before the thread's first event count down from 2^40 - 1 by depth"},
    ColumnInfo{"parent_id", Holds::Number, "the call that made it; null for outermost calls"} | kOrNull,
    ColumnInfo{"ts", Holds::Moment, "when it began, in nanoseconds on the trace's clock"},
    ColumnInfo{"dur", Holds::Duration, "nanoseconds from entry to exit; for an open call, to its thread's last event"},
    ColumnInfo{"self", Holds::Duration,
               "the part of `dur` spent in no other traced function, without the recorder's time; of a call that began "
               "before the thread's first event, the part after that event"},
    ColumnInfo{"on_cpu", Holds::Duration,
               "the part of `self` in which the thread was on-CPU; null where scheduling is not known"} |
        kOrNull,
    ColumnInfo{"waiting", Holds::Duration,
               "the part of `dur` in which the thread was off-CPU because it waited; null where that is not known"} |
        kOrNull,
    ColumnInfo{"preempted", Holds::Duration,
               "the part of `dur` in which another thread had its core; null where that is not known"} |
        kOrNull,
    ColumnInfo{"recorder", Holds::Duration,
               "the part of `dur` in which the recorder held the thread up; null where that is not known"} |
        kOrNull,
    ColumnInfo{"name", Holds::Text, "the function's name for people"},
    ColumnInfo{"function_id", Holds::Number, "the function: `functions.id`"},
    ColumnInfo{"thread", Holds::Number, "the thread: `threads.id`"},
    ColumnInfo{"process", Holds::Number, "the process: `processes.id`"},
    ColumnInfo{"depth", Holds::Count, "how many calls are around it"},
    ColumnInfo{"exit", Holds::Text, "how it ended: `return`, `exception`, `missing` (no exit was recorded), `open`"},
    ColumnInfo{"outermost", Holds::Flag, "1 if no other call of the function is around it"},
    ColumnInfo{"arguments", Holds::Text, "`(n=10)`; null if nothing was recorded"} | kOrNull,
    ColumnInfo{"result", Holds::Text, "`55`; null if nothing was recorded"} | kOrNull,
    ColumnInfo{"values", Holds::Text, "values that the program named during the call: `(x=1)`; null if none"} | kOrNull,
};

constexpr TableInfo kTables[] = {
    {"spans", "A row is one call of a function, or one span that the program annotated.", kSpans},
};

} // namespace

std::span<const TableInfo> tables() { return kTables; }

const TableInfo *findTable(std::string_view name) {
  const auto *const at = std::ranges::find(kTables, name, &TableInfo::name);
  return at == std::end(kTables) ? nullptr : at;
}

std::optional<SpanColumn> spanColumn(std::string_view key) {
  constexpr std::pair<std::string_view, SpanColumn> kKeys[] = {
      {"id", SpanColumn::Id},
      {"parent_id", SpanColumn::ParentId},
      {"ts", SpanColumn::Ts},
      {"dur", SpanColumn::Dur},
      {"self", SpanColumn::Self},
      {"on_cpu", SpanColumn::OnCpu},
      {"waiting", SpanColumn::Waiting},
      {"preempted", SpanColumn::Preempted},
      {"recorder", SpanColumn::Recorder},
      {"name", SpanColumn::Function},
      {"function_id", SpanColumn::Function},
      {"thread", SpanColumn::Thread},
      {"process", SpanColumn::Process},
      {"depth", SpanColumn::Depth},
      {"exit", SpanColumn::Exit},
      {"outermost", SpanColumn::Outermost},
      {"arguments", SpanColumn::Arguments},
      {"result", SpanColumn::Result},
      {"values", SpanColumn::Values},
  };
  for (const auto &[name, column] : kKeys)
    if (name == key)
      return column;
  return std::nullopt;
}

} // namespace ada::query
