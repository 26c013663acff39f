// Adatrace status: shows how the recording of running programs stands.
#include "command.h"
#include "output/table_writer.h"
#include "process/chosen_processes.h"

#include "base/quantities.h"
#include "control/status.h"

#include <memory>
#include <unistd.h>

namespace ada::cli {

namespace status_command {
namespace {

struct Options {
  ProcessChoice processes;
  TableOptions table;
};

int run(Options &options, const Invocation &invocation) {
  int code = kOk;
  const bool isOne = options.processes.targets.size() == 1 && processNumber(options.processes.targets[0]);
  if (options.processes.targets.empty() && options.processes.session.empty())
    options.processes.all = true;
  std::vector<control::Status> rows;
  for (const pid_t pid : chosenProcesses(options.processes, "status", code)) {
    control::Answer answer;
    control::Status status = control::statusOf(pid, answer);
    if (answer)
      rows.push_back(std::move(status));
    else
      code = fail(exitCodeOf(answer.what), "{}", answer.why);
  }
  if (rows.empty())
    return code;
  Output out;
  if (isOne && options.table.format == Format::Json)
    out.write(jsonOf(control::statusColumns(), rows[0]) + "\n");
  else
    printTable(out, Palette(invocation.color, STDOUT_FILENO), control::statusColumns(), rows, options.table, 0);
  out.flush();
  for (const control::Status &status : rows)
    if (!status.problem.empty())
      complain(status.problem);
  return code;
}

std::function<int()> declare(CommandLine &line, const Invocation &invocation) {
  auto options = std::make_shared<Options>();
  addProcessChoice(line, options->processes, "Process ids, or names of processes [all of yours]");
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
