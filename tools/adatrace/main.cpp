// Adatrace: reads the command line, runs a subcommand.
#include "command.h"
#include "options/suggestion.h"
#include "process/bus_error.h"
#include "process/child_process.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <clocale>
#include <csignal>
#include <exception>

#ifndef ADATRACE_VERSION
#define ADATRACE_VERSION "unknown"
#endif

using namespace ada::cli;

namespace {

constexpr const char *kExitStatus = "Exit status: 0 all is well; 1 the trace has problems; 2 wrong usage; 3 the input\n"
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

// Takes the traced program's command line off `args` (in order): it starts after
// "--" or with the first argument that is neither an option nor an option's value.
std::vector<std::string> takeProgram(CLI::App &app, std::vector<std::string> &args) {
  size_t at = 0;
  for (; at < args.size(); ++at) {
    const std::string &arg = args[at];
    if (arg == "--")
      break;
    if (arg.size() < 2 || arg[0] != '-')
      break;
    if (arg.find('=') != std::string::npos)
      continue;
    const bool isShort = arg[1] != '-';
    const CLI::Option *option = app.get_option_no_throw(isShort ? arg.substr(0, 2) : arg);
    const bool valueAttached = isShort && arg.size() > 2;
    if (option && option->get_items_expected_max() > 0 && !valueAttached)
      ++at;
  }
  at = std::min(at, args.size());
  const size_t first = at + (at < args.size() && args[at] == "--");
  std::vector<std::string> program(args.begin() + first, args.end());
  args.resize(at);
  return program;
}

// One line instead of the library's two: what is wrong, and what was meant.
int reportUsageError(const CLI::App &app, const std::string &path, const CLI::ParseError &error) {
  std::string text = error.what();
  std::string hint;
  const std::vector<std::string> extras = app.remaining();
  if (dynamic_cast<const CLI::ExtrasError *>(&error) && !extras.empty()) {
    const std::string extra = extras.front().substr(0, extras.front().find('='));
    if (extra.size() > 1 && extra[0] == '-') {
      std::vector<std::string> names;
      for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
          names.push_back("--" + name);
      text = "unknown option " + extra;
      hint = nearest(extra, names);
    } else {
      text = "unexpected argument '" + extras.front() + "'";
    }
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (!hint.empty())
    text += " (did you mean " + hint + "?)";
  return fail(kWrongUsage, "{}: {}; see {} --help", path.substr(std::min(path.find(' ') + 1, path.size())), text, path);
}

int runCommand(const Command &command, std::vector<std::string> args) {
  const std::string path = std::string("adatrace ") + command.name;
  Invocation invocation;
  CLI::App app(command.summary, path);
  app.get_formatter()->column_width(32);
  std::string footer = std::string("Example") +
                       (std::string_view(command.examples).find('\n') != std::string_view::npos ? "s:\n" : ":\n") +
                       indent(command.examples);
  app.footer(footer);
  const std::function<int()> run = command.declare(app, invocation);
  app.add_option_function<std::string>(
         "--color",
         [&invocation](const std::string &value) {
           invocation.color = value == "always"  ? ColorMode::Always
                              : value == "never" ? ColorMode::Never
                                                 : ColorMode::Auto;
         },
         "Colours: auto (only on a terminal), always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
  if (command.takesProgram)
    invocation.program = takeProgram(app, args);
  std::reverse(args.begin(), args.end());
  try {
    app.parse(args);
  } catch (const CLI::CallForHelp &) {
    Output().write(app.help());
    return kOk;
  } catch (const CLI::ParseError &error) {
    return reportUsageError(app, path, error);
  }
  return run();
}

std::string overview() {
  std::string text = "adatrace - records and reads traces of function calls\n\n"
                     "Usage: adatrace COMMAND [OPTIONS] ...\n\nCommands:\n";
  for (const Command *command : commands())
    text += fmt::format("  {:<10}{}\n", command->name, command->summary);
  text += "\n`adatrace COMMAND --help` describes a command, `adatrace --version` prints the\n"
          "version. Where a command takes a session and none is given, it is the newest one\n"
          "under ./ada-traces.\n\nExample:\n"
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
    Output().print("adatrace {}\n", ADATRACE_VERSION);
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
