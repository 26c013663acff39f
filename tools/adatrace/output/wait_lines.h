// Prints what threads waited for.
#ifndef ADATRACE_WAIT_LINES_H
#define ADATRACE_WAIT_LINES_H

#include "function_names.h"
#include "terminal.h"
#include "trace/trace_input.h"

#include "analysis/waits/waits.h"

#include <string>
#include <vector>

namespace ada::cli {

struct WaitLineOptions {
  NameOptions names;
  std::string sort = "total", format = "text";
  analysis::WaitsBy by = analysis::WaitsBy::Object;
};

/// Kind and identity: "mutex 0x55d0c0de", "pipe 3→4", "thread 2".
std::string objectText(const TraceInput &input, const analysis::WaitedFor &object, FunctionNames &names);
/// Only the identity: "0x55d0c0de", "3→4", "thread 2"; empty if it is not known.
std::string objectName(const TraceInput &input, const analysis::WaitedFor &object);
/// "hold, in usleep"; "" if neither is known.
std::string whereText(FunctionNames &names, uint32_t function, uint32_t library);

void sortWaits(std::vector<analysis::WaitRow> &rows, const TraceInput &input, const std::string &column);
/// The columns by which rows can be sorted.
std::vector<std::string> waitColumns();

void printWaits(Output &out, const Palette &palette, const TraceInput &input,
                const std::vector<analysis::WaitRow> &rows,
                const std::vector<std::vector<analysis::DeadlockThread>> &deadlocks, const WaitLineOptions &options);

/// Prints a line that reports the deadlock, and one for each of its threads; nothing if there is no deadlock.
void printDeadlocks(Output &out, const Palette &palette, const TraceInput &input,
                    const std::vector<std::vector<analysis::DeadlockThread>> &deadlocks, NameStyle style);
/// The threads of a deadlock as objects; docs/json.md has the keys.
std::string deadlockJson(const TraceInput &input, const std::vector<analysis::DeadlockThread> &deadlock,
                         FunctionNames &names);

} // namespace ada::cli
#endif // ADATRACE_WAIT_LINES_H
