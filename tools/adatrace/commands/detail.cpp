// Adatrace detail: switches the detail of functions of a running program on or off.
#include "command.h"
#include "process/chosen_processes.h"

#include <memory>

namespace ada::cli {

namespace detail_command {
namespace {

struct Options {
  ProcessChoice processes;
  std::string process;
  std::vector<std::string> globs;
  bool quiet = false, off = false;
};

int run(Options &options) {
  int code = kOk;
  if (!options.process.empty())
    options.processes.targets = {options.process};
  const std::vector<pid_t> processes = chosenProcesses(options.processes, "detail", code);
  return giveGlobs(processes, options.off ? "no-detail" : "detail", options.globs, "changed", options.quiet, code);
}

std::function<int()> declare(CommandLine &line, const Invocation &) {
  auto options = std::make_shared<Options>();
  line.option("process", options->process, "A process id, or the name of processes").type("PID|NAME").required();
  line.option("globs", options->globs,
              "Functions whose arguments, results and stack are recorded, as with `adatrace record --detail`, but "
              "without lists of arguments")
      .type("GLOBS")
      .required();
  line.flag("--off", options->off, "Record only their calls from now on");
  line.flag("-q,--quiet", options->quiet, "Print only problems");
  return [options] { return run(*options); };
}

} // namespace
} // namespace detail_command

const Command kDetail = {
    "detail",
    "Switch the detail of functions of a running program on or off",
    "adatrace detail 4711 'net::send'\n"
    "adatrace detail --off 4711 '*'",
    detail_command::declare,
};

} // namespace ada::cli
