// adatrace flush: makes running programs write what they have recorded.
#include "command.h"
#include "options/option_values.h"
#include "process/chosen_processes.h"

#include "live/control/status.h"

namespace ada::cli {

namespace flush_command {
namespace {

struct Options {
  ProcessChoice processes;
  bool quiet = false, each = false;
};

int run(const Options &options, const Invocation &) {
  FoldedMessages told = linesOfEach(options.each);
  return giveChosen(options.processes, "flush", "flush", [&](pid_t pid, const control::Answer &) {
    control::Answer answer;
    if (!options.quiet)
      told.add(fmt::format("process {} has written everything to {}", pid, control::statusOf(pid, answer).session));
  });
}

void declare(CommandLine &line, Options &options) {
  addProcessChoice(line, options.processes);
  addEach(line, options.each);
  addQuiet(line, options.quiet);
}

} // namespace
} // namespace flush_command

const Command kFlush = {
    "flush",
    "Make running programs write everything that they have recorded",
    "adatrace flush 4711 && adatrace tree",
    withOptions<flush_command::declare, flush_command::run>,
};

} // namespace ada::cli
