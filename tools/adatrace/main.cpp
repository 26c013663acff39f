// Reads the command line of adatrace and runs the subcommand.
#include "command.h"
#include "manual/command_page.h"
#include "manual/manual_files.h"
#include "manual/plain_text.h"
#include "manual/topics.h"
#include "options/suggestion.h"
#include "output/table_pages.h"
#include "process/bus_error.h"
#include "process/child_process.h"
#include "process/enough_stack.h"
#include "version.h"

#include <algorithm>
#include <exception>

using namespace ada::cli;

namespace {

int runCommand(const Command &command, std::vector<std::string> args) {
  if (command.option)
    return fail(kWrongUsage, "{}: this adatrace was built without that command (-D{}=OFF)", command.name,
                command.option);
  CommandLine line(std::string("adatrace ") + command.name);
  Invocation invocation;
  const std::function<int()> run = declareAll(command, line, invocation);
  if (command.takesProgram)
    invocation.program = line.takeProgram(args);
  const auto help = [&] { Output().write(helpText(helpPage({&command, line.texts()}), textColumns())); };
  if (const std::optional<int> status = line.parse(std::move(args), help))
    return *status;
  try {
    return run();
  } catch (const Exit &exit) {
    return exit.code;
  }
}

int dispatch(std::vector<std::string> args) {
  if (args.empty())
    return fail(kWrongUsage, "no command given; see adatrace --help");
  if (args[0] == "--help" || args[0] == "-h") {
    Output().write(helpText(overviewPage(), textColumns()));
    return kOk;
  }
  if (args[0] == "help")
    return showTopic({args.begin() + 1, args.end()});
  if (args[0] == "--version") {
    Output().print("adatrace {}\n", kVersion);
    return kOk;
  }
  if (args[0] == "--json-tables") { // not in --help: docs/json.md is made from it
    Output().write(tablePages());
    return kOk;
  }
  if (args[0] == "--sql-tables") { // not in --help: docs/reference/tables.md is made from it
    Output().write(sqlTablePages());
    return kOk;
  }
  if (args[0] == "--write-manual" && args.size() == 2) // not in --help: the build calls it
    return writeManual(args[1]);
  for (const Command *command : commands())
    if (args[0] == command->name)
      return runCommand(*command, {args.begin() + 1, args.end()});
  std::vector<std::string> names;
  for (const Command *command : commands())
    names.push_back(command->name);
  const std::string hint = nearest(args[0], names);
  return fail(kWrongUsage, "unknown {} '{}'{}; see adatrace --help", args[0][0] == '-' ? "option" : "command", args[0],
              hint.empty() ? "" : " (did you mean " + hint + "?)");
}

} // namespace

int main(int argc, char **argv) {
  reserveStandardFiles();
  handleBusErrors();
  ignoreFileLimit();
  return withEnoughStack([&] {
    try {
      return dispatch({argv + 1, argv + argc});
    } catch (const std::bad_alloc &) {
      return fail(kCantRead, "out of memory");
    } catch (const std::exception &error) {
      return fail(kCantRead, "{}", error.what());
    }
  });
}
