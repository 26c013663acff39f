// The columns of tables about waits.
#include "wait_table.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <memory>

namespace ada::analysis {

NamedTrace namedTrace(const TraceTable &table, NameStyle style) {
  const auto names = std::make_shared<FunctionNames>(table.functions, style);
  return {table, [names](uint32_t function) { return names->name(function); }, std::make_shared<ObjectNames>(table)};
}

std::string objectName(const TraceTable &table, const WaitedFor &object) {
  if (object.joined != kNobody)
    return fmt::format("thread {}", table.threads[object.joined].number);
  if (!object.value)
    return {};
  switch (object.kind) {
  case WaitKind::Pipe:
  case WaitKind::Socket:
  case WaitKind::File:
  case WaitKind::Descriptor:
  case WaitKind::Poll:
    if (object.other)
      return fmt::format("{}{}{}", *object.value, object.kind == WaitKind::Pipe ? "<-" : "<->", *object.other);
    return std::to_string(*object.value);
  default:
    return fmt::format("{:#x}", *object.value);
  }
}

// Whether the object is at an address.
static bool isInMemory(WaitKind kind) {
  switch (kind) {
  case WaitKind::Mutex:
  case WaitKind::RwLock:
  case WaitKind::SpinLock:
  case WaitKind::Condition:
  case WaitKind::Semaphore:
  case WaitKind::Barrier:
  case WaitKind::Futex:
  case WaitKind::Once:
    return true;
  default:
    return false;
  }
}

std::string variableName(const NamedTrace &trace, const WaitedFor &object) {
  const bool mayBe = isInMemory(object.kind) && object.value && trace.objects;
  return mayBe ? trace.objects->at(object.process, *object.value) : std::string();
}

std::string objectText(const NamedTrace &trace, const WaitedFor &object) {
  std::string text(waitKindName(object.kind));
  if (object.kind == WaitKind::Own)
    return "in the program's own code or untraced callees";
  if (object.kind == WaitKind::Recorder)
    return "recorder: held up by AdaTrace, not a wait of the program";
  if (object.kind == WaitKind::Unknown)
    return "unknown: scheduling records are missing";
  if (const std::string variable = variableName(trace, object); !variable.empty())
    return text + " " + variable; // which function made it says no more
  if (isInMemory(object.kind) && object.place != kNobody) {
    text += " made in " + trace.name(object.place);
    return object.value ? fmt::format("{} ({:#x})", text, *object.value) : text;
  }
  if (const std::string name = objectName(trace.table, object); !name.empty())
    text += (object.joined != kNobody ? " of " : " ") + name;
  else if (object.callee != kNobody)
    text = object.kind == WaitKind::Library ? trace.name(object.callee) : text + " in " + trace.name(object.callee);
  if (object.place != kNobody)
    text += ", created in " + trace.name(object.place);
  return text;
}

namespace {

template <class Row, class List> std::vector<Row> linesOf(const List &list, const NamedTrace &trace) {
  std::vector<Row> lines;
  for (const auto &entry : list)
    lines.push_back({&entry, &trace});
  return lines;
}

const model::Process &processOf(const WaitLine &line) { return line.trace->table.processes[line.row->object.process]; }

constexpr ColumnInfo kObject = ColumnInfo{"object", Holds::Text, "what it waits for, as in `waits`"} | kOrNull;

constexpr ColumnInfo kVariable = ColumnInfo{"variable", Holds::Text, "the variable, as in `waits`"} | kOrNull;

constexpr Column<CallerLine> kCallers[] = {
    {ColumnInfo{"function", Holds::Text, "in the style of `--names`"} | kOrNull,
     [](const CallerLine &line) -> Value { return line.trace->name(line.caller->function); }},
    {ColumnInfo{"waits", Holds::Count, "how many of its calls waited"},
     [](const CallerLine &line) -> Value { return line.caller->waits; }},
    {ColumnInfo{"total_ns", Holds::Duration, "how long they waited"},
     [](const CallerLine &line) -> Value { return line.caller->ns; }},
};

constexpr Column<HolderLine> kHolders[] = {
    {ColumnInfo{"thread", Holds::Number, "the thread"},
     [](const HolderLine &line) -> Value { return line.thread().number; }},
    {kTid, [](const HolderLine &line) -> Value { return line.thread().tid; }},
    {ColumnInfo{"name", Holds::Text, "its name"} | kOrNull,
     [](const HolderLine &line) -> Value { return line.thread().label; }},
    {ColumnInfo{"function", Holds::Text, "the program's function that it was in for most of that time"} | kOrNull,
     [](const HolderLine &line) -> Value { return line.trace->name(line.holder->function); }},
    {ColumnInfo{"call", Holds::Text, "the library function that this function had called at that time"} | kOrNull,
     [](const HolderLine &line) -> Value { return line.trace->name(line.holder->library); }},
    {ColumnInfo{"taken_in", Holds::Text, "the function that took the lock, or that woke the waiting thread"} | kOrNull,
     [](const HolderLine &line) -> Value { return line.trace->name(line.holder->takenIn); }},
    {ColumnInfo{"waits", Holds::Count, "number of waits in which it was the holder"},
     [](const HolderLine &line) -> Value { return line.holder->waits; }},
    {ColumnInfo{"total_ns", Holds::Duration, "how much of the waiting time it was the holder"},
     [](const HolderLine &line) -> Value { return line.holder->ns; }},
    {ColumnInfo{"waiting_ns", Holds::Duration, "how much of that time it was waiting or preempted itself"},
     [](const HolderLine &line) -> Value { return line.holder->off.waitingNs; }},
    {ColumnInfo{"preempted_ns", Holds::Duration},
     [](const HolderLine &line) -> Value { return line.holder->off.preemptedNs; }},
    {ColumnInfo{"recorder_ns", Holds::Duration,
                "how much of that time the recorder held it up, and for how much its state is not known"},
     [](const HolderLine &line) -> Value { return line.holder->off.recorderNs; }},
    {ColumnInfo{"unknown_ns", Holds::Duration},
     [](const HolderLine &line) -> Value { return line.holder->off.unknownNs; }},
    {ColumnInfo{"ended", Holds::Flag, "it has ended and still holds the lock"},
     [](const HolderLine &line) -> Value { return line.holder->hasEnded; }},
};

constexpr Column<DeadlockLine> kDeadlock[] = {
    {ColumnInfo{"thread", Holds::Number, "the thread"},
     [](const DeadlockLine &line) -> Value { return line.thread().number; }},
    {kTid, [](const DeadlockLine &line) -> Value { return line.thread().tid; }},
    {kObject, [](const DeadlockLine &line) -> Value { return objectName(line.trace->table, line.waiting->object); }},
    {ColumnInfo{"kind", Holds::Text, "the kind of object, as in `waits`"},
     [](const DeadlockLine &line) -> Value { return waitKindName(line.waiting->object.kind); }},
    {kVariable, [](const DeadlockLine &line) -> Value { return variableName(*line.trace, line.waiting->object); }},
    {ColumnInfo{"frames", Holds::Texts, "its open calls, the innermost first"},
     [](const DeadlockLine &line) -> Value {
       std::vector<std::string> names;
       for (const uint32_t function : line.waiting->frames)
         names.push_back(line.trace->name(function));
       return jsonTexts(names);
     }},
};

constexpr Column<WaitLine> kWaits[] = {
    {kPid, [](const WaitLine &line) -> Value { return processOf(line).pid; }},
    {kProcessInOther, [](const WaitLine &line) -> Value { return processOf(line).label; }},
    {ColumnInfo{"object", Holds::Text,
                "the address, `0x55d0c0de`; the descriptor, `3`, for a pipe `3<-4`, for a socket pair `3<->4`; the "
                "joined thread, `thread 2`; `null` if it is not known, and with `--by=place`"} |
         kOrNull | inText("waited for", 0, 9) | Look::Name,
     [](const WaitLine &line) -> Value { return objectName(line.trace->table, line.row->object); },
     [](const WaitLine &line) {
       const bool isOne = line.trace->table.processes.size() == 1;
       std::string who = isOne ? std::string() : processOf(line).label + " ";
       if (line.row->processes > 1)
         who = fmt::format("{} ×{}: ", line.row->command, formatCount(line.row->processes));
       return who + objectText(*line.trace, line.row->object);
     }},
    {ColumnInfo{"kind", Holds::Text,
                "`mutex`, `rwlock`, `spin lock`, `condition`, `semaphore`, `barrier`, `futex`, `once`, `join`, "
                "`process`, `pipe`, `socket`, `file`, `descriptor` (of an unknown kind), `poll`, `queue`, `signal`, "
                "`sleep`, `call` (another function of a library), `own` (the program's own code). Two are not waits: "
                "`recorder` (the recorder held threads up) and `unknown` (the system's scheduling records for that "
                "time were lost); for these, `waits` counts the calls that were affected"},
     [](const WaitLine &line) -> Value { return waitKindName(line.row->object.kind); }},
    {ColumnInfo{"call", Holds::Text, "the library function that waited, if the object is not known"} | kOrNull,
     [](const WaitLine &line) -> Value { return line.trace->name(line.row->object.callee); }},
    {ColumnInfo{"place", Holds::Text, "the function that created the object"} | kOrNull,
     [](const WaitLine &line) -> Value { return line.trace->name(line.row->object.place); }},
    {ColumnInfo{
         "variable", Holds::Text,
         "the variable that it is, or is in: `store.rows.lock`, or `store (+8)` if the member is not known; `null` "
         "if it is in none, or the program is not there any more"} |
         kOrNull,
     [](const WaitLine &line) -> Value { return variableName(*line.trace, line.row->object); }},
    {ColumnInfo{"waits", Holds::Count, "number of calls that waited"} | inText("waits", 8, 3) | kSorts | Look::Number,
     [](const WaitLine &line) -> Value { return line.row->waits; }},
    {ColumnInfo{"total_ns", Holds::Duration, "how long they waited"} | inText("total", 11) | kSorts | Look::Number,
     [](const WaitLine &line) -> Value { return line.row->totalNs; }},
    {ColumnInfo{"max_ns", Holds::Duration} | inText("max", 11, 1, 2) | kSorts | Look::Number,
     [](const WaitLine &line) -> Value { return line.row->maxNs; }},
    {ColumnInfo{"mean_ns", Holds::Duration} | inText("mean", 11, 2, 1) | kSorts | Look::Number,
     [](const WaitLine &line) -> Value { return line.row->totalNs / line.row->waits; }},
    {ColumnInfo{"timeouts", Holds::Count, "how many of them timed out"},
     [](const WaitLine &line) -> Value { return line.row->timeouts; }},
    {ColumnInfo{"open", Holds::Count, "how many of them had not ended when the trace did"},
     [](const WaitLine &line) -> Value { return line.row->open; }},
    {ColumnInfo{"max_thread", Holds::Number, "the thread of the longest wait"},
     [](const WaitLine &line) -> Value { return line.trace->table.threads[line.row->maxThread].number; }},
    {ColumnInfo{"max_seq", Holds::Number,
                "the number of the longest wait's call in that thread, for `why --call`; `null` if it began before the "
                "trace did"} |
         kOrNull,
     [](const WaitLine &line) -> Value { return line.row->maxSeq; }},
    {ColumnInfo{"callers", Holds::Objects, "the program's functions that waited, the longest first"} | kNotInCsv,
     [](const WaitLine &line) -> Value {
       return jsonList(callerColumns(), linesOf<CallerLine>(line.row->callers, *line.trace));
     }},
    {ColumnInfo{
         "holders", Holds::Objects,
         "the threads that held the object during the waits, or that woke the waiting threads, the longest first"} |
         kNotInCsv,
     [](const WaitLine &line) -> Value {
       return jsonList(holderColumns(), linesOf<HolderLine>(line.row->holders, *line.trace));
     }},
    {ColumnInfo{
         "deadlock", Holds::Objects,
         "the threads of the deadlock that the object is part of, each of which waits for the next; otherwise `null`"} |
         kOrNull | kNotInCsv,
     [](const WaitLine &line) -> Value {
       const WaitedFor &object = line.row->object;
       return deadlockValue(*line.trace, *line.deadlocks, [&](const DeadlockThread &thread) {
         return object.isKnown() && thread.object.process == object.process && thread.object.kind == object.kind &&
                thread.object.value == object.value && thread.object.joined == object.joined;
       });
     }},
};

} // namespace

Columns<CallerLine> callerColumns() { return kCallers; }
Columns<HolderLine> holderColumns() { return kHolders; }
Columns<DeadlockLine> deadlockColumns() { return kDeadlock; }
Columns<WaitLine> waitColumns() { return kWaits; }

Value deadlockValue(const NamedTrace &trace, const std::vector<DeadlockCycle> &deadlocks,
                    const std::function<bool(const DeadlockThread &)> &isMeant) {
  for (const DeadlockCycle &deadlock : deadlocks)
    if (std::ranges::any_of(deadlock, isMeant))
      return jsonList(deadlockColumns(), linesOf<DeadlockLine>(deadlock, trace));
  return {};
}

void sortWaits(std::vector<WaitLine> &lines, std::string_view word) {
  const auto identity = [](const WaitLine &line) {
    return std::pair(line.row->object.kind, objectName(line.trace->table, line.row->object));
  };
  if (const auto *column = findColumn(waitColumns(), word); column && column->sorts)
    std::ranges::stable_sort(lines, std::greater(), [&](const WaitLine &line) { return column->get(line).number(); });
  else
    std::ranges::stable_sort(lines, {}, identity);
}

} // namespace ada::analysis
