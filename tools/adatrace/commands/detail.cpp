// adatrace detail: switches the detail of functions of a running program on or off.
#include "command.h"
#include "process/chosen_processes.h"

namespace ada::cli {

namespace detail_command {
namespace {

struct Options : GlobOrder {
  bool off = false;
};

int run(const Options &options, const Invocation &) {
  return giveGlobs(options, "detail", options.off ? "no-detail" : "detail", "changed");
}

void declare(CommandLine &line, Options &options) {
  line.flag("--off", options.off, "Record only their calls from now on");
  addGlobOrder(line, options,
               "Functions whose arguments, results and stack are recorded, as with `record --detail`, but "
               "without lists of arguments");
}

} // namespace
} // namespace detail_command

const Command kDetail = {
    "detail",
    "Switch the detail of functions of a running program on or off",
    "adatrace detail 4711 'net::send'\n"
    "adatrace detail --off 4711 '*'",
    withOptions<detail_command::declare, detail_command::run>,
};

} // namespace ada::cli
