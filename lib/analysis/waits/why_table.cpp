// The columns of `why` about one call.
#include "why_table.h"

#include "trace/base/format.h"

namespace ada::analysis {

const char *whyPartKind(const WhyPart &part) {
  switch (part.kind) {
  case PartKind::Own:
    return "own";
  case PartKind::Callee:
    return "callee";
  case PartKind::Preempted:
    return "preempted";
  case PartKind::Unknown:
    return "unknown";
  case PartKind::Recorder:
    return "recorder";
  case PartKind::Waiting:
    break;
  }
  return part.object.kind == WaitKind::Sleep ? "sleeping" : isIo(part.object.kind) ? "io" : "waiting";
}

namespace {

Json partsOf(const std::vector<WhyPart> &parts, const NamedTrace &trace);

constexpr Column<WhyHolderRow> kWhyHolders[] = {
    {ColumnInfo{"thread", Holds::Number, "the thread"},
     [](const WhyHolderRow &row) -> Value { return row.thread().number; }},
    {kTid, [](const WhyHolderRow &row) -> Value { return row.thread().tid; }},
    {ColumnInfo{"process", Holds::Text, "the thread's process"},
     [](const WhyHolderRow &row) -> Value { return row.trace->table.processOf(row.thread()).label; }},
    {ColumnInfo{"name", Holds::Text, "its name"} | kOrNull,
     [](const WhyHolderRow &row) -> Value { return row.thread().label; }},
    {ColumnInfo{"inferred", Holds::Flag,
                "it is a child process, and that its end was waited for is known only from the times"},
     [](const WhyHolderRow &row) -> Value { return row.holder->isInferred; }},
    {ColumnInfo{"total_ns", Holds::Duration, "how much of the wait it was the holder"},
     [](const WhyHolderRow &row) -> Value { return row.holder->ns; }},
    {ColumnInfo{"cycle", Holds::Flag, "it waits for one of the threads around it, so nothing more is said about it"},
     [](const WhyHolderRow &row) -> Value { return row.holder->isCycle; }},
    {ColumnInfo{"parts", Holds::Objects, "where its time went during the wait"},
     [](const WhyHolderRow &row) -> Value { return partsOf(row.holder->parts, *row.trace); }},
};

constexpr Column<WhyPartRow> kWhyParts[] = {
    {ColumnInfo{"what", Holds::Text,
                "`own` (for a holder: any code), `callee`, `preempted`, `waiting`, `sleeping`, `io` (waiting for a "
                "file, pipe or socket), `recorder` (the recorder held it up), `unknown`"},
     [](const WhyPartRow &row) -> Value { return whyPartKind(*row.part); }},
    {ColumnInfo{"total_ns", Holds::Duration, "how long"}, [](const WhyPartRow &row) -> Value { return row.part->ns; }},
    {ColumnInfo{"function", Holds::Text, "the program's function"} | kOrNull,
     [](const WhyPartRow &row) -> Value { return row.trace->name(row.part->function); }},
    {ColumnInfo{"call", Holds::Text, "the library function that it had called"} | kOrNull,
     [](const WhyPartRow &row) -> Value { return row.trace->name(row.part->library); }},
    {ColumnInfo{"object", Holds::Text, "for a wait, as in `waits`; `kind` is also there for `recorder` and `unknown`"} |
         kOrNull,
     [](const WhyPartRow &row) -> Value {
       return row.isWait() ? objectName(row.trace->table, row.part->object) : std::string();
     }},
    {ColumnInfo{"kind"} | kOrNull,
     [](const WhyPartRow &row) -> Value {
       const PartKind kind = row.part->kind;
       return row.isWait()                                              ? waitKindName(row.part->object.kind)
              : kind == PartKind::Recorder || kind == PartKind::Unknown ? whyPartKind(*row.part)
                                                                        : "";
     }},
    {ColumnInfo{"place"} | kOrNull,
     [](const WhyPartRow &row) -> Value { return row.isWait() ? row.trace->name(row.part->object.place) : ""; }},
    {ColumnInfo{"variable"} | kOrNull,
     [](const WhyPartRow &row) -> Value {
       return row.isWait() ? variableName(*row.trace, row.part->object) : std::string();
     }},
    {ColumnInfo{"holders", Holds::Objects, "the threads that held the object, or woke the waiting thread"},
     [](const WhyPartRow &row) -> Value {
       std::vector<WhyHolderRow> rows;
       for (const WhyPart::Holder &holder : row.part->holders)
         rows.push_back({&holder, row.trace});
       return jsonList(Columns<WhyHolderRow>(kWhyHolders), rows);
     }},
};

Json partsOf(const std::vector<WhyPart> &parts, const NamedTrace &trace) {
  std::vector<WhyPartRow> rows;
  for (const WhyPart &part : parts)
    rows.push_back({&part, &trace});
  return jsonList(Columns<WhyPartRow>(kWhyParts), rows);
}

constexpr Column<WhyRow> kWhy[] = {
    {kPid, [](const WhyRow &row) -> Value { return row.trace->table.processOf(row.thread()).pid; }},
    {kProcessInOther, [](const WhyRow &row) -> Value { return row.trace->table.processOf(row.thread()).label; }},
    {kThread, [](const WhyRow &row) -> Value { return row.thread().number; }},
    {kTid, [](const WhyRow &row) -> Value { return row.thread().tid; }},
    {kFunction, [](const WhyRow &row) -> Value { return row.trace->name(row.why->function); }},
    {ColumnInfo{"seq", Holds::Number, "the number of the call in its thread"} | kOrNull,
     [](const WhyRow &row) { return knownIf(row.why->seq != Span::kNoSeq, row.why->seq); }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when the call began"},
     [](const WhyRow &row) -> Value { return row.why->beginNs; }},
    {ColumnInfo{"total_ns", Holds::Duration, "how long it took; if it has not ended, until the end of the trace"},
     [](const WhyRow &row) -> Value { return row.why->endNs - row.why->beginNs; }},
    {ColumnInfo{"end", Holds::Text, "`return`, `exception`, `inferred`, `missing`, `open`"},
     [](const WhyRow &row) -> Value { return spanEndName(row.why->how); }},
    {ColumnInfo{"parts", Holds::Objects, "where its time went, the longest first"},
     [](const WhyRow &row) -> Value { return partsOf(row.why->parts, *row.trace); }},
};

} // namespace

Columns<WhyRow> whyColumns() { return kWhy; }
Columns<WhyPartRow> whyPartColumns() { return kWhyParts; }
Columns<WhyHolderRow> whyHolderColumns() { return kWhyHolders; }

} // namespace ada::analysis
