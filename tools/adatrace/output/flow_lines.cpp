// Prints where the control flow of two runs differs.
#include "flow_lines.h"
#include "base/quantities.h"

#include "analysis/values/value_texts.h"

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
  return end == "exception" ? "left by exception"
         : end == "open"    ? "still open"
         : end == "missing" ? "no exit recorded"
         : end.empty()      ? "returned"
                            : "→ " + end;
}

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
    array_.next();
    out_.write(jsonOf(difference, functions));
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
  constexpr size_t kMost = 8;
  const size_t depth = difference.callers.size(), first = depth > kMost ? depth - kMost : 0;
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

std::string FlowLines::jsonOf(const FlowDifference &difference, const FlowFunctions &functions) const {
  const auto name = [&](uint32_t function) { return nameOf(functions[function], options_.names.style); };
  JsonMembers json;
  json.text("kind", kindName(difference.kind)).number("same_calls", difference.sameCalls).beginArray("callers");
  for (const uint32_t caller : difference.callers)
    json.text({}, name(caller));
  json.endArray();
  const auto side = [&](const char *key, const TraceInput &input, uint32_t number, const FlowPart &part) {
    const model::Thread &thread = input.table().threads[number];
    json.beginObject(key).number("thread", thread.number).number("tid", thread.tid).text("name", thread.name);
    json.number("begin_ns", part.timeNs).beginArray("calls");
    for (const FlowCall &call : part.calls)
      json.beginObject()
          .number("seq", call.seq)
          .text("function", name(call.function))
          .textOrNull("arguments", call.arguments)
          .number("times", call.times)
          .endObject();
    json.endArray().number("more", part.more);
    if (difference.kind == FlowKind::End)
      json.text("end", part.end.empty() ? "return" : part.end);
    json.endObject();
  };
  side("a", a_, threadA_, difference.a);
  side("b", b_, threadB_, difference.b);
  return json.object();
}

// A thread that the other side does not have.
void FlowLines::thread(const TraceInput &input, uint32_t number, const char *side, const Escape &colour) {
  ++differences_;
  const model::Thread &thread = input.table().threads[number];
  if (isText()) {
    out_.print("{}{} {}: {}{}\n", colour, side[0] == 'a' ? "-" : "+", input.label(number),
               formatCount(thread.extent ? thread.extent->events : 0, "event"), palette_.reset);
    return;
  }
  array_.next();
  JsonMembers json;
  json.text("kind", "thread").beginObject(side).number("thread", thread.number).number("tid", thread.tid);
  out_.write(json.text("name", thread.name).endObject().object());
}

void FlowLines::finish(const analysis::FlowThreads &threads) {
  for (const uint32_t number : threads.onlyA)
    thread(a_, number, "a", palette_.error);
  for (const uint32_t number : threads.onlyB)
    thread(b_, number, "b", palette_.good);
  if (!isText())
    array_.finish();
  else if (threads.isCut)
    out_.print("{}... stopped after {}; --limit=0 shows all{}\n", palette_.dim, formatCount(differences_, "difference"),
               palette_.reset);
}

} // namespace ada::cli
