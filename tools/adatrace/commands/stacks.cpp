// adatrace stacks and last: show the threads' calls at the end of a trace, or now.
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/stack_rows.h"
#include "output/wait_lines.h"
#include "process/live_session.h"
#include "trace/base/quantities.h"

#include <algorithm>
#include <unistd.h>

namespace ada::cli {

namespace stacks_command {
namespace {

struct Options {
  InputOptions input;
  FilterArguments filter;
  StackLineOptions lines;
  uint64_t calls = 0, frames = 100;
  std::string count = "20"; // last
};

int show(Options &options, const Invocation &invocation,
         void (*print)(const Options &, const Palette &, StackTable &)) {
  const LiveSession session = LiveSession::named(options.input.path);
  options.input.path = session.path();
  options.input.pid = session.pid();
  TraceInput input = TraceInput::open(options.input);
  input.setRange(options.filter.options);
  StackTable table =
      StackTable::read(input, options.filter.options, static_cast<size_t>(std::min<uint64_t>(options.calls, 1 << 20)));
  print(options, invocation.palette(), table);
  int unmatched = kOk;
  if (input.hasAllThreads())
    unmatched = warnAboutUnmatched(options.filter.options, table.functions());
  return std::max(unmatched, input.close(table.damage()));
}

// Reading the whole trace is only worthwhile if a thread is in a call that waits.
bool mayBeDeadlock(StackTable &table) {
  return std::ranges::any_of(table.threads(), [&](const analysis::ThreadEnd &end) {
    if (end.open.empty())
      return false;
    const analysis::WaitFunction does =
        analysis::waitFunctionOf(table.functions()[end.open.front().span.functionIndex]);
    return analysis::isLock(does.kind) && analysis::canWait(does.action);
  });
}

void printStacks(const Options &options, const Palette &palette, StackTable &table) {
  std::vector<std::vector<analysis::DeadlockThread>> deadlocks;
  if (mayBeDeadlock(table))
    deadlocks = need(analysis::readDeadlocks(table.input().source(), table.input().table()));
  for (analysis::ThreadEnd &end : table.threads()) {
    table.readValues(end.thread, end.open, options.lines.mostFrames);
    table.readValues(end.thread, end.finished, end.finished.size());
  }
  Output out;
  if (!options.lines.table.isText() || !options.lines.table.columns.empty()) {
    printStackRows(out, palette, table, table.threads(), deadlocks, options.lines);
  } else {
    printDeadlocks(out, palette, table.input(), namedTrace(table.input(), options.lines.names.style), deadlocks);
    if (!deadlocks.empty())
      out.write("\n");
    bool isFirst = true;
    for (const analysis::ThreadEnd &end : table.threads()) {
      if (!std::exchange(isFirst, false))
        out.write("\n");
      printStack(out, palette, table, end, options.lines);
    }
    if (isFirst)
      out.print("there are no threads in {}\n", table.input().name());
  }
}

void printLast(const Options &options, const Palette &palette, StackTable &table) {
  // When a call last began or ended. Open calls have not ended, so their beginning counts; `stacks` shows their stack.
  const auto lastNs = [](const LastCall &call) {
    return call.call->span.how == SpanEnd::Open ? call.call->span.beginNs : call.call->span.endNs;
  };
  std::vector<LastCall> calls;
  for (const analysis::ThreadEnd &end : table.threads())
    for (const auto *list : {&end.open, &end.finished})
      for (const analysis::EndCall &call : *list)
        calls.push_back({end.thread, &call});
  std::ranges::stable_sort(calls, [&](const LastCall &a, const LastCall &b) { return lastNs(a) > lastNs(b); });
  calls.resize(std::min<size_t>(calls.size(), options.calls));
  std::ranges::stable_sort(calls, [](const LastCall &a, const LastCall &b) {
    return std::tuple(a.call->span.beginNs, a.thread, a.call->span.depth) <
           std::tuple(b.call->span.beginNs, b.thread, b.call->span.depth);
  });
  std::vector<analysis::EndCall> shown;
  shown.reserve(calls.size());
  for (LastCall &call : calls) {
    std::vector<analysis::EndCall> one = {*call.call};
    table.readValues(call.thread, one);
    call.call = &shown.emplace_back(std::move(one[0]));
  }
  Output out;
  if (calls.empty() && options.lines.table.isText())
    out.write("no calls match the filters\n");
  else
    printLastCalls(out, palette, table, calls, options.lines);
}

void declareCommon(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  declareFilter(line, options.filter);
  declareNames(line, options.lines.names);
  addTableOptions(line, options.lines.table);
}

void declareStacks(CommandLine &line, Options &options) {
  declareCommon(line, options);
  addCount(line, "--calls", options.calls, "Also show the last N calls that each thread finished [0]");
  addCount(line, "--frames", options.frames, "At most this many open calls per thread, in text [100]");
}

int runStacks(Options &options, const Invocation &invocation) {
  options.filter.settle("stacks");
  options.lines.table.check("stacks", stackTable());
  options.lines.mostFrames = std::max<size_t>(4, static_cast<size_t>(options.frames));
  return show(options, invocation, printStacks);
}

void declareLast(CommandLine &line, Options &options) {
  line.option("count", options.count, "Number of calls [20]").type("N");
  declareCommon(line, options);
}

int runLast(Options &options, const Invocation &invocation) {
  options.filter.settle("last");
  options.lines.table.check("last", lastCallTable());
  const bool isNumber = options.count.find_first_not_of("0123456789") == std::string::npos;
  if (!isNumber && options.input.path.empty()) {
    options.input.path = std::exchange(options.count, "20"); // `adatrace last SESSION`
  } else if (!isNumber || options.count.empty() || options.count.size() > 6) {
    return fail(kWrongUsage, "last: '{}' is not a number of calls, like 20", options.count);
  }
  options.calls = std::stoull(options.count);
  return show(options, invocation, printLast);
}

} // namespace
} // namespace stacks_command

const Command kStacks = {
    "stacks",
    "Show the open calls of each thread of a program that crashed, hangs or is running",
    "adatrace stacks\n"
    "adatrace stacks 4711\n"
    "adatrace stacks --calls=5 --thread='worker-*' ada-traces/session_20261121_101500",
    withOptions<stacks_command::declareStacks, stacks_command::runStacks>,
};

const Command kLast = {
    "last",
    "Show the last calls of all threads before the end",
    "adatrace last 50\n"
    "adatrace last 20 --thread=0 ada-traces/session_20261121_101500",
    withOptions<stacks_command::declareLast, stacks_command::runLast>,
};

} // namespace ada::cli
