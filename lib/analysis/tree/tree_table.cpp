// The columns of call trees.
#include "tree_table.h"

#include "trace/base/quantities.h"

namespace ada::analysis {

namespace {

constexpr Column<TreeLine> kTree[] = {
    {kPid, [](const TreeLine &row) -> Value { return row.trace->processOf(row.thread()).pid; }},
    {kProcessInOther, [](const TreeLine &row) -> Value { return row.trace->processOf(row.thread()).label; }},
    {kThread, [](const TreeLine &row) -> Value { return row.thread().number; }},
    {kTid, [](const TreeLine &row) -> Value { return row.thread().tid; }},
    {ColumnInfo{"depth", Holds::Number, "lines around this one"},
     [](const TreeLine &row) -> Value { return row.depth; }},
    {ColumnInfo{"function", Holds::Text,
                "in the style of `--names`; `null` for a loop, whose body is the lines inside it"} |
         kOrNull | inText("call", 0, 9) | Look::Tree,
     [](const TreeLine &row) -> Value { return row.name(); },
     [](const TreeLine &row) { return indentOf(row.depth) + (row.node->isLoop() ? "repeated" : row.name()); }},
    {ColumnInfo{"source", Holds::Text, "file and line of the function"} | kOrNull,
     [](const TreeLine &row) -> Value { return row.node->isLoop() ? "" : row.names->source(row.node->function); }},
    {ColumnInfo{"count", Holds::Count,
                "how often it occurred, in all of the calls around it; for a loop, the number of iterations"} |
         inText("count", 8, 4),
     [](const TreeLine &row) -> Value { return row.node->count; }},
    {ColumnInfo{
         "calls", Holds::Count,
         "calls that the line stands for: `count`, or with folded recursion the calls of all levels; 0 for a loop"},
     [](const TreeLine &row) -> Value { return row.node->isLoop() ? 0 : row.node->calls; }},
    {ColumnInfo{"nested", Holds::Count, "levels of recursion that are folded into the line; 1 if there are none"},
     [](const TreeLine &row) -> Value { return row.node->isLoop() ? uint64_t(1) : row.node->nested; }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when the first of the calls began; `null` for a loop"} | kOrNull |
         inText("begin", 13),
     [](const TreeLine &row) { return row.unlessLoop(row.node->beginNs); },
     [](const TreeLine &row) { return row.node->isLoop() ? "" : formatTime(row.node->beginNs, row.originNs); }},
    {ColumnInfo{"total_ns", Holds::Duration, "time between entry and exit, added up"} | inText("total", 11, 1) |
         Look::Number,
     [](const TreeLine &row) -> Value { return row.node->totalNs; }},
    {ColumnInfo{"self_ns", Holds::Duration,
                "the part of `total_ns` spent in no other traced function, without the recorder's time"} |
         inText("self", 11, 2) | Look::Number,
     [](const TreeLine &row) -> Value { return row.node->isLoop() ? 0 : row.node->selfNs; }},
    {ColumnInfo{"end", Holds::Text,
                "`return`, `exception`, `inferred` (unseen: a later event proves that it is over), `missing` (no exit "
                "was recorded), `open` (it had not ended when the trace "
                "did); `null` for a loop"} |
         kOrNull,
     [](const TreeLine &row) -> Value { return row.node->isLoop() ? "" : spanEndName(row.node->how); }},
    {ColumnInfo{"open_ns", Holds::Duration, "open calls: time from `begin_ns` to the last event of the trace"} |
         kOrNull,
     [](const TreeLine &row) {
       const bool isOpen = !row.node->isLoop() && row.node->how == SpanEnd::Open;
       return knownIf(isOpen, isOpen ? row.openNs() : 0);
     }},
    {ColumnInfo{"arguments", Holds::Text, "with `--args`: `(n=10)`"} | kOrNull,
     [](const TreeLine &row) -> Value { return row.node->texts ? row.node->texts->arguments : std::string(); }},
    {ColumnInfo{"result", Holds::Text, "with `--args`: `55`"} | kOrNull,
     [](const TreeLine &row) -> Value { return row.node->texts ? row.node->texts->result : std::string(); }},
    {ColumnInfo{"earlier", Holds::Flag,
                "the call began before the first event that was kept (`max_size`, `max_time`, `flight`), or before the "
                "first event of the part (`rotate`); `self_ns` counts from there"},
     [](const TreeLine &row) -> Value { return row.node->isEarlier; }},
    {ColumnInfo{
         "self_waiting_ns", Holds::Duration,
         "the parts of `self_ns` in which the thread was off-CPU because it waited, or because another thread ran on "
         "its core; `null` for a loop, and if that was not recorded ([sched.md](formats/sched.md)). For an open call, "
         "this time counts until the end of what is known, which may be later than the end of its `total_ns`"} |
         kOrNull,
     [](const TreeLine &row) { return row.ifSched(row.node->selfOff.waitingNs); }},
    {ColumnInfo{"self_preempted_ns", Holds::Duration} | kOrNull,
     [](const TreeLine &row) { return row.ifSched(row.node->selfOff.preemptedNs); }},
    {ColumnInfo{"self_recorder_ns", Holds::Duration,
                "how long the recorder held the thread up in the call, without the calls it made: part of `total_ns`, "
                "not of `self_ns`; `null` for a loop, and if nothing is known"} |
         kOrNull,
     [](const TreeLine &row) {
       return knownIf(!row.node->isLoop() && row.thread().offCpu, row.node->selfOff.recorderNs);
     }},
    {ColumnInfo{"self_unknown_ns", Holds::Duration,
                "the part of `self_ns` for which it is not known whether the thread ran; `null` in the same cases as "
                "`self_waiting_ns`"} |
         kOrNull,
     [](const TreeLine &row) { return row.ifSched(row.node->selfOff.unknownNs); }},
    {ColumnInfo{"annotation", Holds::Text, "only for [annotations](reference/annotations.md): as in `dump`"},
     [](const TreeLine &row) -> Value {
       return row.kind() == SymbolKind::Function ? Value(Absent()) : Value(kindName(row.kind()));
     }},
    {ColumnInfo{"inlined", Holds::Flag, "only for copies that were inlined: `true`, as in `dump`"},
     [](const TreeLine &row) -> Value {
       const bool isInlined = !row.node->isLoop() && row.trace->functions[row.node->function].isInlined;
       return isInlined ? Value(true) : Value(Absent());
     }},
};

} // namespace

Columns<TreeLine> treeColumns() { return kTree; }

} // namespace ada::analysis
