// The columns of tables about coroutines.
#include "coroutine_table.h"

#include "ada/trace/types.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"

namespace ada::analysis {

namespace {

// The name of a future by that of the function that polls it and by its type: "app::f" for app::f::{closure#0} and
// app::f::{async_fn_env#0}, "app::f::{async_block#0}" for a block in f.
std::string futureName(std::string name, const std::string &type) {
  const size_t kind = type.rfind('{'), env = type.find("_env#", kind), end = type.find('}', kind);
  if (env == type.npos || end == type.npos || env > end)
    return name;
  const size_t closure = name.rfind("::{");
  std::string place = closure != name.npos && name.ends_with('}') ? name.substr(0, closure) : type.substr(0, kind - 2);
  if (type.compare(kind, env - kind, "{async_fn") == 0)
    return place;
  return std::move(place) + "::" + type.substr(kind, env - kind) + type.substr(env + 4, end - env - 3);
}

} // namespace

std::string coroutineName(const NamedTrace &trace, uint32_t function) {
  const model::Function &symbol = trace.table.functions[function];
  std::string name = trace.name(function);
  const auto types = types::FunctionTypes::parse(isFuturePart(symbol) ? symbol.types : "");
  if (!types.parameters.empty() && name != symbol.name)
    return futureName(std::move(name), types.parameters[0].type.name);
  for (const std::string_view part : {" [.resume]", " [.destroy]", " [.cleanup]", " [.actor]"})
    if (name.ends_with(part))
      name.resize(name.size() - part.size());
  return name;
}

namespace {

Value numberOrNull(uint32_t number) { return knownIf(number != kNoCoroutine, number); }

using Node = CoroutineNodeLine;
constexpr Column<Node> kNodes[] = {
    {ColumnInfo{"depth", Holds::Number, "0 for a root"}, [](const Node &line) -> Value { return line.node->depth; }},
    {ColumnInfo{"function", Holds::Text, "the function that created the coroutines"} |
         inText("coroutine, and below it the coroutines that it awaited", 0, 9) | Look::Tree,
     [](const Node &line) -> Value { return coroutineName(*line.trace, line.node->function); },
     [](const Node &line) { return indentOf(line.node->depth) + coroutineName(*line.trace, line.node->function); }},
    {ColumnInfo{"source", Holds::Text, "its file and line"} | kOrNull,
     [](const Node &line) -> Value { return sourceOf(line.trace->table.functions[line.node->function]); }},
    {ColumnInfo{
         "link", Holds::Text,
         "why they are below the line above: `awaited`, `resumed`, `created` (the strongest of all); `none` for roots"},
     [](const Node &line) -> Value { return coroutineLinkName(line.node->link); }},
    {ColumnInfo{"count", Holds::Count, "number of coroutines"} | inText("count", 8, 4) | Look::Number,
     [](const Node &line) -> Value { return line.node->count; }},
    {ColumnInfo{"open", Holds::Count, "how many of them were not seen to end"},
     [](const Node &line) -> Value { return line.node->open; }},
    {ColumnInfo{"exceptions", Holds::Count, "how many of them were left by an exception"},
     [](const Node &line) -> Value { return line.node->exceptions; }},
    {ColumnInfo{"cancelled", Holds::Count, "how many of them were dropped before they had finished (Rust)"},
     [](const Node &line) -> Value { return line.node->cancelled; }},
    {ColumnInfo{"resumptions", Holds::Count, "resumptions of all of them"} | inText("resumed", 8, 5, 1) | Look::Number,
     [](const Node &line) -> Value { return line.node->resumptions; }},
    {ColumnInfo{"life_ns", Holds::Duration, "sums over all of them"} | inText("life", 11) | Look::Number,
     [](const Node &line) -> Value { return line.node->lifeNs; }},
    {ColumnInfo{"running_ns", Holds::Duration} | inText("running", 11, 2, 3) | Look::Number,
     [](const Node &line) -> Value { return line.node->runningNs; }},
    {ColumnInfo{"suspended_ns", Holds::Duration} | inText("suspended", 11, 3, 4) | Look::Number,
     [](const Node &line) -> Value { return line.node->suspendedNs; }},
    {ColumnInfo{"longest_ns", Holds::Duration, "the longest life"} | inText("longest", 11, 1, 2) | Look::Number,
     [](const Node &line) -> Value { return line.node->longestNs; }},
    {ColumnInfo{"longest", Holds::Number, "the `coroutine` number in `--each` of the one with the longest life"},
     [](const Node &line) -> Value { return line.node->longest; }},
};

const model::Process &processOf(const CoroutineLine &line) { return line.trace->table.processes[line.one().process]; }

constexpr Column<CoroutineLine> kCoroutines[] = {
    {kPid, [](const CoroutineLine &line) -> Value { return processOf(line).pid; }},
    {kProcessInOther, [](const CoroutineLine &line) -> Value { return processOf(line).label; }},
    {ColumnInfo{"coroutine", Holds::Number, "its number in this list"} | inText("number", 9, 5),
     [](const CoroutineLine &line) -> Value { return line.number; }},
    {ColumnInfo{"function", Holds::Text, "the function that created it"} | inText("coroutine", 0, 9) | Look::Name,
     [](const CoroutineLine &line) -> Value { return coroutineName(*line.trace, line.one().function); }},
    {ColumnInfo{"source", Holds::Text, "its file and line"} | kOrNull,
     [](const CoroutineLine &line) -> Value { return sourceOf(line.trace->table.functions[line.one().function]); }},
    {ColumnInfo{"frame", Holds::Text,
                "`0x…`: the address of its frame; `null`: it was never suspended, or what it returned does not hold "
                "the frame"} |
         kOrNull,
     [](const CoroutineLine &line) -> Value {
       return line.one().frame ? fmt::format("{:#x}", line.one().frame) : std::string();
     }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when it was created, and how long it existed"} | inText("begin", 13, 0, 2) |
         Look::Number,
     [](const CoroutineLine &line) -> Value { return line.one().beginNs; },
     [](const CoroutineLine &line) { return formatTime(line.one().beginNs, line.originNs); }},
    {ColumnInfo{"life_ns", Holds::Duration} | inText("life", 11, 1) | Look::Number,
     [](const CoroutineLine &line) -> Value { return line.one().endNs - line.one().beginNs; }},
    {ColumnInfo{"running_ns", Holds::Duration, "as above, for this coroutine"} | inText("running", 11, 2, 3) |
         Look::Number,
     [](const CoroutineLine &line) -> Value { return line.one().runningNs; }},
    {ColumnInfo{"suspended_ns", Holds::Duration} | inText("suspended", 11, 3, 4) | Look::Number,
     [](const CoroutineLine &line) -> Value { return line.one().suspendedNs; }},
    {ColumnInfo{"resumptions", Holds::Count} | inText("resumed", 8, 4, 1) | Look::Number,
     [](const CoroutineLine &line) -> Value { return line.one().resumptions; }},
    {ColumnInfo{"begin_known", Holds::Flag, "its creation was seen; if not, `begin_ns` is its first resumption"},
     [](const CoroutineLine &line) -> Value { return line.one().isBeginKnown; }},
    {ColumnInfo{"ended", Holds::Flag, "its end was seen; if not, it counts as lasting until the end of the trace"},
     [](const CoroutineLine &line) -> Value { return line.one().isEnded; }},
    {ColumnInfo{"exception", Holds::Flag, "it was left by an exception"},
     [](const CoroutineLine &line) -> Value { return line.one().isLeftByException; }},
    {ColumnInfo{"cancelled", Holds::Flag, "Rust: it was dropped before it had finished"} | kOrNull,
     [](const CoroutineLine &line) -> Value { return knownIf(line.one().isFuture, line.one().isCancelled); }},
    {ColumnInfo{"state", Holds::Text,
                "Rust: the last that was seen of it, such as `Suspend0 (line 12)` or `Returned`"} |
         kOrNull,
     [](const CoroutineLine &line) -> Value { return line.one().state; }},
    {ColumnInfo{"thread", Holds::Number, "number of the thread that created it"},
     [](const CoroutineLine &line) -> Value { return line.trace->table.threads[line.one().firstThread].number; }},
    {ColumnInfo{"several_threads", Holds::Flag, "other threads resumed it"},
     [](const CoroutineLine &line) -> Value { return line.one().isOnSeveralThreads; }},
    {ColumnInfo{"parent", Holds::Number, "the `coroutine` number of the one above it"} | kOrNull,
     [](const CoroutineLine &line) -> Value { return numberOrNull(line.one().parent); }},
    {ColumnInfo{"link", Holds::Text, "as above"},
     [](const CoroutineLine &line) -> Value { return coroutineLinkName(line.one().link); }},
    {ColumnInfo{"creator", Holds::Number, "the `coroutine` number of the one that was running when it was created"} |
         kOrNull,
     [](const CoroutineLine &line) -> Value { return numberOrNull(line.one().creator); }},
    {ColumnInfo{"created_in", Holds::Text,
                "the function around the call that created it, if that function is not a coroutine's"} |
         kOrNull,
     [](const CoroutineLine &line) -> Value { return line.trace->name(line.one().createdIn); }},
};

} // namespace

Columns<CoroutineNodeLine> coroutineNodeColumns() { return kNodes; }
Columns<CoroutineLine> coroutineColumns() { return kCoroutines; }

} // namespace ada::analysis
