// adatrace stop: switches recording off in running programs.
#include "command.h"
#include "options/option_values.h"
#include "process/chosen_processes.h"

#include "live/control/status.h"
#include "trace/base/quantities.h"

namespace ada::cli {

namespace stop_command {
namespace {

struct Options {
  ProcessChoice processes;
  bool quiet = false, each = false;
};

int run(const Options &options, const Invocation &) {
  FoldedMessages told = linesOfEach(options.each);
  return giveChosen(options.processes, "stop", "stop", [&](pid_t pid, const control::Answer &) {
    control::Answer answer;
    const control::Status status = control::statusOf(pid, answer);
    if (status.session.empty()) {
      if (!options.quiet)
        told.add(fmt::format("process {} has recorded nothing, and waits", pid));
    } else if (!options.quiet)
      told.add(fmt::format("process {} has stopped recording: {} in {}; next: adatrace why {}", pid,
                           formatCount(status.events.value_or(0), "event"), status.session,
                           pathForShell(status.session)));
  });
}

void declare(CommandLine &line, Options &options) {
  addProcessChoice(line, options.processes);
  addEach(line, options.each);
  addQuiet(line, options.quiet);
}

} // namespace
} // namespace stop_command

const Command kStop = {
    "stop",
    "Make running programs stop recording, with complete traces",
    "adatrace stop 4711\n"
    "adatrace stop --of ada-traces/session_20261121_101500",
    withOptions<stop_command::declare, stop_command::run>,
};

} // namespace ada::cli
