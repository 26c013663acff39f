// Adatrace disable: switches functions of a running program off.
#include "command.h"
#include "process/chosen_processes.h"

#include <memory>

namespace ada::cli {

namespace disable_command {
namespace {

struct Options {
  ProcessChoice processes;
  std::string process;
  std::vector<std::string> globs;
  bool quiet = false;
};

int run(Options &options) {
  int code = kOk;
  if (!options.process.empty())
    options.processes.targets = {options.process};
  const std::vector<pid_t> processes = chosenProcesses(options.processes, "disable", code);
  return giveGlobs(processes, "disable", options.globs, "switched off", options.quiet, code);
}

std::function<int()> declare(CommandLine &line, const Invocation &) {
  auto options = std::make_shared<Options>();
  line.option("process", options->process, "A process id, or the name of processes").type("PID|NAME").required();
  line.option("globs", options->globs,
              "Functions whose mangled name, demangled name or source file matches one of these globs")
      .type("GLOBS")
      .required();
  line.flag("-q,--quiet", options->quiet, "Print only problems");
  return [options] { return run(*options); };
}

} // namespace
} // namespace disable_command

const Command kDisable = {
    "disable",
    "Switch functions of a running program off",
    "adatrace disable 4711 'std::*'",
    disable_command::declare,
};

} // namespace ada::cli
