//===- report_slowest.cpp - the calls that took longest, one by one -------===//
#include "report_slowest.h"
#include "json_text.h"
#include "quantities.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

namespace ada::cli {

namespace {

struct SlowCall {
  Span span;
  size_t thread = 0; // position in TraceInput::threads()
};

// Longer first; at the same length the earlier one.
bool isSlower(const SlowCall &a, const SlowCall &b) {
  const uint64_t left = a.span.durationNs(), right = b.span.durationNs();
  return left != right ? left > right
                       : std::tie(a.span.beginNs, a.thread, a.span.beginSeq) <
                             std::tie(b.span.beginNs, b.thread, b.span.beginSeq);
}

// The slowest so far: a heap with the fastest of them on top.
class Slowest {
public:
  explicit Slowest(size_t limit) : limit(limit) {}
  void add(const SlowCall &call) {
    if (heap.size() == limit) {
      if (!isSlower(call, heap.front()))
        return;
      std::pop_heap(heap.begin(), heap.end(), isSlower);
      heap.pop_back();
    }
    heap.push_back(call);
    std::push_heap(heap.begin(), heap.end(), isSlower);
  }
  std::vector<SlowCall> sorted() && {
    std::sort_heap(heap.begin(), heap.end(), isSlower);
    return std::move(heap);
  }

private:
  size_t limit;
  std::vector<SlowCall> heap;
};

void addThread(const TraceInput &input, size_t number, const FilterOptions &options,
               Slowest &slowest) {
  const InputThread &thread = input.threads()[number];
  CallFilter filter(options, input, *thread.process);
  std::vector<bool> shown;
  CallStackWalker walker;
  const auto end = [&](const Span &span) {
    const bool accepted = filter.leave(span);
    if (accepted && shown.back())
      slowest.add({span, number});
    shown.pop_back();
  };
  thread.events().forEach([&](uint64_t seq, const atf::IndexEvent &event) {
    const CallStackWalker::Step step =
        walker.feed(seq, event.timestampNs, event.functionId, event.kind);
    if (event.kind == EventKind::Call)
      shown.push_back(filter.enter(event.functionId, event.timestampNs));
    for (const Span &span : step.finished)
      end(span);
  });
  for (const Span &span : walker.finish())
    end(span);
}

// What is said about a call that did not return.
std::string_view endOf(const Span &span) {
  switch (span.how) {
  case SpanEnd::Return:
    return "";
  case SpanEnd::Exception:
    return " [left by exception]";
  case SpanEnd::Missing:
    return " [no exit recorded]";
  case SpanEnd::Open:
    break;
  }
  return " [still open]";
}

std::string csvText(const std::string &text) {
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

} // namespace

void printSlowest(Output &out, const Palette &palette, const TraceInput &input,
                  const SlowestOptions &options, const SessionTypes *types) {
  Slowest slowest(static_cast<size_t>(std::min<uint64_t>(options.limit, 1 << 24)));
  for (size_t i = 0; i < input.threads().size(); ++i)
    addThread(input, i, options.filter, slowest);

  std::vector<FunctionNames> names;
  for (const atf::ProcessTrace &process : input.session().processes())
    names.emplace_back(process, options.names.style);
  std::vector<std::optional<CallValues>> values(input.threads().size());
  if (types)
    for (size_t i = 0; i < values.size(); ++i)
      values[i].emplace(input.threads()[i], *types);

  const std::vector<SlowCall> calls = std::move(slowest).sorted();
  const bool text = options.format == "text", csv = options.format == "csv";
  if (text && calls.empty())
    return out.write(input.eventCount() ? "no call is left by the filters\n"
                                        : "there are no events\n");
  if (text)
    out.print("{}{:>11} {:>11} {:>13}  {:<24}  call{}\n", palette.dim, "duration", "self",
              "after", "thread", palette.reset);
  else if (csv)
    out.write("process,thread,tid,seq,begin_ns,duration_ns,self_ns,end,function,"
              "arguments,result,source\n");
  for (const SlowCall &call : calls) {
    const Span &span = call.span;
    const InputThread &thread = input.threads()[call.thread];
    FunctionNames &functions = names[thread.processNumber];
    const uint32_t number = functions.number(span.functionId);
    const std::string source = functions.source(number);
    std::string arguments, result;
    if (values[call.thread]) {
      arguments = values[call.thread]->arguments(span.beginSeq);
      if (span.how == SpanEnd::Return)
        result = values[call.thread]->result(span.endSeq);
    }
    if (text) {
      std::string where = fmt::format("{}", thread.thread->id);
      if (input.severalProcesses())
        where = fmt::format("{}/{}", thread.process->name(), where);
      if (!thread.thread->name().empty())
        where += fmt::format(" {}", thread.thread->name());
      out.print("{}{:>11} {:>11}{} {:>13}  {:<24}  {}{}{}{}{}", palette.number,
                formatDuration(span.durationNs()), formatDuration(span.selfNs()),
                palette.reset,
                formatDuration(span.beginNs - std::min(input.startNs(), span.beginNs)),
                where, palette.name, withArguments(functions.name(number), arguments),
                palette.reset, result, endOf(span));
      if (options.names.source && !source.empty())
        out.print("  {}{}{}", palette.dim, source, palette.reset);
      out.write("\n");
      continue;
    }
    if (!result.empty())
      result.erase(0, std::string_view(" → ").size());
    const std::string process(input.severalProcesses() ? thread.process->name()
                                                       : std::string_view());
    if (csv)
      out.print("{},{},{},{},{},{},{},{},{},{},{},{}\n", process, thread.thread->id,
                thread.thread->tid(), span.beginSeq, span.beginNs, span.durationNs(),
                span.selfNs(), spanEndName(span.how), csvText(functions.name(number)),
                csvText(arguments), csvText(result), csvText(source));
    else
      out.print("{{{}\"thread\":{},\"tid\":{},\"seq\":{},\"begin_ns\":{},"
                "\"duration_ns\":{},\"self_ns\":{},\"end\":\"{}\",\"function\":{},"
                "\"arguments\":{},\"result\":{},\"source\":{}}}\n",
                process.empty() ? std::string()
                                : fmt::format("\"process\":{},", jsonText(process)),
                thread.thread->id, thread.thread->tid(), span.beginSeq, span.beginNs,
                span.durationNs(), span.selfNs(), spanEndName(span.how),
                jsonText(functions.name(number)),
                arguments.empty() ? "null" : jsonText(arguments),
                result.empty() ? "null" : jsonText(result),
                source.empty() ? "null" : jsonText(source));
  }
}

} // namespace ada::cli
