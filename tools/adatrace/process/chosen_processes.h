// The processes that a command is to control, and what becomes of its orders.
#ifndef ADATRACE_CHOSEN_PROCESSES_H
#define ADATRACE_CHOSEN_PROCESSES_H

#include "control/control.h"
#include "options/command_line.h"

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

/// --all and --of.
void addProcessChoice(CommandLine &line, ProcessChoice &choice);

/// A process id; nothing if the text is something else.
std::optional<pid_t> processNumber(const std::string &text);

/// The processes, each once. Complains and returns none, with the exit status in `code`, if nothing was chosen, or if a
/// name or the session has no traced process.
std::vector<pid_t> chosenProcesses(const ProcessChoice &choice, const char *command, int &code);

/// The exit status for an answer.
int exitCodeOf(control::Answer::What what);

/// Gives all of them the order. Complains about those that do not take it, and calls done(pid, answer) for the others.
/// Returns the exit status: kOk if every process took it.
int giveAll(const std::vector<pid_t> &processes, const std::string &order,
            const std::function<void(pid_t, const control::Answer &)> &done);

/// Gives all of them an order with globs, and prints how many functions match: "process 4711: 3 functions switched on".
/// A process without such a function is a problem. `code`: the exit status so far.
int giveGlobs(const std::vector<pid_t> &processes, const std::string &verb, const std::vector<std::string> &globs,
              const char *done, bool quiet, int code);

} // namespace ada::cli
#endif // ADATRACE_CHOSEN_PROCESSES_H
