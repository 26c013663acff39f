// The columns of a table of counters.
#include "counter_table.h"

#include "base/json.h"

namespace ada::analysis {

namespace {

// JSON has no infinity and no NaN.
Value valueOf(const CounterValue &value) {
  return Json{value.isFinite() ? value.text() : jsonString(value.text())};
}

constexpr Column<CounterLine> kCounters[] = {
    {kPid, [](const CounterLine &line) -> Value { return line.trace->processes[line.row->process].pid; }},
    {kProcess, [](const CounterLine &line) -> Value { return line.trace->processes[line.row->process].name; }},
    {{.key = "counter", .heading = "counter", .help = "the counter's name", .look = Look::Name, .order = 9},
     [](const CounterLine &line) -> Value { return line.row->function->displayName; },
     [](const CounterLine &line) { return line.name; }},
    {{.key = "source", .orNull = true, .help = "one of the places where it is set"},
     [](const CounterLine &line) -> Value { return line.source; }},
    {{.key = "count", .heading = "values", .holds = Holds::Count, .help = "number of values", .width = 12},
     [](const CounterLine &line) -> Value { return line.row->count; }},
    {{.key = "min",
      .heading = "min",
      .holds = Holds::Real,
      .help = "a number; `\"nan\"`, `\"inf\"` and `\"-inf\"` are strings",
      .width = 15,
      .drop = 1},
     [](const CounterLine &line) -> Value { return valueOf(line.row->least); },
     [](const CounterLine &line) { return line.row->least.text(); }},
    {{.key = "max", .heading = "max", .holds = Holds::Real, .width = 15, .drop = 2},
     [](const CounterLine &line) -> Value { return valueOf(line.row->most); },
     [](const CounterLine &line) { return line.row->most.text(); }},
    {{.key = "last", .heading = "last", .holds = Holds::Real, .look = Look::Number, .width = 15},
     [](const CounterLine &line) -> Value { return valueOf(line.row->last); },
     [](const CounterLine &line) { return line.row->last.text(); }},
};

} // namespace

Columns<CounterLine> counterColumns() { return kCounters; }

} // namespace ada::analysis
