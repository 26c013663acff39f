// The columns of tables about coroutines.
#include "coroutine_table.h"

#include "base/format.h"
#include "base/quantities.h"

#include <algorithm>

namespace ada::analysis {

std::string coroutineName(const NamedTrace &trace, uint32_t function) {
  std::string name = trace.name(function);
  for (const std::string_view part : {" [.resume]", " [.destroy]", " [.cleanup]"})
    if (name.ends_with(part))
      name.resize(name.size() - part.size());
  return name;
}

namespace {

Value numberOrNull(uint32_t number) { return knownIf(number != kNoCoroutine, number); }

using Node = CoroutineNodeLine;
constexpr Column<Node> kNodes[] = {
    {{.key = "depth", .holds = Holds::Number, .help = "0 for a root"},
     [](const Node &line) -> Value { return line.node->depth; }},
    {{.key = "function",
      .heading = "coroutine, and below it the coroutines that it awaited",
      .help = "the function that created the coroutines",
      .look = Look::Tree,
      .order = 9},
     [](const Node &line) -> Value { return coroutineName(*line.trace, line.node->function); },
     [](const Node &line) { return indentOf(line.node->depth) + coroutineName(*line.trace, line.node->function); }},
    {{.key = "source", .orNull = true, .help = "its file and line"},
     [](const Node &line) -> Value { return sourceOf(line.trace->table.functions[line.node->function]); }},
    {{.key = "link",
      .help = "why they are below the line above: `awaited`, `resumed`, `created` (the strongest of all); `none` for "
              "roots"},
     [](const Node &line) -> Value { return coroutineLinkName(line.node->link); }},
    {{.key = "count",
      .heading = "count",
      .holds = Holds::Count,
      .help = "number of coroutines",
      .look = Look::Number,
      .width = 8,
      .order = 4},
     [](const Node &line) -> Value { return line.node->count; }},
    {{.key = "open", .holds = Holds::Count, .help = "how many of them were not seen to end"},
     [](const Node &line) -> Value { return line.node->open; }},
    {{.key = "exceptions", .holds = Holds::Count, .help = "how many of them were left by an exception"},
     [](const Node &line) -> Value { return line.node->exceptions; }},
    {{.key = "resumptions",
      .heading = "resumed",
      .holds = Holds::Count,
      .help = "resumptions of all of them",
      .look = Look::Number,
      .width = 8,
      .order = 5,
      .drop = 1},
     [](const Node &line) -> Value { return line.node->resumptions; }},
    {{.key = "life_ns",
      .heading = "life",
      .holds = Holds::Duration,
      .help = "sums over all of them",
      .look = Look::Number,
      .width = 11},
     [](const Node &line) -> Value { return line.node->lifeNs; }},
    {{.key = "running_ns",
      .heading = "running",
      .holds = Holds::Duration,
      .look = Look::Number,
      .width = 11,
      .order = 2,
      .drop = 3},
     [](const Node &line) -> Value { return line.node->runningNs; }},
    {{.key = "suspended_ns",
      .heading = "suspended",
      .holds = Holds::Duration,
      .look = Look::Number,
      .width = 11,
      .order = 3,
      .drop = 4},
     [](const Node &line) -> Value { return line.node->suspendedNs; }},
    {{.key = "longest_ns",
      .heading = "longest",
      .holds = Holds::Duration,
      .help = "the longest life",
      .look = Look::Number,
      .width = 11,
      .order = 1,
      .drop = 2},
     [](const Node &line) -> Value { return line.node->longestNs; }},
    {{.key = "longest",
      .holds = Holds::Number,
      .help = "the `coroutine` number in `--each` of the one with the longest life"},
     [](const Node &line) -> Value { return line.node->longest; }},
};

const model::Process &processOf(const CoroutineLine &line) { return line.trace->table.processes[line.one().process]; }

constexpr Column<CoroutineLine> kCoroutines[] = {
    {kPid, [](const CoroutineLine &line) -> Value { return processOf(line).pid; }},
    {kProcessInOther, [](const CoroutineLine &line) -> Value { return processOf(line).name; }},
    {{.key = "coroutine",
      .heading = "number",
      .holds = Holds::Number,
      .help = "its number in this list",
      .width = 9,
      .order = 5},
     [](const CoroutineLine &line) -> Value { return line.number; }},
    {{.key = "function",
      .heading = "coroutine",
      .help = "the function that created it",
      .look = Look::Name,
      .order = 9},
     [](const CoroutineLine &line) -> Value { return coroutineName(*line.trace, line.one().function); }},
    {{.key = "source", .orNull = true, .help = "its file and line"},
     [](const CoroutineLine &line) -> Value { return sourceOf(line.trace->table.functions[line.one().function]); }},
    {{.key = "frame",
      .orNull = true,
      .help = "`0x…`: the address of its frame; `null`: it was never suspended, or what it returned does not hold the "
              "frame"},
     [](const CoroutineLine &line) -> Value {
       return line.one().frame ? fmt::format("{:#x}", line.one().frame) : std::string();
     }},
    {{.key = "begin_ns",
      .heading = "begin",
      .holds = Holds::Moment,
      .help = "when it was created, and how long it existed",
      .look = Look::Number,
      .width = 13,
      .drop = 2},
     [](const CoroutineLine &line) -> Value { return line.one().beginNs; },
     [](const CoroutineLine &line) { return formatTime(line.one().beginNs, line.originNs); }},
    {{.key = "life_ns",
      .heading = "life",
      .holds = Holds::Duration,
      .look = Look::Number,
      .width = 11,
      .order = 1},
     [](const CoroutineLine &line) -> Value { return line.one().endNs - line.one().beginNs; }},
    {{.key = "running_ns",
      .heading = "running",
      .holds = Holds::Duration,
      .help = "as above, for this coroutine",
      .look = Look::Number,
      .width = 11,
      .order = 2,
      .drop = 3},
     [](const CoroutineLine &line) -> Value { return line.one().runningNs; }},
    {{.key = "suspended_ns",
      .heading = "suspended",
      .holds = Holds::Duration,
      .look = Look::Number,
      .width = 11,
      .order = 3,
      .drop = 4},
     [](const CoroutineLine &line) -> Value { return line.one().suspendedNs; }},
    {{.key = "resumptions",
      .heading = "resumed",
      .holds = Holds::Count,
      .look = Look::Number,
      .width = 8,
      .order = 4,
      .drop = 1},
     [](const CoroutineLine &line) -> Value { return line.one().resumptions; }},
    {{.key = "begin_known",
      .holds = Holds::Flag,
      .help = "its creation was seen; if not, `begin_ns` is its first resumption"},
     [](const CoroutineLine &line) -> Value { return line.one().isBeginKnown; }},
    {{.key = "ended",
      .holds = Holds::Flag,
      .help = "its end was seen; if not, it counts as lasting until the end of the trace"},
     [](const CoroutineLine &line) -> Value { return line.one().isEnded; }},
    {{.key = "exception", .holds = Holds::Flag, .help = "it was left by an exception"},
     [](const CoroutineLine &line) -> Value { return line.one().isLeftByException; }},
    {{.key = "thread", .holds = Holds::Number, .help = "number of the thread that created it"},
     [](const CoroutineLine &line) -> Value { return line.trace->table.threads[line.one().firstThread].number; }},
    {{.key = "several_threads", .holds = Holds::Flag, .help = "other threads resumed it"},
     [](const CoroutineLine &line) -> Value { return line.one().isOnSeveralThreads; }},
    {{.key = "parent",
      .holds = Holds::Number,
      .orNull = true,
      .help = "the `coroutine` number of the one above it"},
     [](const CoroutineLine &line) -> Value { return numberOrNull(line.one().parent); }},
    {{.key = "link", .help = "as above"},
     [](const CoroutineLine &line) -> Value { return coroutineLinkName(line.one().link); }},
    {{.key = "creator",
      .holds = Holds::Number,
      .orNull = true,
      .help = "the `coroutine` number of the one that was running when it was created"},
     [](const CoroutineLine &line) -> Value { return numberOrNull(line.one().creator); }},
    {{.key = "created_in",
      .orNull = true,
      .help = "the function around the call that created it, if that function is not a coroutine's"},
     [](const CoroutineLine &line) -> Value { return line.trace->name(line.one().createdIn); }},
};

} // namespace

Columns<CoroutineNodeLine> coroutineNodeColumns() { return kNodes; }
Columns<CoroutineLine> coroutineColumns() { return kCoroutines; }

} // namespace ada::analysis
