// adatrace graph: prints the calls of all threads, added up by path.
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/graph_lines.h"

#include "analysis/tree/path_views.h"

#include <algorithm>
#include <optional>
#include <unistd.h>

namespace ada::cli {

namespace graph_command {
namespace {

struct Options {
  InputOptions input;
  FilterArguments filter;
  GraphLineOptions lines;
  analysis::CallPathsOptions paths;
  std::vector<std::string> callers, callees;
  std::optional<double> minPercent;
  uint64_t limit = 0;
};

// Smaller paths say little, and there are many of them.
constexpr double kLeastPercent = 0.5;

int run(Options &options, const Invocation &invocation) {
  options.filter.settle("graph");
  if (!options.callers.empty() && !options.callees.empty())
    stop(kWrongUsage, "graph: use --callers or --callees, not both");
  if (!options.callers.empty())
    options.lines.view = GraphView::Callers;
  if (!options.callees.empty())
    options.lines.view = GraphView::Callees;
  if (options.limit)
    options.lines.limit = options.limit;
  options.lines.table.check("graph", graphTable(options.lines.view, options.lines.table.isText()));
  options.input.sharesFunctions = options.paths.by == analysis::PathsBy::Trace;
  TraceInput input = TraceInput::open(options.input);
  options.paths.filter = options.filter.options;
  input.setRange(options.paths.filter);
  const auto paths = need(analysis::readCallPaths(input.trace(), options.paths));

  const std::vector<std::string> &globs = options.callers.empty() ? options.callees : options.callers;
  const std::vector<bool> chosen = analysis::chosenFunctions(paths.functions, globs);
  const bool isText = options.lines.table.isText();
  options.lines.minPercent = options.minPercent.value_or(isText ? kLeastPercent : 0);
  Output out;
  const Palette palette = invocation.palette();
  GraphLines lines(out, input, paths.functions, options.lines, palette, options.paths.by);
  for (const analysis::CallPathGroup &group : paths.groups) {
    if (options.lines.view == GraphView::Calls)
      lines.print(group, group.tree);
    else
      lines.print(group, options.lines.view == GraphView::Callers ? analysis::callersOf(group.tree, chosen)
                                                                  : analysis::calleesOf(group.tree, chosen));
  }
  if (isText && input.eventCount() == 0)
    out.print("there are no events in {}\n", input.name());
  else if (isText && lines.printed() == 0)
    out.write("no calls match the filters\n");
  else
    lines.finish();
  out.flush();
  int unmatched = kOk;
  if (input.hasAllThreads())
    unmatched = std::max({warnAboutUnmatched(options.paths.filter, paths.functions),
                          warnAboutUnmatched("--callers", options.callers, paths.functions),
                          warnAboutUnmatched("--callees", options.callees, paths.functions)});
  return std::max(unmatched, input.close(paths.damage));
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  declareFilter(line, options.filter);
  declareNames(line, options.lines.names);
  addGlobs(line, "--callers", options.callers,
           "Show the callers of these functions, their callers, and so on (globs, separated by '|')");
  addGlobs(line, "--callees", options.callees, "Show what these functions called, wherever they were called from");
  line.option("--min-percent", options.minPercent,
              fmt::format("Leave out paths with less than this share of the time; 0: none [{} in text, else 0]",
                          kLeastPercent))
      .type("N")
      .between(0.0, 100.0);
  line.choice("--by", options.paths.by,
              {{"trace", analysis::PathsBy::Trace},
               {"process", analysis::PathsBy::Process},
               {"thread", analysis::PathsBy::Thread}},
              "One graph for the whole trace, for each process, or for each thread [trace]")
      .type("WHAT");
  addLimit(line, options.limit, "At most this many lines; 0: all [0]");
  addTableOptions(line, options.lines.table);
  // For tests: simulates a trace with more paths than fit.
  line.option("--max-nodes", options.paths.mostNodes, "").hidden();
}

} // namespace
} // namespace graph_command

const Command kGraph = {
    "graph",
    "Show the call paths of the program, with calls and times added up",
    "adatrace graph --min-percent=2\n"
    "adatrace graph --callers=malloc_wrapper --by=thread ada-traces/session_20261121_101500\n"
    "adatrace graph --callees='net::*' --format=json",
    withOptions<graph_command::declare, graph_command::run>,
};

} // namespace ada::cli
