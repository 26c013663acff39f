// Prints how a call spent its time.
#include "why_lines.h"
#include "wait_lines.h"

#include "trace/base/quantities.h"

#include <cmath>

namespace ada::cli {

using analysis::kNobody, analysis::PartKind, analysis::WaitKind, analysis::Why, analysis::WhyPart;

namespace {

bool isIo(WaitKind kind) {
  return kind == WaitKind::Pipe || kind == WaitKind::Socket || kind == WaitKind::File || kind == WaitKind::Descriptor;
}

class WhyLines {
public:
  WhyLines(Output &out, const Palette &palette, const TraceInput &input, const Why &why, NameStyle style)
      : out_(out), palette_(palette), input_(input), why_(why), trace_(namedTrace(input, style)) {}

  void print() {
    const uint64_t ns = why_.endNs - why_.beginNs;
    out_.print("{}{}{} on {}: {}{}{}, from {}{}\n", palette_.name, trace_.name(why_.function), palette_.reset,
               input_.label(why_.thread), palette_.number, formatDuration(ns), palette_.reset,
               formatDuration(why_.beginNs - std::min(why_.beginNs, input_.originNs())),
               why_.how == SpanEnd::Open ? ", still open" : "");
    printParts(why_.parts, 0);
  }

private:
  void line(uint64_t ns, size_t depth, const std::string &text) {
    const uint64_t all = why_.endNs - why_.beginNs;
    out_.print("  {}{:>11} {:>5.1f}%{}  {:{}}{}\n", palette_.number, formatDuration(ns),
               all ? 100.0 * static_cast<double>(ns) / static_cast<double>(all) : 0.0, palette_.reset, "", 2 * depth,
               text);
  }
  void printParts(const std::vector<WhyPart> &parts, size_t depth) {
    for (const WhyPart &part : parts) {
      line(part.ns, depth, whyPartText(trace_, part, depth == 0));
      for (const WhyPart::Holder &holder : part.holders) {
        line(holder.ns, depth + 1, whyHolderText(part, holder, input_.label(holder.thread)));
        printParts(holder.parts, depth + 2);
      }
    }
  }

  Output &out_;
  const Palette &palette_;
  const TraceInput &input_;
  const Why &why_;
  const analysis::NamedTrace trace_;
};

// In the order in which they are printed.
template <class IsLeftOut> void shortenParts(std::vector<WhyPart> &parts, const IsLeftOut &isLeftOut) {
  std::vector<WhyPart> shown;
  for (WhyPart &part : parts) {
    if (isLeftOut(part.ns))
      continue;
    std::vector<WhyPart::Holder> holders;
    for (WhyPart::Holder &holder : part.holders)
      if (!isLeftOut(holder.ns)) {
        shortenParts(holder.parts, isLeftOut);
        holders.push_back(std::move(holder));
      }
    part.holders = std::move(holders);
    shown.push_back(std::move(part));
  }
  parts = std::move(shown);
}

} // namespace

WhyLeftOut shorten(Why &why, const WhyLimits &limits) {
  WhyLeftOut leftOut;
  const auto leastNs =
      static_cast<uint64_t>(std::ceil(limits.minPercent / 100 * static_cast<double>(why.endNs - why.beginNs)));
  uint64_t lines = limits.lines ? limits.lines : ~uint64_t(0);
  const auto isLeftOut = [&](uint64_t ns) {
    leftOut.small += ns < leastNs;
    leftOut.more += ns >= leastNs && lines == 0;
    if (ns < leastNs || lines == 0)
      return true;
    --lines;
    return false;
  };
  shortenParts(why.parts, isLeftOut);
  return leftOut;
}

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

struct PartRow {
  const WhyPart *part;
  const analysis::NamedTrace *trace;

  bool isWait() const { return part->kind == PartKind::Waiting; }
};
struct HolderRow {
  const WhyPart::Holder *holder;
  const analysis::NamedTrace *trace;

  const model::Thread &thread() const { return trace->table.threads[holder->thread]; }
};
Json partsOf(const std::vector<WhyPart> &parts, const analysis::NamedTrace &trace);

constexpr Column<HolderRow> kHolders[] = {
    {ColumnInfo{"thread", Holds::Number, "the thread"},
     [](const HolderRow &row) -> Value { return row.thread().number; }},
    {analysis::kTid, [](const HolderRow &row) -> Value { return row.thread().tid; }},
    {ColumnInfo{"process", Holds::Text, "the thread's process"},
     [](const HolderRow &row) -> Value { return row.trace->table.processOf(row.thread()).label; }},
    {ColumnInfo{"name", Holds::Text, "its name"} | kOrNull,
     [](const HolderRow &row) -> Value { return row.thread().label; }},
    {ColumnInfo{"inferred", Holds::Flag,
                "it is a child process, and that its end was waited for is known only from the times"},
     [](const HolderRow &row) -> Value { return row.holder->isInferred; }},
    {ColumnInfo{"total_ns", Holds::Duration, "how much of the wait it was the holder"},
     [](const HolderRow &row) -> Value { return row.holder->ns; }},
    {ColumnInfo{"cycle", Holds::Flag, "it waits for one of the threads around it, so nothing more is said about it"},
     [](const HolderRow &row) -> Value { return row.holder->isCycle; }},
    {ColumnInfo{"parts", Holds::Objects, "where its time went during the wait"},
     [](const HolderRow &row) -> Value { return partsOf(row.holder->parts, *row.trace); }},
};

constexpr Column<PartRow> kParts[] = {
    {ColumnInfo{"what", Holds::Text,
                "`own` (for a holder: any code), `callee`, `preempted`, `waiting`, `sleeping`, `io` (waiting for a "
                "file, pipe or socket), `recorder` (the recorder held it up), `unknown`"},
     [](const PartRow &row) -> Value { return whyPartKind(*row.part); }},
    {ColumnInfo{"total_ns", Holds::Duration, "how long"}, [](const PartRow &row) -> Value { return row.part->ns; }},
    {ColumnInfo{"function", Holds::Text, "the program's function"} | kOrNull,
     [](const PartRow &row) -> Value { return row.trace->name(row.part->function); }},
    {ColumnInfo{"call", Holds::Text, "the library function that it had called"} | kOrNull,
     [](const PartRow &row) -> Value { return row.trace->name(row.part->library); }},
    {ColumnInfo{"object", Holds::Text, "for a wait, as in `waits`; `kind` is also there for `recorder` and `unknown`"} |
         kOrNull,
     [](const PartRow &row) -> Value {
       return row.isWait() ? objectName(row.trace->table, row.part->object) : std::string();
     }},
    {ColumnInfo{"kind"} | kOrNull,
     [](const PartRow &row) -> Value {
       const PartKind kind = row.part->kind;
       return row.isWait()                                              ? waitKindName(row.part->object.kind)
              : kind == PartKind::Recorder || kind == PartKind::Unknown ? whyPartKind(*row.part)
                                                                        : "";
     }},
    {ColumnInfo{"place"} | kOrNull,
     [](const PartRow &row) -> Value { return row.isWait() ? row.trace->name(row.part->object.place) : ""; }},
    {ColumnInfo{"holders", Holds::Objects, "the threads that held the object, or woke the waiting thread"},
     [](const PartRow &row) -> Value {
       std::vector<HolderRow> rows;
       for (const WhyPart::Holder &holder : row.part->holders)
         rows.push_back({&holder, row.trace});
       return jsonList(Columns<HolderRow>(kHolders), rows);
     }},
};

Json partsOf(const std::vector<WhyPart> &parts, const analysis::NamedTrace &trace) {
  std::vector<PartRow> rows;
  for (const WhyPart &part : parts)
    rows.push_back({&part, &trace});
  return jsonList(Columns<PartRow>(kParts), rows);
}

struct WhyRow {
  const Why *why;
  const analysis::NamedTrace *trace;

  const model::Thread &thread() const { return trace->table.threads[why->thread]; }
};

constexpr Column<WhyRow> kWhy[] = {
    {analysis::kPid, [](const WhyRow &row) -> Value { return row.trace->table.processOf(row.thread()).pid; }},
    {analysis::kProcessInOther,
     [](const WhyRow &row) -> Value { return row.trace->table.processOf(row.thread()).label; }},
    {analysis::kThread, [](const WhyRow &row) -> Value { return row.thread().number; }},
    {analysis::kTid, [](const WhyRow &row) -> Value { return row.thread().tid; }},
    {analysis::kFunction, [](const WhyRow &row) -> Value { return row.trace->name(row.why->function); }},
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

std::string whyPartText(const analysis::NamedTrace &trace, const WhyPart &part, bool isOfCall) {
  switch (part.kind) {
  case PartKind::Own:
    if (isOfCall)
      return "its own code";
    [[fallthrough]];
  case PartKind::Callee: {
    const std::string where = whereText(trace, part.function, part.library);
    return "running " + (where.empty() ? "untraced code" : where);
  }
  case PartKind::Preempted:
    return "preempted";
  case PartKind::Unknown:
    return "unknown: there are no scheduling records";
  case PartKind::Recorder:
    return "held up by the recorder";
  case PartKind::Waiting:
    break;
  }
  const std::string caller = part.function == kNobody ? std::string() : " in " + trace.name(part.function);
  if (part.object.kind == WaitKind::Own)
    return "waiting" + (caller.empty() ? " in untraced code" : caller);
  if (part.object.kind == WaitKind::Sleep)
    return "sleeping" + caller;
  return "waiting" + caller + " for " + objectText(trace, part.object);
}
std::string whyHolderText(const WhyPart &part, const WhyPart::Holder &holder, const std::string &thread) {
  const bool isWoken = part.object.joined == kNobody && !analysis::isLock(part.object.kind);
  if (part.object.kind == WaitKind::Child)
    return "until the end of " + thread + (holder.isInferred ? " (inferred)" : "");
  return (part.object.joined != kNobody ? ""
          : isWoken                     ? "until woken by "
                                        : "held by ") +
         thread + (holder.isCycle ? ", which waits for a thread above" : "");
}

ColumnList whyTable() { return infoOf(Columns<WhyRow>(kWhy)); }
ColumnList whyPartTable() { return infoOf(Columns<PartRow>(kParts)); }
ColumnList whyHolderTable() { return infoOf(Columns<HolderRow>(kHolders)); }

void printWhy(Output &out, const Palette &palette, const TraceInput &input, const Why &why, NameStyle style) {
  WhyLines(out, palette, input, why, style).print();
}

void printWhyJson(Output &out, const TraceInput &input, const Why &why, NameStyle style) {
  const analysis::NamedTrace trace = namedTrace(input, style);
  out.write(jsonOf(Columns<WhyRow>(kWhy), {&why, &trace}) + "\n");
}

} // namespace ada::cli
