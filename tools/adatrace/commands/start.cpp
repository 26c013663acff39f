// Adatrace start: switches recording on in running programs.
#include "command.h"
#include "process/chosen_processes.h"

#include "control/status.h"

#include <memory>

namespace ada::cli {

namespace start_command {
namespace {

struct Options {
  ProcessChoice processes;
  bool quiet = false;
};

int run(const Options &options) {
  int code = kOk;
  const std::vector<pid_t> processes = chosenProcesses(options.processes, "start", code);
  const int given = giveAll(processes, "start", [&](pid_t pid, const control::Answer &) {
    control::Answer answer;
    const control::Status status = control::statusOf(pid, answer);
    if (!options.quiet)
      Output().print("process {} records into {}\n", pid, status.session);
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
} // namespace start_command

const Command kStart = {
    "start",
    "Make running programs record",
    "adatrace start 4711\n"
    "adatrace start --all",
    start_command::declare,
};

} // namespace ada::cli
