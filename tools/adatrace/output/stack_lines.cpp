// Prints how threads ended, as text.
#include "stack_lines.h"
#include "report_lines.h"
#include "trace/base/quantities.h"

#include <algorithm>

namespace ada::cli {

using analysis::EndCall;
using analysis::ThreadEnd;

std::string callText(const StackTable &table, const EndCall &call, NameStyle style) {
  const model::Function &function = table.functions()[call.span.functionIndex];
  return analysis::withArguments(nameOf(function, style), call.values.arguments, function.kind);
}

uint64_t openNs(const StackTable &table, uint32_t thread, const Span &span) {
  const uint64_t end = table.endNs(thread);
  return end > span.beginNs ? end - span.beginNs : 0;
}

std::string endingText(const EndCall &call) {
  std::string text = call.values.result.empty() ? "" : " → " + call.values.result;
  return call.span.how == SpanEnd::Return ? text : text + " " + endNote(call.span.how);
}

namespace {

// How long before the end of the trace, or before now.
std::string ageText(const StackTable &table, uint32_t thread, uint64_t ns) {
  const uint64_t end = table.endNs(thread);
  return formatDuration(end > ns ? end - ns : 0) + (table.isAlive(thread) ? " ago" : " before the end");
}

void printFrame(Output &out, const Palette &palette, const StackTable &table, uint32_t thread, const EndCall &call,
                size_t number, const StackLineOptions &options) {
  out.print("  #{:<3} {}{}{}  {}open for {}{}{}", number, palette.name, callText(table, call, options.names.style),
            palette.reset, palette.dim, call.span.isEarlier ? "more than " : "",
            formatDuration(openNs(table, thread, call.span)), palette.reset);
  const std::string place = sourceOf(table.functions()[call.span.functionIndex]);
  if (!place.empty())
    out.print("  {}{}{}", palette.dim, place, palette.reset);
  out.write("\n");
}

} // namespace

void printStack(Output &out, const Palette &palette, const StackTable &table, const ThreadEnd &end,
                const StackLineOptions &options) {
  out.print("{}: {}, last event {}\n", table.input().label(end.thread),
            end.open.empty() ? "no call is open" : formatCount(end.open.size(), "open call"),
            ageText(table, end.thread, table.lastEventNs(end.thread)));
  // In a very deep stack, the middle is the least informative part.
  const size_t head = end.open.size() <= options.mostFrames ? end.open.size() : options.mostFrames * 3 / 4;
  const size_t tail = end.open.size() <= options.mostFrames ? 0 : options.mostFrames - head;
  for (size_t i = 0; i < head; ++i)
    printFrame(out, palette, table, end.thread, end.open[i], i, options);
  if (tail)
    out.print("  {}... {}; --frames shows more{}\n", palette.dim,
              formatCount(end.open.size() - head - tail, "more open call"), palette.reset);
  for (size_t i = end.open.size() - tail; i < end.open.size(); ++i)
    printFrame(out, palette, table, end.thread, end.open[i], i, options);
  if (end.finished.empty())
    return;
  out.write("  finished calls, latest first:\n");
  for (const EndCall &call : end.finished)
    out.print("  {}{:>11}{}  {}{}{}{}  {}ended {}{}\n", palette.number, formatDuration(call.span.durationNs()),
              palette.reset, palette.name, callText(table, call, options.names.style), palette.reset, endingText(call),
              palette.dim, ageText(table, end.thread, call.span.endNs), palette.reset);
}

void printStackLine(Output &out, const Palette &palette, const StackTable &table, const ThreadEnd &end,
                    const StackLineOptions &options) {
  constexpr size_t kShown = 3;
  out.print("{}: ", table.input().label(end.thread));
  if (end.open.empty())
    out.write("no call is open");
  for (size_t i = 0; i < std::min(kShown, end.open.size()); ++i)
    out.print("{}{}{}{}", i ? " < " : "", palette.name,
              nameOf(table.functions()[end.open[i].span.functionIndex], options.names.style), palette.reset);
  if (end.open.size() > kShown)
    out.print(" < {}", formatCount(end.open.size() - kShown, "more"));
  if (!end.open.empty())
    out.print("  {}for {}{}", palette.dim, formatDuration(openNs(table, end.thread, end.open.front().span)),
              palette.reset);
  out.write("\n");
}

} // namespace ada::cli
