// adatrace mark: names this moment in the traces of running programs.
#include "command.h"
#include "process/chosen_processes.h"

namespace ada::cli {

namespace mark_command {
namespace {

struct Options {
  std::string process, text;
};

int run(const Options &options, const Invocation &) {
  const ProcessChoice one{.targets = {options.process}, .session = {}};
  return giveChosen(one, "mark", "mark " + options.text, [](pid_t, const control::Answer &) {});
}

void declare(CommandLine &line, Options &options) {
  line.option("process", options.process, "A process id, or the name of processes").type("PID|NAME").required();
  line.option("text", options.text, "Its name, for options such as --from=@TEXT").type("TEXT").required();
}

} // namespace
} // namespace mark_command

const Command kMark = {
    "mark",
    "Name this moment in the trace of a running program",
    "adatrace mark 4711 deploy\n"
    "adatrace tree --from=@deploy",
    withOptions<mark_command::declare, mark_command::run>,
};

} // namespace ada::cli
