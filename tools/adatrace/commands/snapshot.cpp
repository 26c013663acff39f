// Adatrace snapshot: makes running programs write what they have recorded until now, and prints where.
#include "command.h"
#include "process/chosen_processes.h"

#include "control/status.h"

#include <memory>

namespace ada::cli {

namespace snapshot_command {
namespace {

struct Options {
  ProcessChoice processes;
};

int run(const Options &options) {
  int code = kOk;
  const std::vector<pid_t> processes = chosenProcesses(options.processes, "snapshot", code);
  const int given = giveAll(processes, "snapshot", [&](pid_t pid, const control::Answer &answer) {
    Output().print("{}\n", control::sessionOf(pid, answer.text));
  });
  return given != kOk ? given : code;
}

std::function<int()> declare(CommandLine &line, const Invocation &) {
  auto options = std::make_shared<Options>();
  line.option("process", options->processes.targets, "Process ids, or names of processes").type("PID|NAME");
  addProcessChoice(line, options->processes);
  return [options] { return run(*options); };
}

} // namespace
} // namespace snapshot_command

const Command kSnapshot = {
    "snapshot",
    "Write what running programs have recorded until now, and print where",
    "adatrace tree $(adatrace snapshot 4711)",
    snapshot_command::declare,
};

} // namespace ada::cli
