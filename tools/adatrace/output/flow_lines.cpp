// Prints where the control flow of two runs differs.
#include "flow_lines.h"
#include "trace/base/json.h"
#include "trace/base/quantities.h"

#include "analysis/calls/value_texts.h"

#include <algorithm>

namespace ada::cli {

using analysis::FlowCall;
using analysis::FlowDifference;
using analysis::FlowFunctions;
using analysis::FlowKind;
using analysis::FlowPart;

static std::string timeText(const TraceInput &input, uint64_t timeNs) {
  return formatDuration(timeNs - std::min(input.originNs(), timeNs));
}

// How a call ended, in words.
static std::string endText(const std::string &end) {
  return end == "exception"  ? "left by exception"
         : end == "inferred" ? "exit inferred"
         : end == "open"     ? "still open"
         : end == "missing"  ? "no exit recorded"
         : end.empty()       ? "returned"
                             : "→ " + end;
}

static const char *kindName(FlowKind kind) {
  switch (kind) {
  case FlowKind::Calls:
    return "calls";
  case FlowKind::Arguments:
    return "arguments";
  case FlowKind::End:
    return "end";
  case FlowKind::Rest:
    break;
  }
  return "rest";
}

//===--- rows -------------------------------------------------------------===//

namespace {

// A difference, or a thread that only one side has.
struct FlowRow {
  const TraceInput *a, *b; // null: not this side
  uint32_t threadA, threadB;
  const FlowDifference *difference = nullptr;
  const FlowFunctions *functions = nullptr;
  NameStyle style = NameStyle::Short;

  std::string name(uint32_t function) const { return nameOf((*functions)[function], style); }
};

Value sideOf(const FlowRow &row, const TraceInput *input, uint32_t number, FlowPart FlowDifference::*which) {
  if (!input)
    return Absent();
  const model::Thread &thread = input->table().threads[number];
  JsonMembers json;
  json.number("thread", thread.number).number("tid", thread.tid).text("name", thread.label);
  if (!row.difference)
    return Json{json.object()};
  const FlowPart &part = row.difference->*which;
  json.number("begin_ns", part.timeNs).beginArray("calls");
  for (const FlowCall &call : part.calls)
    json.beginObject()
        .number("seq", call.seq)
        .text("function", row.name(call.function))
        .textOrNull("arguments", call.arguments)
        .number("times", call.times)
        .endObject();
  json.endArray().number("more", part.more);
  if (row.difference->kind == FlowKind::End)
    json.text("end", part.end.empty() ? "return" : part.end);
  return Json{json.object()};
}

constexpr Column<FlowRow> kFlow[] = {
    {ColumnInfo{"kind", Holds::Text,
                "`calls`: calls that only one side made; `arguments`: the same call with different arguments; `end`: "
                "the same call ended differently; `rest`: the rest of the caller is too different to compare; "
                "`thread`: only one side has the thread"} |
         inText("kind"),
     [](const FlowRow &row) -> Value { return row.difference ? kindName(row.difference->kind) : "thread"; }},
    {ColumnInfo{"same_calls", Holds::Count, "identical calls since the last difference of the thread"} |
         inText("same calls"),
     [](const FlowRow &row) -> Value { return row.difference ? Value(row.difference->sameCalls) : Value(Absent()); }},
    {ColumnInfo{"callers", Holds::Texts, "the functions that both sides are in, the outermost first"} |
         inText("callers"),
     [](const FlowRow &row) -> Value {
       if (!row.difference)
         return Absent();
       std::vector<std::string> names;
       for (const uint32_t caller : row.difference->callers)
         names.push_back(row.name(caller));
       return jsonTexts(names);
     }},
    {ColumnInfo{
         "a", Holds::Object,
         "`thread`, `tid`, `name`; `begin_ns`: where the difference begins; `calls`: `{\"seq\", \"function\", "
         "\"arguments\", \"times\"}` for each of the first calls, `times` in a row; `more`: calls that are not "
         "listed; for kind `end` also `end`: `return`, the result, `exception`, `inferred`, `missing` or `open`"} |
         inText("a"),
     [](const FlowRow &row) { return sideOf(row, row.a, row.threadA, &FlowDifference::a); }},
    {ColumnInfo{"b", Holds::Object} | inText("b"),
     [](const FlowRow &row) { return sideOf(row, row.b, row.threadB, &FlowDifference::b); }},
};

} // namespace

ColumnList flowTable() { return infoOf(Columns<FlowRow>(kFlow)); }

void FlowLines::beginThread(uint32_t threadA, uint32_t threadB) {
  threadA_ = threadA, threadB_ = threadB;
  ofThread_ = 0;
  if (isText())
    out_.print("{}{}; {}{}\n", palette_.name, a_.label(threadA), b_.label(threadB), palette_.reset);
}

bool FlowLines::difference(const FlowDifference &difference, const FlowFunctions &functions) {
  if (options_.limit && differences_ == options_.limit)
    return false;
  ++differences_;
  ++ofThread_;
  if (isText()) {
    printText(difference, functions);
  } else {
    table_.write(Columns<FlowRow>(kFlow),
                 {&a_, &b_, threadA_, threadB_, &difference, &functions, options_.names.style});
  }
  return true;
}

void FlowLines::endThread(uint64_t sameCalls) {
  if (isText())
    out_.print("{}  {}, {}{}\n", palette_.dim, ofThread_ ? formatCount(ofThread_, "difference") : "no difference",
               formatCount(sameCalls, "call") + " alike", palette_.reset);
}

void FlowLines::printText(const FlowDifference &difference, const FlowFunctions &functions) {
  std::string callers;
  // The innermost calls are the most informative.
  constexpr size_t kMax = 8;
  const size_t depth = difference.callers.size(), first = depth > kMax ? depth - kMax : 0;
  if (first)
    callers = fmt::format("... {} > ", formatCount(first, "caller"));
  for (size_t i = first; i < depth; ++i)
    callers += nameOf(functions[difference.callers[i]], options_.names.style) + (i + 1 < depth ? " > " : "");
  out_.print("  {}after {}{}{}, at {} and {}{}\n", palette_.dim, formatCount(difference.sameCalls, "call") + " alike",
             callers.empty() ? "" : " in ", callers, timeText(a_, difference.a.timeNs),
             timeText(b_, difference.b.timeNs), palette_.reset);
  printPart("-", palette_.error, difference.a, difference, functions);
  printPart("+", palette_.good, difference.b, difference, functions);
}

void FlowLines::printPart(const char *sign, const Escape &colour, const FlowPart &part,
                          const FlowDifference &difference, const FlowFunctions &functions) {
  for (const FlowCall &call : part.calls) {
    const std::string name = nameOf(functions[call.function], options_.names.style);
    out_.print("    {}{} {}{}{}{}\n", colour, sign,
               analysis::withArguments(name, call.arguments, functions[call.function].kind),
               call.times > 1 ? " ×" + formatCount(call.times) : "",
               difference.kind == FlowKind::End ? " " + endText(part.end) : "", palette_.reset);
  }
  if (difference.kind == FlowKind::Rest)
    out_.print("    {}{} {}, too different to compare{}\n", colour, sign, formatCount(part.more, "call"),
               palette_.reset);
  else if (part.more)
    out_.print("    {}{} ... {}{}\n", colour, sign, formatCount(part.more, "more call"), palette_.reset);
}

// A thread that the other side does not have.
void FlowLines::thread(const TraceInput &input, uint32_t number, const char *side, const Escape &colour) {
  ++differences_;
  if (isText()) {
    const model::Thread &thread = input.table().threads[number];
    out_.print("{}{} {}: {}{}\n", colour, side[0] == 'a' ? "-" : "+", input.label(number),
               formatCount(thread.extent ? thread.extent->events : 0, "event"), palette_.reset);
    return;
  }
  const bool isA = side[0] == 'a';
  table_.write(Columns<FlowRow>(kFlow), {isA ? &input : nullptr, isA ? nullptr : &input, number, number});
}

void FlowLines::finish(const analysis::FlowThreads &threads) {
  for (const uint32_t number : threads.onlyA)
    thread(a_, number, "a", palette_.error);
  for (const uint32_t number : threads.onlyB)
    thread(b_, number, "b", palette_.good);
  if (!isText())
    table_.finish();
  else if (threads.isCut)
    out_.print("{}... stopped after {}; --limit=0 shows all{}\n", palette_.dim, formatCount(differences_, "difference"),
               palette_.reset);
}

} // namespace ada::cli
