// adatrace tree: prints the calls of each thread.
#include "command.h"
#include "options/filter_options.h"
#include "options/option_values.h"
#include "output/tree_lines.h"
#include "trace/base/quantities.h"

#include "analysis/events/early_end.h"
#include "analysis/tree/tree_fit.h"
#include "analysis/tree/tree_follow.h"
#include "analysis/tree/tree_table.h"
#include "input/live_input.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unistd.h>

namespace ada::cli {

namespace tree_command {
namespace {

struct Options {
  InputOptions input;
  FilterArguments filter;
  TreeLineOptions lines;
  analysis::TreeWalkOptions walk;
  std::optional<uint64_t> limit, fit;
  bool noFold = false, showsInitialisers = false, each = false;
  FollowOptions follow;
};

// More lines are not useful on a terminal; the note below explains how to get them.
constexpr uint64_t kTerminalLimit = 400;

// Whether one process stands for all that run the same program with alike command lines: in text, unless something was
// chosen that it may not have.
bool foldsProcesses(const Options &options, const TraceInput &input) {
  const InputOptions &chosen = options.input;
  return options.lines.table.isText() && options.lines.table.columns.empty() && !options.each && !options.noFold &&
         chosen.threads.empty() && chosen.from.empty() && chosen.to.empty() &&
         options.filter.options.functions.empty() && options.filter.options.included.empty() &&
         input.table().hasManyProcesses();
}

// Whether any detail was recorded with the calls of these threads.
bool hasValues(const TraceInput &input, const std::vector<uint32_t> &threads) {
  struct Finder : analysis::TableSink {
    using TableSink::TableSink;
    bool wantsDetails() const override { return true; }
    Expected<void> events(const model::Batch &batch) override {
      found |= !batch.details.empty() || !batch.texts.empty();
      return found ? Expected<void>(analysis::earlyEnd()) : Expected<void>();
    }
    bool found = false;
  };
  analysis::TraceTable table = input.table();
  Finder finder(table);
  model::ReadRequest request;
  request.threads = threads;
  request.isFurther = true;
  (void)input.source().readPart(finder, request); // its errors have already been reported
  return finder.found;
}

void printNotes(Output &out, const TraceInput &input, size_t threads, const TreeLines &lines, const Palette &palette,
                const analysis::TreeFit &leftOut) {
  if (leftOut.minDurationNs)
    out.print("{}... calls shorter than {} are left out; --limit=0 shows all, --min-duration sets another limit{}\n",
              palette.dim, formatDuration(leftOut.minDurationNs), palette.reset);
  if (leftOut.depth != analysis::TreeFit().depth)
    out.print("{}... calls inside {} are left out; --limit=0 shows all, --depth sets another limit{}\n", palette.dim,
              formatCount(leftOut.depth, "other call"), palette.reset);
  if (lines.hasInitialisers())
    out.print("{}... static initialisers are combined in one line; --initialisers shows each{}\n", palette.dim,
              palette.reset);
  if (lines.wasCut()) {
    std::string rest;
    if (const size_t more = threads - std::min(lines.threads(), threads))
      rest = ", " + formatCount(more, "more thread");
    out.print("{}... cut after {}{}; --limit=0 shows all; --depth, --min-duration, --function and --thread narrow it "
              "down{}\n",
              palette.dim, formatCount(lines.printed(), "line"), rest, palette.reset);
  } else if (input.eventCount() == 0) {
    out.print("there are no events in {}\n", input.name());
  } else if (lines.printed() == 0) {
    out.print("no calls match the filters\n");
  }
}

void warnAboutStrays(uint64_t exits) {
  warning("{} without a call {} left out: recording began inside {}", formatCount(exits, "exit"),
          exits == 1 ? "was" : "were", exits == 1 ? "it" : "them");
}

std::unique_ptr<TreeLines> linesFor(const Options &options, Output &out, const TraceInput &input,
                                    const Palette &palette) {
  if (options.lines.table.isText() && options.lines.table.columns.empty())
    return std::make_unique<TreeText>(out, input, options.lines, palette);
  return std::make_unique<TreeRows>(out, input, options.lines, palette);
}

int runFollow(Options &options, const Palette &palette) {
  const Format format = options.lines.table.format;
  if (options.fit || format == Format::Json || (options.lines.table.isText() && !options.lines.table.columns.empty()))
    return fail(kWrongUsage, "tree: {} can't be combined with --follow, which prints calls as they end",
                options.fit              ? "--fit"
                : format == Format::Json ? "--format=json (jsonl can)"
                                         : "--columns in text (jsonl and csv can)");
  LiveInput live(options.input, options.follow, "tree");
  live.input().setRange(options.filter.options);
  if (options.limit.value_or(0))
    options.lines.limit = *options.limit;
  options.lines.isFollowed = true;
  Output out;
  const std::unique_ptr<TreeLines> lines = linesFor(options, out, live.input(), palette);
  analysis::TreeFollower calls(live.input().table(), options.filter.options, options.walk, *lines);
  while (need(live.look(calls))) {
    out.flush();
    live.wait();
  }
  if (!lines->wasCut())
    calls.finishAll();
  lines->finish();
  out.flush();
  if (const uint64_t strays = calls.strayExits())
    warnAboutStrays(strays);
  int unmatched = kOk;
  if (!live.isLive() && live.input().hasAllThreads())
    unmatched = warnAboutUnmatched(options.filter.options, live.input().table().functions);
  return std::max(unmatched, live.close());
}

int run(Options &options, const Invocation &invocation) {
  checkFollow(options.follow, options.input, "tree");
  options.walk.fold = !options.noFold;
  options.walk.foldInitialisers = !options.showsInitialisers && options.lines.table.isText();
  options.filter.settle("tree");
  options.lines.table.check("tree", infoOf(analysis::treeColumns()));
  const Palette palette = invocation.palette();
  if (options.follow.isWanted)
    return runFollow(options, palette);
  TraceInput input = TraceInput::open(options.input);
  Output out;
  const bool isText = options.lines.table.isText();
  const uint64_t screens = isText && isTerminal(STDOUT_FILENO) ? kTerminalLimit : 0;
  if (const uint64_t limit = options.limit.value_or(screens))
    options.lines.limit = limit;
  analysis::FilterOptions &filter = options.filter.options;
  input.setRange(filter);
  std::optional<analysis::ProcessKinds> kinds;
  std::vector<uint32_t> threads = input.threads();
  if (foldsProcesses(options, input)) {
    options.lines.kinds = &kinds.emplace(input.table());
    std::erase_if(threads, [&](uint32_t thread) {
      const uint32_t process = input.table().threads[thread].process;
      return kinds->of(process).longest != process;
    });
  }
  const analysis::Trace trace = {input.source(), input.table(), threads};
  analysis::TreeFit leftOut{0}; // calls that are shorter or deeper are left out without the user's request
  if (const uint64_t fit =
          options.fit.value_or(options.limit || filter.minDurationNs || options.noFold ? 0 : screens)) {
    const analysis::TreeFit fitting = need(analysis::fitTrees(trace, filter, options.walk, fit));
    if (fitting.minDurationNs > filter.minDurationNs)
      leftOut.minDurationNs = fitting.minDurationNs;
    if (fitting.depth < filter.depth)
      leftOut.depth = fitting.depth;
    if (fitting.isCut)
      options.lines.limit = fit;
    filter.minDurationNs = fitting.minDurationNs, filter.depth = fitting.depth;
  }

  const std::unique_ptr<TreeLines> lines = linesFor(options, out, input, palette);
  const auto walked = need(analysis::walkTrees(trace, filter, options.walk, *lines));
  lines->finish();
  if (isText)
    printNotes(out, input, threads.size(), *lines, palette, leftOut);
  if (kinds && lines->printed() > 0)
    out.print(
        "{}... of processes with the same program and alike command lines, the longest is shown; --each shows each "
        "of the {}, `adatrace graph {}` the sums{}\n",
        palette.dim, formatCount(input.table().processes.size()), pathForShell(input.path()), palette.reset);
  out.flush();
  int unmatched = kOk;
  if (!lines->wasCut() && input.hasAllThreads() && !kinds)
    unmatched = warnAboutUnmatched(filter, input.table().functions);
  if (options.walk.values && input.eventCount() > 0 && !hasValues(input, threads))
    input.warnWithoutArguments();
  if (walked.strayExits)
    warnAboutStrays(walked.strayExits);
  return std::max(unmatched, input.close());
}

void declare(CommandLine &line, Options &options) {
  declareInput(line, options.input);
  declareFilter(line, options.filter);
  declareNames(line, options.lines.names);
  line.flag("--args", options.walk.values,
            "Show arguments and results of the calls that have them (`record --detail`)");
  line.flag("--begin", options.lines.begin, "Show when each call began (for folded calls, the first of them)");
  addTableOptions(line, options.lines.table, "line of the tree");
  line.flag("--no-fold", options.noFold, "One line per call: do not fold repetitions and recursion");
  line.flag("--each", options.each,
            "Show each process, also in the text about a session with many: otherwise the longest one of each program "
            "and kind of command line");
  line.flag("--initialisers", options.showsInitialisers,
            "Show every static initialiser (_GLOBAL__sub_I_...) and its calls; otherwise, adjacent ones are combined "
            "in one line unless --function or --include is given");
  addLimit(line, options.limit,
           fmt::format("At most this many lines; 0: all [{} on a terminal, else 0]", kTerminalLimit));
  addCount(line, "--fit", options.fit,
           fmt::format("Leave out the shortest calls, and then the deepest, until at most this many lines remain; 0: "
                       "leave out none [{} on a "
                       "terminal, unless --limit, --min-duration or --no-fold is given]",
                       kTerminalLimit));
  declareFollow(line, options.follow,
                "print each call when it has ended, below the calls that it made, without folding");
  // For tests: prints early, as for a trace that does not fit into memory.
  line.option("--max-nodes", options.walk.maxNodes, "").hidden();
}

} // namespace
} // namespace tree_command

const Command kTree = {
    "tree",
    "Show who called whom, and how long it took",
    "adatrace tree\n"
    "adatrace tree --function='parse*|*/net/*.cpp' --min-duration=10us --depth=5 ada-traces/session_20261121_101500",
    withOptions<tree_command::declare, tree_command::run>,
};

} // namespace ada::cli
