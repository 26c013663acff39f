// adatrace snapshot: makes running programs write what they have recorded until now, and prints where.
#include "command.h"
#include "process/chosen_processes.h"

#include "live/control/status.h"

namespace ada::cli {

namespace snapshot_command {
namespace {

struct Options {
  ProcessChoice processes;
};

int run(const Options &options, const Invocation &) {
  return giveChosen(options.processes, "snapshot", "snapshot", [&](pid_t pid, const control::Answer &answer) {
    Output().print("{}\n", control::sessionOf(pid, answer.text));
  });
}

void declare(CommandLine &line, Options &options) { addProcessChoice(line, options.processes); }

} // namespace
} // namespace snapshot_command

const Command kSnapshot = {
    "snapshot",
    "Write what running programs have recorded until now, and print where",
    "adatrace tree $(adatrace snapshot 4711)",
    withOptions<snapshot_command::declare, snapshot_command::run>,
};

} // namespace ada::cli
