// Reads the command line of adatrace and runs the subcommand.
#include "command.h"
#include "options/option_values.h"
#include "options/suggestion.h"
#include "output/table_pages.h"
#include "process/bus_error.h"
#include "process/child_process.h"
#include "version.h"

#include <algorithm>
#include <exception>

using namespace ada::cli;

namespace {

constexpr const char *kExitStatus = "Exit status: 0 success; 1 the trace has problems; 2 wrong usage; 3 the input\n"
                                    "can't be read or the output can't be written. `record` passes the status of the\n"
                                    "program through: 128+n if signal n killed it, 127 if it was not found, 126 if it\n"
                                    "can't be executed, 125 if recording could not be set up.\n";

std::string indent(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    text += "  ";
    text += lines.substr(0, end);
    text += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

int runCommand(const Command &command, std::vector<std::string> args) {
  if (command.option)
    return fail(kWrongUsage, "{}: this adatrace was built without that command (-D{}=OFF)", command.name,
                command.option);
  const bool isOne = std::string_view(command.examples).find('\n') == std::string_view::npos;
  CommandLine line(std::string("adatrace ") + command.name, command.summary,
                   (isOne ? "Example:\n" : "Examples:\n") + indent(command.examples));
  Invocation invocation;
  const std::function<int()> run = command.declare(line, invocation);
  addWhen(line, "--color", invocation.color, "Colours: auto (only on a terminal), always or never");
  if (command.takesProgram)
    invocation.program = line.takeProgram(args);
  if (const std::optional<int> status = line.parse(std::move(args)))
    return *status;
  try {
    return run();
  } catch (const Exit &exit) {
    return exit.code;
  }
}

std::string overview() {
  std::string text = "adatrace - records and reads traces of function calls\n\n"
                     "Usage: adatrace COMMAND [OPTIONS] ...\n\nCommands:\n";
  for (const Command *command : commands())
    if (!command->option)
      text += fmt::format("  {:<10}{}\n", command->name, command->summary);
  text += "\n`adatrace COMMAND --help` describes a command, `adatrace --version` prints the\n"
          "version. If a command takes a session and you name none, it uses the newest one\nunder "
          "./ada-traces.\n\nExample:\n"
          "  adatrace record ./program && adatrace tree\n\n";
  text += kExitStatus;
  return text;
}

int dispatch(std::vector<std::string> args) {
  if (!args.empty() && args[0] == "help") {
    args.erase(args.begin());
    if (!args.empty())
      args = {args[0], "--help"};
    else
      args = {"--help"};
  }
  if (args.empty())
    return fail(kWrongUsage, "no command given; see adatrace --help");
  if (args[0] == "--help" || args[0] == "-h") {
    Output().write(overview());
    return kOk;
  }
  if (args[0] == "--version") {
    Output().print("adatrace {}\n", kVersion);
    return kOk;
  }
  if (args[0] == "--json-tables") { // not in --help: docs/json.md is made from it
    Output().write(tablePages());
    return kOk;
  }
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
  handleBusErrors();
  ignoreFileLimit();
  try {
    return dispatch({argv + 1, argv + argc});
  } catch (const std::bad_alloc &) {
    return fail(kCantRead, "out of memory");
  } catch (const std::exception &error) {
    return fail(kCantRead, "{}", error.what());
  }
}
