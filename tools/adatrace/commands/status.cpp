// adatrace status: shows how the recording of running programs stands.
#include "command.h"
#include "output/table_writer.h"
#include "process/chosen_processes.h"

#include "analysis/events/trace_table.h"
#include "analysis/processes/command_shape.h"
#include "live/control/status.h"
#include "trace/base/file_tree.h"
#include "trace/base/quantities.h"

#include <fstream>
#include <memory>
#include <string>
#include <unistd.h>

namespace ada::cli {

namespace status_command {
namespace {

struct Options {
  ProcessChoice processes;
  TableOptions table;
  bool each = false;
};

// The program and kind of command line of a process that runs; empty if the system does not say.
std::string commandOf(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');)
    arguments.push_back(argument);
  return arguments.empty() ? "" : analysis::commandShape(lastNameOf(arguments[0]), arguments);
}

// One row for processes with alike command lines, in the same state and session.
void fold(std::vector<control::Status> &rows) {
  for (control::Status &status : rows)
    if (const std::string command = commandOf(status.pid); !command.empty())
      status.name = command;
  rows = control::foldedStatus(rows);
}

int run(Options &options, const Invocation &invocation) {
  int code = kOk;
  const bool isOne = options.processes.targets.size() == 1 && processNumber(options.processes.targets[0]);
  if (options.processes.targets.empty() && options.processes.session.empty())
    options.processes.all = true;
  std::vector<control::Status> rows;
  FoldedMessages complaints(options.each ? "" : "--each", complain);
  for (const pid_t pid : chosenProcesses(options.processes, "status", code)) {
    control::Answer answer;
    control::Status status = control::statusOf(pid, answer);
    if (answer)
      rows.push_back(std::move(status));
    else
      code = exitCodeOf(answer.what), complaints.add(answer.why);
  }
  if (rows.empty())
    return code;
  for (const control::Status &status : rows)
    if (!status.problem.empty())
      complaints.add(status.problem);
  const size_t all = rows.size();
  const bool isFolded =
      options.table.isText() && options.table.columns.empty() && !options.each && analysis::areMany(all);
  if (isFolded)
    fold(rows);
  Output out;
  if (isOne && options.table.format == Format::Json)
    out.write(jsonOf(control::statusColumns(), rows[0]) + "\n");
  else
    printTable(out, Palette(invocation.color, STDOUT_FILENO), control::statusColumns(), rows, options.table,
               isFolded ? control::kStatusIsFolded : 0);
  if (isFolded)
    out.print("{}; --each prints a line for each\n", formatCount(all, "process"));
  return code;
}

std::function<int()> declare(CommandLine &line, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  addProcessChoice(line, options->processes, "Process ids, or names of processes [all of yours]");
  addEach(line, options->each);
  addTableOptions(line, options->table, "process");
  return [options, &invocation] {
    options->table.check("status", infoOf(control::statusColumns()));
    return run(*options, invocation);
  };
}

} // namespace
} // namespace status_command

const Command kStatus = {
    "status",
    "Show which running programs record, where to, and how much",
    "adatrace status\n"
    "adatrace status 4711 --format=json",
    status_command::declare,
};

} // namespace ada::cli
