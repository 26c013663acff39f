// Adatrace flush: makes running programs write what they have recorded.
#include "command.h"
#include "process/chosen_processes.h"

#include "control/status.h"

#include <memory>

namespace ada::cli {

namespace flush_command {
namespace {

struct Options {
  ProcessChoice processes;
  bool quiet = false;
};

int run(const Options &options) {
  int code = kOk;
  const std::vector<pid_t> processes = chosenProcesses(options.processes, "flush", code);
  const int given = giveAll(processes, "flush", [&](pid_t pid, const control::Answer &) {
    control::Answer answer;
    if (!options.quiet)
      Output().print("process {} has written everything to {}\n", pid, control::statusOf(pid, answer).session);
  });
  return given != kOk ? given : code;
}

std::function<int()> declare(CommandLine &line, const Invocation &) {
  auto options = std::make_shared<Options>();
  line.option("process", options->processes.targets, "Process ids, or names of processes").type("PID|NAME");
  addProcessChoice(line, options->processes);
  line.flag("-q,--quiet", options->quiet, "Print only problems");
  return [options] { return run(*options); };
}

} // namespace
} // namespace flush_command

const Command kFlush = {
    "flush",
    "Make running programs write everything that they have recorded",
    "adatrace flush 4711 && adatrace tree",
    flush_command::declare,
};

} // namespace ada::cli
