//===- cmd_tree.cpp - adatrace tree: the calls of each thread -------------===//
#include "call_values.h"
#include "command.h"
#include "quantities.h"
#include "trace_input.h"
#include "tree_walk.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <unistd.h>

namespace ada::cli {

namespace {

struct Options {
  InputOptions input;
  FilterOptions filter;
  NameOptions names;
  TreeWalkOptions walk;
  std::optional<uint64_t> limit;
  bool noFold = false;
  bool arguments = false;
};

// On a terminal nobody reads more, and the note below says how to get it.
constexpr uint64_t kTerminalLimit = 400;

std::string headingOf(const InputThread &thread, bool withProcess) {
  const atf::IndexReader &events = thread.events();
  std::string text = fmt::format("{}: {} events", thread.label(withProcess),
                                 formatCount(events.size()));
  if (!events.empty()) {
    const uint64_t first = events[0].timestampNs;
    const uint64_t last = events[events.size() - 1].timestampNs;
    if (last >= first)
      text += fmt::format(" in {}", formatDuration(last - first));
  }
  return text;
}

int run(const Options &options, const Invocation &invocation) {
  int exitCode = kOk;
  const std::optional<TraceInput> input = TraceInput::open(options.input, exitCode);
  if (!input)
    return exitCode;
  Output out;
  const Palette palette(invocation.color, STDOUT_FILENO);
  const uint64_t limit = options.limit.value_or(
      isTerminal(STDOUT_FILENO) ? kTerminalLimit : uint64_t(0));
  TreeLines lines(out, palette, limit ? limit : ~uint64_t(0), options.names.source);

  std::vector<FunctionNames> names;
  for (const atf::ProcessTrace &process : input->session().processes())
    names.emplace_back(process, options.names.style);
  std::optional<SessionTypes> types;
  if (options.arguments)
    types.emplace(*input);
  bool anyDetail = false;
  size_t shown = 0;
  uint64_t strays = 0;
  for (const InputThread &thread : input->threads()) {
    if (lines.wasCut())
      break;
    ++shown;
    lines.setHeading(headingOf(thread, input->severalProcesses()));
    std::optional<CallValues> values;
    if (options.arguments) {
      values.emplace(thread, *types);
      anyDetail |= values->events().hasDetail();
    }
    lines.setValues(values ? &*values : nullptr);
    TreeWalk walk(thread, CallFilter(options.filter, *input, *thread.process),
                  names[thread.processNumber], lines, options.walk,
                  values ? &*values : nullptr);
    walk.run();
    strays += walk.walker().strayExits();
  }
  if (lines.wasCut()) {
    std::string rest;
    if (const size_t more = input->threads().size() - shown)
      rest = fmt::format(", {} more thread{}", more, more == 1 ? "" : "s");
    out.print("{}... cut after {} lines{}; --limit=0 shows all, --depth, --min-duration, "
              "--function and --thread choose{}\n",
              palette.dim, formatCount(lines.printed()), rest, palette.reset);
  } else if (input->eventCount() == 0) {
    out.print("there are no events in {}\n", input->session().path());
  } else if (lines.printed() == 0) {
    out.print("no call is left by the filters\n");
  }
  out.flush();
  if (options.arguments && !anyDetail && input->eventCount() > 0)
    warning("{} has no arguments: record them with `adatrace record --detail GLOB`",
            input->session().path());
  if (strays)
    warning("{} exit{} without a call {} left out: recording began inside {}",
            formatCount(strays), strays == 1 ? "" : "s", strays == 1 ? "was" : "were",
            strays == 1 ? "it" : "them");
  return input->exitCode();
}

std::function<int()> declare(CLI::App &app, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  declareInput(app, options->input);
  declareFilter(app, options->filter);
  declareNames(app, options->names);
  app.add_flag("--args", options->arguments,
               "Show arguments and results of the calls that have them (`record --detail`)");
  app.add_flag("--no-fold", options->noFold,
               "One line for each call: do not fold repetitions and recursion");
  app.add_option("--limit", options->limit,
                 fmt::format("At most this many lines; 0: all [{} on a terminal, else 0]",
                             kTerminalLimit))
      ->type_name("N");
  // For tests: print early, as with a trace that does not fit into memory.
  app.add_option("--max-nodes", options->walk.maxNodes, "")->group("");
  return [options, &invocation] {
    options->walk.fold = !options->noFold;
    options->input.detail = options->arguments;
    if (options->filter.only && options->filter.functions.empty())
      return fail(kWrongUsage, "tree: --only needs --function");
    return run(*options, invocation);
  };
}

} // namespace

const Command kTree = {
    "tree",
    "Show who called whom, and how long it took",
    "adatrace tree\n"
    "adatrace tree --function='parse*|*/net/*.cpp' --min-duration=10us --depth=5 "
    "ada-traces/session_20261121_101500",
    declare,
};

} // namespace ada::cli
