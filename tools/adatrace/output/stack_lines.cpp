// Prints how threads ended.
#include "stack_lines.h"
#include "base/boot_time.h"
#include "base/quantities.h"
#include "json_fields.h"
#include "process/recover_process.h"
#include "wait_lines.h"

#include <algorithm>
#include <filesystem>

namespace ada::cli {

using analysis::EndCall;
using analysis::ThreadEnd;

//===--- the table --------------------------------------------------------===//

// Whether the process is recording now. The trace may be its directory or the session that contains it.
static bool isLive(const std::string &trace, const std::string &process) {
  std::error_code error;
  const std::string inside = trace + "/" + process;
  const std::string &directory = std::filesystem::is_directory(inside, error) ? inside : trace;
  return std::filesystem::exists(directory + "/manifest.json", error) && stateOf(directory) == ProcessState::Running;
}

std::optional<StackTable> StackTable::read(TraceInput &input, const analysis::FilterOptions &filter, size_t recent) {
  StackTable table(input);
  for (const model::Process &process : input.table().processes) {
    table.areAlive_.push_back(isLive(input.name(), process.name));
    table.processEnds_.push_back(table.areAlive_.back() ? std::max(bootTimeNs(), input.endNs()) : input.endNs());
  }
  auto ends = analysis::readThreadEnds(input.source(), input.table(), input.threads(), filter, recent);
  if (!ends) {
    complain(ends.error().text());
    return std::nullopt;
  }
  table.ends_ = *std::move(ends);
  return table;
}

bool StackTable::readValues(uint32_t thread, std::vector<EndCall> &calls, size_t most) {
  analysis::ValueReader reader(input_->source(), input_->table());
  for (size_t i = 0; i < calls.size(); ++i) {
    if (i >= most && i + most < calls.size())
      continue;
    EndCall &call = calls[i];
    auto values = reader.of(thread, call.span);
    if (!values) {
      complain(values.error().text());
      return false;
    }
    call.values = *std::move(values);
  }
  return true;
}

uint64_t StackTable::lastEventNs(uint32_t thread) const {
  const auto &extent = input_->table().threads[thread].extent;
  return extent ? extent->lastNs : 0;
}

//===--- text -------------------------------------------------------------===//

namespace {

std::string callText(const StackTable &table, const EndCall &call, NameStyle style) {
  const model::Function &function = table.functions()[call.span.functionIndex];
  return analysis::withArguments(nameOf(function, style), call.values.arguments, function.kind);
}

// How long before the end of the trace, or before now.
std::string ageText(const StackTable &table, uint32_t thread, uint64_t ns) {
  const uint64_t end = table.endNs(thread);
  return formatDuration(end > ns ? end - ns : 0) + (table.isAlive(thread) ? " ago" : " before the end");
}

uint64_t openNs(const StackTable &table, uint32_t thread, const Span &span) {
  const uint64_t end = table.endNs(thread);
  return end > span.beginNs ? end - span.beginNs : 0;
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

const char *endText(SpanEnd how) {
  return how == SpanEnd::Exception ? " [left by exception]"
         : how == SpanEnd::Missing ? " [no exit recorded]"
         : how == SpanEnd::Open    ? " [still open]"
                                   : "";
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
    out.print("  {}{:>11}{}  {}{}{}{}{}{}  {}ended {}{}\n", palette.number, formatDuration(call.span.durationNs()),
              palette.reset, palette.name, callText(table, call, options.names.style), palette.reset,
              call.values.result.empty() ? "" : " → ", call.values.result, endText(call.span.how), palette.dim,
              ageText(table, end.thread, call.span.endNs), palette.reset);
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

void printLastCalls(Output &out, const Palette &palette, const StackTable &table, const std::vector<LastCall> &calls,
                    const StackLineOptions &options) {
  constexpr uint32_t kDeepestIndent = 20;
  out.print("{}{:>13} {:>11}  {:<24}  call{}\n", palette.dim, "began", "duration", "thread", palette.reset);
  for (const auto &[number, call] : calls) {
    const model::Thread &thread = table.input().table().threads[number];
    std::string where = std::to_string(thread.number);
    if (table.input().severalProcesses())
      where = fmt::format("{}/{}", table.input().table().processOf(thread).name, where);
    if (!thread.name.empty())
      where += " " + thread.name;
    const bool isOpen = call->span.how == SpanEnd::Open;
    out.print("{:>13} {}{:>11}{}  {:<24}  {:{}}{}{}{}{}{}{}\n", "-" + formatDuration(openNs(table, number, call->span)),
              palette.number, isOpen ? "open" : formatDuration(call->span.durationNs()), palette.reset, where, "",
              2 * std::min(call->span.depth, kDeepestIndent), palette.name, callText(table, *call, options.names.style),
              palette.reset, call->values.result.empty() ? "" : " → ", call->values.result, endText(call->span.how));
  }
}

//===--- JSON -------------------------------------------------------------===//

namespace {

void addArguments(JsonMembers &json, const EndCall &call) {
  if (call.values.json.empty())
    json.null("args");
  else
    json.json("args", call.values.json);
}

} // namespace

void printStacksJson(Output &out, const StackTable &table, const std::vector<ThreadEnd> &ends,
                     const std::vector<std::vector<analysis::DeadlockThread>> &deadlocks,
                     const StackLineOptions &options, bool isArray) {
  JsonList list(out, isArray);
  FunctionNames names(table.input().table().functions, options.names.style);
  for (const ThreadEnd &end : ends) {
    list.next();
    const model::Thread &thread = table.input().table().threads[end.thread];
    JsonMembers json = threadFields(table.input(), end.thread);
    json.textOrNull("name", thread.name).boolean("alive", table.isAlive(end.thread));
    const bool hasEvents = thread.extent && thread.extent->events;
    json.number("last_ns", hasEvents ? std::optional(table.lastEventNs(end.thread)) : std::nullopt);
    json.beginArray("frames");
    for (const EndCall &call : end.open) {
      const model::Function &function = table.functions()[call.span.functionIndex];
      JsonMembers frame;
      frame.text("function", nameOf(function, options.names.style)).textOrNull("source", sourceOf(function));
      frame.number("begin_ns", call.span.beginNs).number("open_ns", openNs(table, end.thread, call.span));
      addArguments(frame, call);
      json.json({}, frame.object());
    }
    json.endArray();
    const auto isInside = [&](const std::vector<analysis::DeadlockThread> &cycle) {
      return std::ranges::find(cycle, end.thread, &analysis::DeadlockThread::thread) != cycle.end();
    };
    if (const auto found = std::ranges::find_if(deadlocks, isInside); found != deadlocks.end())
      json.json("deadlock", deadlockJson(table.input(), *found, names));
    else
      json.null("deadlock");
    out.write(json.object());
  }
  list.finish();
}

void printLastCallsJson(Output &out, const StackTable &table, const std::vector<LastCall> &calls,
                        const StackLineOptions &options, bool isArray) {
  JsonList list(out, isArray);
  for (const auto &[thread, call] : calls) {
    list.next();
    const model::Function &function = table.functions()[call->span.functionIndex];
    JsonMembers json = threadFields(table.input(), thread);
    json.number("begin_ns", call->span.beginNs);
    json.number("duration_ns",
                call->span.how == SpanEnd::Open ? openNs(table, thread, call->span) : call->span.durationNs());
    json.number("depth", call->span.depth).text("end", spanEndName(call->span.how));
    json.text("function", nameOf(function, options.names.style)).textOrNull("source", sourceOf(function));
    addArguments(json, *call);
    out.write(json.textOrNull("result", call->values.result).object());
  }
  list.finish();
}

} // namespace ada::cli
