// Adatrace coroutines: shows which coroutine awaited which, and how they spent their time.
#include "command.h"
#include "options/option_values.h"
#include "output/coroutine_lines.h"

#include <memory>
#include <numeric>
#include <unistd.h>

namespace ada::cli {

namespace coroutines_command {
namespace {

struct Options {
  InputOptions input;
  CoroutineLineOptions lines;
  bool each = false;
  uint64_t limit = 0;
};

int run(Options &options, const Invocation &invocation) {
  options.lines.table.check("coroutines", options.each ? infoOf(analysis::coroutineColumns())
                                                       : infoOf(analysis::coroutineNodeColumns()));
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
    printEachCoroutine(out, palette, input, coroutines, which, options.lines);
  } else {
    std::vector<analysis::CoroutineNode> nodes = foldCoroutines(coroutines);
    all = nodes.size();
    if (options.limit && all > options.limit)
      nodes.resize(options.limit);
    shown = nodes.size();
    printCoroutineTree(out, palette, input, nodes, options.lines);
  }
  if (options.lines.table.isText()) {
    if (all == 0)
      out.print("{}\n", input.eventCount() ? "no coroutine was recorded" : "there are no events in " + input.name());
    if (shown < all)
      out.print("{}... and {} more; --limit=0 shows all{}\n", palette.dim, formatCount(all - shown), palette.reset);
  }
  out.flush();
  if (coroutines.hasFunctions && !coroutines.hasFrames)
    warning("{} does not show which coroutine is resumed: record with `adatrace record --coroutines=1`", input.name());
  return input.close();
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  line.flag("--each", options.each,
            "List each coroutine in order of creation, instead of a tree that adds up those of one function");
  declareNames(line, options.lines.names);
  addCount(line, "--limit", options.limit, "At most this many lines; 0: all [0]");
  addTableOptions(line, options.lines.table);
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
