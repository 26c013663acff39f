// The processes that a command is to control, and what becomes of its orders.
#pragma once

#include "live/control/control.h"
#include "options/command_line.h"
#include "terminal/folded_messages.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ada::cli {

struct ProcessChoice {
  std::vector<std::string> targets; ///< numbers and names
  std::string session;
  bool all = false;
};

/// PID|NAME, --all and --of.
void addProcessChoice(CommandLine &line, ProcessChoice &choice,
                      const char *help = "Process ids, or names of processes");

/// --each, of commands that print a line for each process that they have given an order.
void addEach(CommandLine &line, bool &each);
/// Prints these lines on standard output.
FoldedMessages linesOfEach(bool each);

/// A process id; nothing if the text is something else.
std::optional<pid_t> processNumber(const std::string &text);

/// The processes, each once. Complains and returns none, with the exit status in `code`, if nothing was chosen, or if a
/// name or the session has no traced process.
std::vector<pid_t> chosenProcesses(const ProcessChoice &choice, const char *command, int &code);

/// The exit status for an answer.
int exitCodeOf(control::Answer::What what);

/// Gives the order to all processes that are chosen. Complains about those that do not take it, and calls
/// done(pid, answer) for the others. Returns the exit status: kOk if every process took it.
int giveChosen(const ProcessChoice &choice, const char *command, const std::string &order,
               const std::function<void(pid_t, const control::Answer &)> &done);

/// An order about the functions of one process, or of all with a name.
struct GlobOrder {
  std::string process;
  std::vector<std::string> globs;
  bool quiet = false;
};

/// PID|NAME, GLOBS, and --quiet. `functions`: what the globs choose, for --help.
void addGlobOrder(CommandLine &line, GlobOrder &order, const char *functions);

/// Gives it, and prints how many functions match: "process 4711: 3 functions switched on", where `done` is
/// "switched on". It is a problem if no process has such a function. Returns the exit status.
int giveGlobs(const GlobOrder &order, const char *command, const char *verb, const char *done);

} // namespace ada::cli
