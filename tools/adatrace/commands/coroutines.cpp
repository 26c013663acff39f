// adatrace coroutines: shows which coroutine awaited which, and how they spent their time.
#include "analysis/waits/coroutine_table.h"
#include "command.h"
#include "input/trace_input.h"
#include "options/option_values.h"
#include "options/table_options.h"
#include "output/function_names.h"
#include "output/table_writer.h"
#include "output/wait_lines.h"

#include <numeric>
#include <unistd.h>
#include <vector>

namespace ada::cli {

namespace coroutines_command {
namespace {

struct Options {
  InputOptions input;
  NameOptions names;
  TableOptions table;
  bool each = false;
  uint64_t limit = 0;
};

using analysis::Coroutine, analysis::CoroutineLine, analysis::CoroutineLink, analysis::CoroutineNodeLine;
using analysis::coroutineName, analysis::kNoCoroutine;

RowNotes notesOf(const Palette &palette, const CoroutineNodeLine &line, const NameOptions &names) {
  const analysis::CoroutineNode &node = *line.node;
  RowNotes notes;
  if (node.link == CoroutineLink::Created || node.link == CoroutineLink::Resumed)
    notes.after.push_back({palette.dim, node.link == CoroutineLink::Created ? "[created there]" : "[resumed there]"});
  if (node.open)
    notes.after.push_back({palette.warn, fmt::format("[{} without a recorded end]", node.open)});
  if (node.cancelled)
    notes.after.push_back({palette.warn, fmt::format("[{} cancelled]", node.cancelled)});
  if (node.exceptions)
    notes.after.push_back({palette.error, fmt::format("[{} left by exception]", node.exceptions)});
  if (const std::string place = sourceOf(line.trace->table.functions[node.function]); names.source && !place.empty())
    notes.after.push_back({palette.dim, " " + place});
  return notes;
}

RowNotes notesOf(const Palette &palette, const CoroutineLine &line) {
  const Coroutine &one = line.one();
  RowNotes notes;
  if (one.parent != kNoCoroutine)
    notes.after.push_back(
        {{},
         fmt::format("{} by {} {}",
                     one.link == CoroutineLink::Awaited   ? "awaited"
                     : one.link == CoroutineLink::Resumed ? "resumed"
                                                          : "created",
                     one.parent, coroutineName(*line.trace, line.coroutines->all[one.parent].function))});
  else if (one.createdIn != kNoCoroutine)
    notes.after.push_back({{}, "created in " + line.trace->name(one.createdIn)});
  if (one.isOnSeveralThreads)
    notes.after.push_back({palette.dim, "[on several threads]"});
  if (!one.isEnded)
    notes.after.push_back({palette.warn, "[no end recorded]"});
  if (one.isCancelled)
    notes.after.push_back({palette.warn, "[cancelled]"});
  if (!one.state.empty() && (!one.isEnded || one.isCancelled))
    notes.after.push_back({palette.dim, fmt::format("[{}]", one.state)});
  if (one.isLeftByException)
    notes.after.push_back({palette.error, "[left by exception]"});
  return notes;
}

// The folded tree.
void printCoroutineTree(Output &out, const Palette &palette, const TraceInput &input,
                        const std::vector<analysis::CoroutineNode> &nodes, const Options &options) {
  const analysis::NamedTrace trace = namedTrace(input, options.names.style);
  std::vector<CoroutineNodeLine> lines;
  for (const analysis::CoroutineNode &node : nodes)
    lines.push_back({&node, &trace});
  printTable(out, palette, analysis::coroutineNodeColumns(), lines, options.table, 0,
             [&](const CoroutineNodeLine &line) { return notesOf(palette, line, options.names); });
}

// The coroutines with these numbers, one line each.
void printEachCoroutine(Output &out, const Palette &palette, const TraceInput &input,
                        const analysis::Coroutines &coroutines, const std::vector<uint32_t> &which,
                        const Options &options) {
  const analysis::NamedTrace trace = namedTrace(input, options.names.style);
  std::vector<CoroutineLine> lines;
  for (const uint32_t number : which)
    lines.push_back({number, &coroutines, &trace, input.originNs()});
  printTable(out, palette, analysis::coroutineColumns(), lines, options.table, analysis::processFacts(input.table()),
             [&](const CoroutineLine &line) { return notesOf(palette, line); });
}

int run(Options &options, const Invocation &invocation) {
  options.table.check("coroutines",
                      options.each ? infoOf(analysis::coroutineColumns()) : infoOf(analysis::coroutineNodeColumns()));
  TraceInput input = TraceInput::open(options.input);
  auto coroutines = need(analysis::readCoroutines(input.source(), input.table()));
  const Palette palette = invocation.palette();
  Output out;
  size_t all = 0, shown = 0;
  if (options.each) {
    std::vector<uint32_t> which(coroutines.all.size());
    std::iota(which.begin(), which.end(), 0);
    all = which.size();
    if (options.limit && all > options.limit)
      which.resize(options.limit);
    shown = which.size();
    printEachCoroutine(out, palette, input, coroutines, which, options);
  } else {
    std::vector<analysis::CoroutineNode> nodes = foldCoroutines(coroutines);
    all = nodes.size();
    if (options.limit && all > options.limit)
      nodes.resize(options.limit);
    shown = nodes.size();
    printCoroutineTree(out, palette, input, nodes, options);
  }
  if (options.table.isText()) {
    if (all == 0)
      out.print("{}\n", input.eventCount() ? "no coroutine was recorded" : "there are no events in " + input.name());
    if (shown < all)
      out.print("{}... and {} more; --limit=0 shows all{}\n", palette.dim, formatCount(all - shown), palette.reset);
  }
  out.flush();
  if (coroutines.hasFunctions && !coroutines.hasFrames)
    warning("{} does not show which coroutine is resumed: record with `adatrace record --coroutines=1 PROGRAM`",
            input.name());
  return input.close();
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  line.flag("--each", options.each,
            "List each coroutine in order of creation, instead of a tree that adds up those of one function");
  declareNames(line, options.names);
  addLimit(line, options.limit, "At most this many lines; 0: all [0]");
  addTableOptions(line, options.table);
}

} // namespace
} // namespace coroutines_command

const Command kCoroutines = {
    "coroutines",
    "Show which coroutine awaited which, and how long they ran and were suspended",
    "adatrace coroutines\n"
    "adatrace coroutines --each --format=jsonl ada-traces/session_20261121_101500",
    withOptions<coroutines_command::declare, coroutines_command::run>,
};

} // namespace ada::cli
