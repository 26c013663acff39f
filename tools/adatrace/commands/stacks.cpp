// Adatrace stacks and last: show the threads' calls at the end of a trace, or now.
#include "base/quantities.h"
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/stack_lines.h"
#include "output/wait_lines.h"

#include <algorithm>
#include <memory>
#include <optional>
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

int run(Options &options, const Invocation &invocation, int (*show)(const Options &, const Palette &, StackTable &)) {
  int exitCode = kOk;
  std::optional<TraceInput> input = TraceInput::open(options.input, exitCode);
  if (!input)
    return exitCode;
  input->setRange(options.filter.options);
  std::optional<StackTable> table =
      StackTable::read(*input, options.filter.options, static_cast<size_t>(std::min<uint64_t>(options.calls, 1 << 20)));
  if (!table)
    return kCantRead;
  if (const int shown = show(options, Palette(invocation.color, STDOUT_FILENO), *table); shown != kOk)
    return shown;
  if (input->hasAllThreads())
    warnAboutUnmatched(options.filter.options, table->functions());
  return input->close(table->damage());
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

int showStacks(const Options &options, const Palette &palette, StackTable &table) {
  std::vector<std::vector<analysis::DeadlockThread>> deadlocks;
  if (mayBeDeadlock(table)) {
    auto read = analysis::readDeadlocks(table.input().source(), table.input().table());
    if (!read)
      return fail(kCantRead, "{}", read.error().text());
    deadlocks = *std::move(read);
  }
  for (analysis::ThreadEnd &end : table.threads())
    if (!table.readValues(end.thread, end.open, options.lines.mostFrames) ||
        !table.readValues(end.thread, end.finished, end.finished.size()))
      return kCantRead;
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
  return kOk;
}

int showLast(const Options &options, const Palette &palette, StackTable &table) {
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
    if (!table.readValues(call.thread, one))
      return kCantRead;
    call.call = &shown.emplace_back(std::move(one[0]));
  }
  Output out;
  if (calls.empty() && options.lines.table.isText())
    out.write("no calls match the filters\n");
  else
    printLastCalls(out, palette, table, calls, options.lines);
  return kOk;
}

void declareCommon(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  declareFilter(line, options.filter);
  declareNames(line, options.lines.names);
  addTableOptions(line, options.lines.table);
}

std::function<int()> declareStacks(CommandLine &line, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  declareCommon(line, *options);
  addCount(line, "--calls", options->calls, "Also show the last N calls that each thread finished [0]");
  addCount(line, "--frames", options->frames, "At most this many open calls per thread, in text [100]");
  return [options, &invocation] {
    if (!options->filter.settle("stacks") || !options->lines.table.fits("stacks", stackTable()))
      return int(kWrongUsage);
    options->lines.mostFrames = std::max<size_t>(4, static_cast<size_t>(options->frames));
    return run(*options, invocation, showStacks);
  };
}

std::function<int()> declareLast(CommandLine &line, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  line.option("count", options->count, "Number of calls [20]").type("N");
  declareCommon(line, *options);
  return [options, &invocation] {
    if (!options->filter.settle("last") || !options->lines.table.fits("last", lastCallTable()))
      return int(kWrongUsage);
    const bool isNumber = options->count.find_first_not_of("0123456789") == std::string::npos;
    if (!isNumber && options->input.path.empty()) {
      options->input.path = std::exchange(options->count, "20"); // `adatrace last SESSION`
    } else if (!isNumber || options->count.empty() || options->count.size() > 6) {
      return fail(kWrongUsage, "last: '{}' is not a number of calls, like 20", options->count);
    }
    options->calls = std::stoull(options->count);
    return run(*options, invocation, showLast);
  };
}

} // namespace
} // namespace stacks_command

const Command kStacks = {
    "stacks",
    "Show the open calls of each thread of a program that crashed, hangs or is running",
    "adatrace stacks\n"
    "adatrace stacks --calls=5 --thread='worker-*' ada-traces/session_20261121_101500",
    stacks_command::declareStacks,
};

const Command kLast = {
    "last",
    "Show the last calls of all threads before the end",
    "adatrace last 50\n"
    "adatrace last 20 --thread=0 ada-traces/session_20261121_101500",
    stacks_command::declareLast,
};

} // namespace ada::cli
