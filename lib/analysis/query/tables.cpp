// The tables of a trace.
#include "tables.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ada::query {

namespace {

constexpr ColumnInfo kThread = {"thread", Holds::Number, "the thread: `threads.id`"};
constexpr ColumnInfo kProcess = {"process", Holds::Number, "the process: `processes.id`"};

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
    ColumnInfo{"self_recorder", Holds::Duration,
               "the part of `recorder` outside of the calls that it made, which is not in `self`"} |
        kOrNull,
    ColumnInfo{"name", Holds::Text, "the function's name for people"},
    ColumnInfo{"function_id", Holds::Number, "the function: `functions.id`"},
    kThread,
    kProcess,
    ColumnInfo{"depth", Holds::Count, "how many calls are around it"},
    ColumnInfo{
        "exit", Holds::Text,
        "how it ended: `return`, `exception`, `inferred` (unseen: a later event proves that it is over), `missing` (no "
        "exit was recorded), `open`"},
    ColumnInfo{"outermost", Holds::Flag, "1 if no other call of the function is around it"},
    ColumnInfo{"arguments", Holds::Text, "`(n=10)`; null if nothing was recorded"} | kOrNull,
    ColumnInfo{"result", Holds::Text, "`55`; null if nothing was recorded"} | kOrNull,
    ColumnInfo{"values", Holds::Text, "values that the program named during the call: `(x=1)`; null if none"} | kOrNull,
};

constexpr ColumnInfo kEvents[] = {
    kThread,
    kProcess,
    ColumnInfo{"seq", Holds::Number, "the event's number in its thread, from 0"},
    ColumnInfo{"ts", Holds::Moment, "when it happened, in nanoseconds on the trace's clock"},
    ColumnInfo{"kind", Holds::Text,
               "`call`, `return`, `exception`, `inferred`, `missing`, `mark`, `value`; of other kinds, their number"},
    ColumnInfo{"name", Holds::Text, "the function's name for people, or the name of the mark or value"},
    ColumnInfo{"function_id", Holds::Number, "the function: `functions.id`; null for marks and values"} | kOrNull,
    ColumnInfo{"data", Holds::Text, "of marks and values: JSON; null if there is none"} | kOrNull,
};

// The columns of `first`, and then those of `second`.
template <size_t N, size_t M>
constexpr std::array<ColumnInfo, N + M> operator+(const std::array<ColumnInfo, N> &first,
                                                  const std::array<ColumnInfo, M> &second) {
  std::array<ColumnInfo, N + M> both;
  std::ranges::copy(first, both.begin());
  std::ranges::copy(second, both.begin() + N);
  return both;
}

constexpr auto kFigures = std::to_array<ColumnInfo>({
    ColumnInfo{"calls", Holds::Count, "all calls, however they ended"},
    ColumnInfo{"exceptions", Holds::Count, "how many of them were left by an exception or longjmp"},
    ColumnInfo{"inferred", Holds::Count, "how many of them ended unseen: a later event proves that they are over"},
    ColumnInfo{"missing", Holds::Count, "how many of them have no recorded exit"},
    ColumnInfo{"open", Holds::Count, "how many of them had not ended when the trace did"},
    ColumnInfo{"earlier", Holds::Count, "how many of them began before their thread's first event"},
    ColumnInfo{"total", Holds::Duration,
               "nanoseconds in which at least one call was running: the sum of `dur` of its outermost spans"},
    ColumnInfo{"self", Holds::Duration, "the sum of `self` of its spans"},
    ColumnInfo{"on_cpu", Holds::Duration,
               "the on-CPU part of `self`; this and the next four are null where that is not known"} |
        kOrNull,
    ColumnInfo{"waiting", Holds::Duration,
               "the parts of `total` in which a thread waited, was preempted, or was held up "
               "by the recorder, and for which it is not known whether it ran"} |
        kOrNull,
    ColumnInfo{"preempted", Holds::Duration} | kOrNull,
    ColumnInfo{"recorder", Holds::Duration} | kOrNull,
    ColumnInfo{"unknown", Holds::Duration} | kOrNull,
    ColumnInfo{"self_recorder", Holds::Duration, "the sum of `self_recorder` of its spans"} | kOrNull,
    ColumnInfo{"min", Holds::Duration,
               "durations of single calls whose exit was recorded; null if there are none. Percentiles of more than 64 "
               "calls are off by at most 0.8 %"} |
        kOrNull,
    ColumnInfo{"p50", Holds::Duration} | kOrNull,
    ColumnInfo{"p90", Holds::Duration} | kOrNull,
    ColumnInfo{"p99", Holds::Duration} | kOrNull,
    ColumnInfo{"max", Holds::Duration} | kOrNull,
});

constexpr auto kFunctions =
    std::to_array<ColumnInfo>({
        ColumnInfo{"id", Holds::Number,
                   "identifies the function in its trace; the same for all symbols that `report` counts "
                   "as one function"},
        ColumnInfo{
            "process", Holds::Number,
            "the process: `processes.id`; null if several processes share the function, whose row has the figures of "
            "all of them"} |
            kOrNull,
        ColumnInfo{"name", Holds::Text, "for people"},
        ColumnInfo{"symbol", Holds::Text, "as in the object file; null if not known"} | kOrNull,
        ColumnInfo{"file", Holds::Text, "where it is in the source; null if not known"} | kOrNull,
        ColumnInfo{"line", Holds::Number} | kOrNull,
        ColumnInfo{"signature", Holds::Text, "parameters and result; null if not known"} | kOrNull,
        ColumnInfo{"kind", Holds::Text,
                   "`function`; of annotations `span`, `instant`, `counter`, `flow_begin`, `flow_step`, `flow_end`"},
    }) +
    kFigures;

constexpr auto kProcessFunctions = std::to_array<ColumnInfo>({
                                       ColumnInfo{"function_id", Holds::Number, "the function: `functions.id`"},
                                       kProcess,
                                   }) +
                                   kFigures;

constexpr ColumnInfo kThreadCalls{"calls", Holds::Count, "all calls, however they ended"};
constexpr ColumnInfo kThreadTotal{"total", Holds::Duration, "nanoseconds in outermost calls"};
constexpr ColumnInfo kThreadOnCpu =
    ColumnInfo{
        "on_cpu", Holds::Duration,
        "the parts of `total` in which it was on-CPU, waited, was preempted, or was held up by the recorder, and "
        "for which it is not known whether it ran; null where that is not known"} |
    kOrNull;

constexpr ColumnInfo kThreads[] = {
    ColumnInfo{"id", Holds::Number, "identifies the thread in its trace"},
    kProcess,
    ColumnInfo{"number", Holds::Number, "its number in its process, as other commands show it"},
    ColumnInfo{"tid", Holds::Number, "the system's id"},
    ColumnInfo{"name", Holds::Text,
               "its own name, `main`, or its outermost function with a number, `worker #1`; null if nothing is known"} |
        kOrNull,
    ColumnInfo{"first_ts", Holds::Moment, "when its first and its last event happened; null if there are none"} |
        kOrNull,
    ColumnInfo{"last_ts", Holds::Moment} | kOrNull,
    ColumnInfo{"events", Holds::Count, "how many there are"},
    kThreadCalls,
    kThreadTotal,
    kThreadOnCpu,
    ColumnInfo{"waiting", Holds::Duration} | kOrNull,
    ColumnInfo{"preempted", Holds::Duration} | kOrNull,
    ColumnInfo{"recorder", Holds::Duration} | kOrNull,
    ColumnInfo{"unknown", Holds::Duration} | kOrNull,
};

constexpr ColumnInfo kProcesses[] = {
    ColumnInfo{"id", Holds::Number, "identifies the process in its trace"},
    ColumnInfo{"name", Holds::Text,
               "its program, `git`; `git 4711` if several processes have the same one; `pid_4711` if it is not known"},
    ColumnInfo{"pid", Holds::Number, "the system's id; null if not known"} | kOrNull,
    ColumnInfo{"executable", Holds::Text, "its path; null if not known"} | kOrNull,
    ColumnInfo{"resolution", Holds::Duration, "by how much the time of an event may be off; 0: each has its own time"},
    ColumnInfo{"threads", Holds::Count, "how many there are"},
    kThreadCalls,
    kThreadTotal,
    kThreadOnCpu,
    ColumnInfo{"waiting", Holds::Duration} | kOrNull,
    ColumnInfo{"preempted", Holds::Duration} | kOrNull,
    ColumnInfo{"recorder", Holds::Duration} | kOrNull,
    ColumnInfo{"unknown", Holds::Duration} | kOrNull,
};

constexpr ColumnInfo kSpanId =
    ColumnInfo{"span_id", Holds::Number, "the innermost open call: `spans.id`; null for none"} | kOrNull;

constexpr ColumnInfo kArgs[] = {
    ColumnInfo{"span_id", Holds::Number, "the call: `spans.id`"},
    kThread,
    kProcess,
    ColumnInfo{"ts", Holds::Moment, "when the call began"},
    ColumnInfo{"function_id", Holds::Number, "the function: `functions.id`"},
    ColumnInfo{"position", Holds::Count, "from 0, in the call's list of arguments"},
    ColumnInfo{"name", Holds::Text, "of the parameter, or of a value that the program named at the call's start"},
    ColumnInfo{"value", Holds::Text, "as text; objects and lists as JSON"},
    ColumnInfo{"number", Holds::Real, "the value, if it is a number; otherwise null"} | kOrNull,
};

constexpr ColumnInfo kOffCpu[] = {
    kThread,
    kProcess,
    ColumnInfo{"ts", Holds::Moment, "when it began"},
    ColumnInfo{"dur", Holds::Duration, "how long it was, in nanoseconds"},
    ColumnInfo{"state", Holds::Text,
               "`waiting`, `preempted`, `recorder` (which held it up), `unknown` (scheduling records are missing)"},
    ColumnInfo{"processor", Holds::Number, "the one that the thread left"},
};

constexpr ColumnInfo kCounters[] = {
    kThread,
    kProcess,
    ColumnInfo{"ts", Holds::Moment, "when the program reported the value"},
    ColumnInfo{"name", Holds::Text, "of the counter"},
    ColumnInfo{"function_id", Holds::Number, "the place in the program: `functions.id`"},
    ColumnInfo{"value", Holds::Real, "an integer or a real number; null if it is not finite"} | kOrNull,
    kSpanId,
};

constexpr ColumnInfo kMarks[] = {
    kThread,
    kProcess,
    ColumnInfo{"ts", Holds::Moment, "when it was"},
    ColumnInfo{"name", Holds::Text, "of the mark, or of an instant that the program annotated"},
    ColumnInfo{"data", Holds::Text, "an object as JSON; null if there is none"} | kOrNull,
    kSpanId,
};

constexpr ColumnInfo kFlows[] = {
    kThread,
    kProcess,
    ColumnInfo{"ts", Holds::Moment, "when it was"},
    ColumnInfo{"name", Holds::Text, "of the flow"},
    ColumnInfo{"function_id", Holds::Number, "the place in the program: `functions.id`"},
    ColumnInfo{"step", Holds::Text, "`begin`, `step` or `end`"},
    ColumnInfo{"flow", Holds::Number, "the same number for all steps of a flow"},
    kSpanId,
};

constexpr ColumnInfo kWaits[] = {
    kProcess,
    ColumnInfo{"kind", Holds::Text, "what was waited for: `mutex`, `condition`, `pipe`, … as in `adatrace waits`"},
    ColumnInfo{"object", Holds::Text, "which one: an address, descriptors, a thread; null if not known"} | kOrNull,
    ColumnInfo{"place", Holds::Text, "the function that made it; null if not known"} | kOrNull,
    ColumnInfo{"waits", Holds::Count, "how often threads waited for it"},
    ColumnInfo{"total", Holds::Duration, "for how long, in all threads together"},
    ColumnInfo{"max", Holds::Duration, "the longest wait"},
    ColumnInfo{"timeouts", Holds::Count, "how many waits ended because their time was over"},
    ColumnInfo{"open", Holds::Count, "how many waits had not ended when the trace did"},
    ColumnInfo{"function", Holds::Text, "the function that waited longest; null if not known"} | kOrNull,
    ColumnInfo{"holder", Holds::Number,
               "the thread that had it, or woke the others, for most of that time; null if not known"} |
        kOrNull,
    ColumnInfo{"holder_function", Holds::Text, "what this thread was in for most of that time; null if not known"} |
        kOrNull,
    ColumnInfo{"holder_total", Holds::Duration, "how much of the waiting was due to it"} | kOrNull,
};

constexpr TableInfo kTables[] = {
    {"spans", "A row is one call of a function, or one span that the program annotated.", kSpans},
    {"events", "A row is one event as it was recorded. Every call that has an end is two of them.", kEvents},
    {"functions",
     "A row is one function, with the figures of `adatrace report`. Functions that were never called have a "
     "row, too.",
     kFunctions},
    {"process_functions", "A row is one function in one process that called it, with the figures of its calls there.",
     kProcessFunctions},
    {"threads", "A row is one thread, or one fiber.", kThreads},
    {"processes", "A row is one process of the trace, or one part of a trace in parts.", kProcesses},
    {"args", "A row is one argument of a call whose arguments were recorded.", kArgs},
    {"waits", "A row is one object that threads waited for, as `adatrace waits` finds them.", kWaits},
    {"off_cpu", "A row is one time in which a thread did not run its program.", kOffCpu},
    {"counters", "A row is one value of a counter that the program reported.", kCounters},
    {"marks", "A row is one point in time that has a name.", kMarks},
    {"flows", "A row is one step of a flow: work that goes on in another place.", kFlows},
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
      {"self_recorder", SpanColumn::SelfRecorder},
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
