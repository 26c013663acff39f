// adatrace disable: switches functions of a running program off.
#include "command.h"
#include "process/chosen_processes.h"

namespace ada::cli {

namespace disable_command {
namespace {

int run(const GlobOrder &order, const Invocation &) { return giveGlobs(order, "disable", "disable", "switched off"); }

void declare(CommandLine &line, GlobOrder &order) {
  addGlobOrder(line, order, "Functions whose mangled name, demangled name or source file matches one of these globs");
}

} // namespace
} // namespace disable_command

const Command kDisable = {
    "disable",
    "Switch functions of a running program off",
    "adatrace disable 4711 'std::*'",
    withOptions<disable_command::declare, disable_command::run>,
};

} // namespace ada::cli
