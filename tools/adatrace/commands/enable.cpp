// adatrace enable: switches functions of a running program on.
#include "command.h"
#include "process/chosen_processes.h"

namespace ada::cli {

namespace enable_command {
namespace {

int run(const GlobOrder &order, const Invocation &) { return giveGlobs(order, "enable", "enable", "switched on"); }

void declare(CommandLine &line, GlobOrder &order) {
  addGlobOrder(line, order, "Functions whose mangled name, demangled name or source file matches one of these globs");
}

} // namespace
} // namespace enable_command

const Command kEnable = {
    "enable",
    "Switch functions of a running program on",
    "adatrace enable 4711 'net::*' '*/parser.cpp'",
    withOptions<enable_command::declare, enable_command::run>,
};

} // namespace ada::cli
