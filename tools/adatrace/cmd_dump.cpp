//===- cmd_dump.cpp - adatrace dump: every event, one a line --------------===//
#include "command.h"
#include "dump_lines.h"
#include "foreign_file.h"
#include "quantities.h"
#include "trace_input.h"

#include "ada/trace/merge.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace ada::cli {

namespace {

struct Options {
  InputOptions input;
  std::string format = "text";
  bool merged = false;
};

// All events of a thread that lie in the range of time, with their depth. The
// calls that are open when the range begins are followed too, so that depths
// are right.
void dumpThread(const TraceInput &input, const InputThread &thread,
                const SessionTypes &types, DumpLines &lines) {
  DumpThread state(thread, types, input.severalProcesses());
  thread.events().forEach([&](uint64_t seq, const atf::IndexEvent &event) {
    const uint32_t depth = state.depthOf(seq, event);
    if (input.isInRange(event.timestampNs))
      lines.write(state, seq, event, depth);
  });
}

void dumpMerged(const TraceInput &input, const SessionTypes &types,
                DumpLines &lines) {
  std::vector<DumpThread> states;
  std::vector<atf::MergeCursor::Source> sources;
  for (const InputThread &thread : input.threads()) {
    states.emplace_back(thread, types, input.severalProcesses());
    sources.push_back({&thread.events(), thread.events().all()});
  }
  for (atf::MergeCursor next(sources); next; next.advance()) {
    DumpThread &state = states[next.thread()];
    const uint32_t depth = state.depthOf(next.seq(), next.event());
    if (input.isInRange(next.event().timestampNs))
      lines.write(state, next.seq(), next.event(), depth);
  }
}

int run(Options &options) {
  int exitCode = kOk;
  auto foreign = openForeign(options.input.path);
  if (!foreign)
    return fail(kCantRead, "{}", foreign.error().text());
  if (*foreign)
    return dumpForeign(std::move(**foreign), {options.input, options.format == "jsonl",
                                              options.merged});
  const std::optional<TraceInput> input =
      TraceInput::open(options.input, exitCode);
  if (!input)
    return exitCode;
  Output out;
  DumpLines lines(out, options.format == "jsonl");
  const SessionTypes types(*input);
  if (options.merged)
    dumpMerged(*input, types, lines);
  else
    for (const InputThread &thread : input->threads())
      dumpThread(*input, thread, types, lines);
  out.flush();
  return input->exitCode();
}

std::function<int()> declare(CLI::App &app, const Invocation &) {
  auto options = std::make_shared<Options>();
  declareInput(app, options->input);
  options->input.detail = true;
  app.add_option("--format", options->format,
                 "text, or jsonl: one JSON object a line, for scripts [text]")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "jsonl"}).description(""));
  app.add_flag(
      "--merged", options->merged,
      "All threads in one sequence by time, instead of one thread after the "
      "other");
  return [options] { return run(*options); };
}

} // namespace

const Command kDump = {
    "dump",
    "Print every event, one a line",
    "adatrace dump --format=jsonl | jq -r 'select(.kind == \"exception\") | "
    ".name'\n"
    "adatrace dump --merged --from=1ms --to=2ms "
    "ada-traces/session_20261121_101500",
    declare,
};

} // namespace ada::cli
