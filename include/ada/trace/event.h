// What happened in a thread, whatever file it came from: calls, returns, exceptional exits.
#ifndef ADA_TRACE_EVENT_H
#define ADA_TRACE_EVENT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ada {

/// What an event says; an exit also says how it is known. The numbers 1 to 3 are those of ATF. ATF has none for the
/// other exits: its files have them as the kind that their lowest byte gives. Readers pass other numbers through.
enum class EventKind : uint32_t {
  Call = 1,          ///< a function was entered
  Return = 2,        ///< it returned
  Exception = 3,     ///< it was left by unwinding, longjmp or the end of its thread, and a hook saw that
  Missing = 0xAD02,  ///< it is over, but its exit was not recorded: how it was left is not known
  Inferred = 0xAD03, ///< no hook saw how it was left; a later event proves that it is over
  Mark = 0xAD07,     ///< a point in time with a name: model::Batch::texts
  Value = 0xAD08,    ///< a named value of the innermost open call: model::Batch::texts
};

constexpr bool isExit(EventKind kind) {
  return kind == EventKind::Return || kind == EventKind::Exception || kind == EventKind::Missing ||
         kind == EventKind::Inferred;
}
/// It begins or ends a call.
constexpr bool isOfCall(EventKind kind) { return kind == EventKind::Call || isExit(kind); }
/// It has a text, and no function.
constexpr bool isText(EventKind kind) { return kind == EventKind::Mark || kind == EventKind::Value; }
/// What a file says with this number. Files have marks and values in other ways.
constexpr EventKind eventKindOf(uint32_t number) {
  return isText(EventKind{number}) ? EventKind{number & 0xff} : EventKind{number};
}

/// As ATF has it.
constexpr EventKind inAtf(EventKind kind) {
  return kind == EventKind::Missing || kind == EventKind::Inferred ? EventKind{static_cast<uint32_t>(kind) & 0xff}
                                                                   : kind;
}

/// "call", "return", "exception", "missing", "inferred", "mark", "value"; "unknown" for any other number.
constexpr std::string_view kindName(EventKind kind) {
  switch (kind) {
  case EventKind::Call:
    return "call";
  case EventKind::Return:
    return "return";
  case EventKind::Exception:
    return "exception";
  case EventKind::Missing:
    return "missing";
  case EventKind::Inferred:
    return "inferred";
  case EventKind::Mark:
    return "mark";
  case EventKind::Value:
    return "value";
  }
  return "unknown";
}

/// What a symbol is: a function, or an annotation in the program (ada/annotations.h).
/// Spans are like calls; the others are calls that take no time.
enum class SymbolKind : uint8_t { Function, Span, Instant, Counter, FlowBegin, FlowStep, FlowEnd };

constexpr bool isPoint(SymbolKind kind) { return kind >= SymbolKind::Instant; }
constexpr bool isFlow(SymbolKind kind) { return kind >= SymbolKind::FlowBegin; }

/// "function", "span", "instant", "counter", "flow_begin", "flow_step", "flow_end"
std::string_view kindName(SymbolKind kind);
/// Other names are functions.
SymbolKind symbolKindOf(std::string_view name);

/// A time in which events of a thread were lost.
struct LossGap {
  uint64_t fromNs = 0, toNs = 0;       ///< the last event before it, and the first one after it
  std::optional<uint64_t> events = {}; ///< how many, if that is known
};

/// A media time, `mediaValue` in units of 1/`mediaTimescale` seconds, and when it was.
struct TimingAnchor {
  uint64_t hostTimeNs = 0;
  int64_t mediaValue = 0, mediaTimescale = 0;
  std::string label;
  bool operator==(const TimingAnchor &) const = default;
};

/// A function in a process: the module's number in the upper half (0 is the
/// main executable), the ordinal of the function in the module's table in the
/// lower half.
constexpr uint64_t makeFunctionId(uint32_t module, uint32_t symbol) { return uint64_t{module} << 32 | symbol; }
constexpr uint32_t moduleOf(uint64_t functionId) { return static_cast<uint32_t>(functionId >> 32); }
constexpr uint32_t symbolOf(uint64_t functionId) { return static_cast<uint32_t>(functionId); }

} // namespace ada

#endif // ADA_TRACE_EVENT_H
