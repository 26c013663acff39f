// Adatrace coroutines: shows which coroutine awaited which, and how they spent their time.
#include "command.h"
#include "options/option_values.h"
#include "output/coroutine_lines.h"

#include <memory>
#include <numeric>
#include <optional>
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
  int exitCode = kOk;
  std::optional<TraceInput> input = TraceInput::open(options.input, exitCode);
  if (!input)
    return exitCode;
  auto coroutines = analysis::readCoroutines(input->source(), input->table());
  if (!coroutines)
    return fail(kCantRead, "{}", coroutines.error().text());
  const Palette palette(invocation.color, STDOUT_FILENO);
  Output out;
  size_t all = 0, shown = 0;
  if (options.each) {
    std::vector<uint32_t> which(coroutines->all.size());
    std::iota(which.begin(), which.end(), 0);
    all = which.size();
    if (options.limit && all > options.limit)
      which.resize(options.limit);
    shown = which.size();
    printEachCoroutine(out, palette, *input, *coroutines, which, options.lines);
  } else {
    std::vector<analysis::CoroutineNode> nodes = foldCoroutines(*coroutines);
    all = nodes.size();
    if (options.limit && all > options.limit)
      nodes.resize(options.limit);
    shown = nodes.size();
    printCoroutineTree(out, palette, *input, nodes, options.lines);
  }
  if (options.lines.table.isText()) {
    if (all == 0)
      out.print("{}\n", input->eventCount() ? "no coroutine was recorded" : "there are no events in " + input->name());
    if (shown < all)
      out.print("{}... and {} more; --limit=0 shows all{}\n", palette.dim, formatCount(all - shown), palette.reset);
  }
  out.flush();
  if (coroutines->hasFunctions && !coroutines->hasFrames)
    warning("{} does not show which coroutine is resumed: record with `adatrace record --coroutines=1`", input->name());
  return input->close();
}

std::function<int()> declare(CommandLine &line, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  declareInput(line, options->input);
  line.flag("--each", options->each,
            "List each coroutine in order of creation, instead of a tree that adds up those of one function");
  declareNames(line, options->lines.names);
  addCount(line, "--limit", options->limit, "At most this many lines; 0: all [0]");
  addTableOptions(line, options->lines.table);
  return [options, &invocation] {
    const ColumnList columns =
        options->each ? infoOf(analysis::coroutineColumns()) : infoOf(analysis::coroutineNodeColumns());
    return options->lines.table.fits("coroutines", columns) ? run(*options, invocation) : int(kWrongUsage);
  };
}

} // namespace
} // namespace coroutines_command

const Command kCoroutines = {
    "coroutines",
    "Show which coroutine awaited which, and how long they ran and were suspended",
    "adatrace coroutines\n"
    "adatrace coroutines --each --format=jsonl ada-traces/session_20261121_101500",
    coroutines_command::declare,
};

} // namespace ada::cli
