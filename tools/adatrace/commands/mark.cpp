// Adatrace mark: names this moment in the traces of running programs.
#include "command.h"
#include "process/chosen_processes.h"

#include <memory>

namespace ada::cli {

namespace mark_command {
namespace {

struct Options {
  ProcessChoice processes;
  std::string process, text;
};

int run(Options &options) {
  int code = kOk;
  options.processes.targets = {options.process};
  const std::vector<pid_t> processes = chosenProcesses(options.processes, "mark", code);
  const int given = giveAll(processes, "mark " + options.text, [](pid_t, const control::Answer &) {});
  return given != kOk ? given : code;
}

std::function<int()> declare(CommandLine &line, const Invocation &) {
  auto options = std::make_shared<Options>();
  line.option("process", options->process, "A process id, or the name of processes").type("PID|NAME").required();
  line.option("text", options->text, "Its name, for options such as --from=@TEXT").type("TEXT").required();
  return [options] { return run(*options); };
}

} // namespace
} // namespace mark_command

const Command kMark = {
    "mark",
    "Name this moment in the trace of a running program",
    "adatrace mark 4711 deploy\n"
    "adatrace tree --from=@deploy",
    mark_command::declare,
};

} // namespace ada::cli
