// adatrace waits: shows what threads waited for, and which thread held it.
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/wait_lines.h"

#include <algorithm>
#include <optional>
#include <unistd.h>

namespace ada::cli {

namespace waits_command {
namespace {

struct Options {
  InputOptions input;
  FilterArguments filter;
  WaitLineOptions lines;
  uint64_t limit = 0;
  bool each = false;
};

// Reports what this trace lacks, and how to record it the next time.
void tellWhatIsMissing(const analysis::Waits &waits, const TraceInput &input) {
  if (input.eventCount() == 0)
    return;
  if (!waits.hasWaitFunctions)
    warning("{} has no library calls that wait: build the program with --ada-calls=default{}", input.name(),
            waits.hasLane ? "; the functions that waited are shown instead" : "");
  else if (!waits.hasArguments)
    warning("{} has no arguments of these calls, so it is unknown what they waited for: record with `adatrace record "
            "--waits PROGRAM`",
            input.name());
  if (!waits.hasLane && waits.hasWaitFunctions)
    warning("{} has no on-CPU times: calls of functions that wait count if they took {} or more", input.name(),
            formatDuration(analysis::kShortestWaitNs));
}

int run(Options &options, const Invocation &invocation) {
  options.filter.settle("waits");
  options.lines.table.check("waits", infoOf(analysis::waitColumns()));
  TraceInput input = TraceInput::open(options.input);
  input.setRange(options.filter.options);
  const bool isFolded = options.lines.table.isText() && options.lines.table.columns.empty() && !options.each &&
                        options.input.threads.empty() && input.table().hasManyProcesses();
  std::optional<analysis::ProcessKinds> kinds;
  if (isFolded)
    kinds.emplace(input.table());
  const analysis::WaitsOptions wanted = {
      .filter = options.filter.options, .by = options.lines.by, .kinds = kinds ? &*kinds : nullptr};
  auto waits = need(analysis::readWaits(input.trace(), wanted));
  const analysis::NamedTrace trace = namedTrace(input, options.lines.names.style);
  std::vector<analysis::WaitLine> lines;
  for (const analysis::WaitRow &row : waits.rows)
    lines.push_back({&row, &trace, &waits.deadlocks});
  sortWaits(lines, options.lines.sort);
  const size_t all = lines.size();
  if (options.limit && all > options.limit)
    lines.resize(options.limit);
  const Palette palette = invocation.palette();
  Output out;
  printWaits(out, palette, input, trace, lines, waits.deadlocks, options.lines);
  if (options.lines.table.isText()) {
    if (all == 0)
      out.print("{}\n", input.eventCount() ? "no call waited" : "there are no events in " + input.name());
    if (lines.size() < all)
      out.print("{}... and {} more; --limit=0 shows all{}\n", palette.dim, formatCount(all - lines.size()),
                palette.reset);
    if (kinds && all > 0)
      out.print(
          "{}... processes with the same program and alike command lines are one; --each shows each of the {}{}\n",
          palette.dim, formatCount(input.table().processes.size()), palette.reset);
  }
  out.flush();
  tellWhatIsMissing(waits, input);
  int unmatched = kOk;
  if (input.hasAllThreads())
    unmatched = warnAboutUnmatched(options.filter.options, input.table().functions);
  return std::max(unmatched, input.close());
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  declareFilter(line, options.filter);
  declareNames(line, options.lines.names);
  addSort(line, options.lines.sort, sortWords(analysis::waitColumns()), "object");
  line.choice("--by", options.lines.by, {{"object", analysis::WaitsBy::Object}, {"place", analysis::WaitsBy::Place}},
              "One row per object, or per function that created the objects (if unknown: that waited) [object]")
      .type("WHAT");
  addLimit(line, options.limit, "At most this many rows; 0: all [0]");
  line.flag("--each", options.each,
            "One row per object of each process, also in the text about a session with many processes");
  addTableOptions(line, options.lines.table);
}

} // namespace
} // namespace waits_command

const Command kWaits = {
    "waits",
    "Show what threads waited for, and which thread held it",
    "adatrace waits\n"
    "adatrace waits --by=place --limit=5\n"
    "adatrace waits --function='server::*' --format=json ada-traces/session_20261121_101500",
    withOptions<waits_command::declare, waits_command::run>,
};

} // namespace ada::cli
