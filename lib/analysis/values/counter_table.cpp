// The columns of a table of counters.
#include "counter_table.h"

#include "base/json.h"

namespace ada::analysis {

namespace {

// JSON has no infinity and no NaN.
Value valueOf(const CounterValue &value) { return Json{value.isFinite() ? value.text() : jsonString(value.text())}; }

constexpr Column<CounterLine> kCounters[] = {
    {kPid, [](const CounterLine &line) -> Value { return line.trace->processes[line.row->process].pid; }},
    {kProcess, [](const CounterLine &line) -> Value { return line.trace->processes[line.row->process].name; }},
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
