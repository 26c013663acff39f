// Sorts processes by program and command line.
#include "process_kinds.h"

#include "command_shape.h"
#include "process_list.h"

#include <algorithm>
#include <unordered_map>

namespace ada::analysis {

ProcessKinds::ProcessKinds(const TraceTable &table) {
  const ProcessList list = listProcesses(table);
  std::unordered_map<std::string, uint32_t> known;
  std::vector<uint64_t> longestNs;
  for (const model::Process &process : table.processes) {
    const ProcessRun &run = list.all[list.runOf[process.index]];
    const auto found = std::ranges::find(run.executions, process.index, &Execution::process);
    const Execution &execution = found == run.executions.end() ? run.last() : *found; // else a later part of a trace
    const auto number =
        known.try_emplace(commandShape(execution.program, execution.arguments), static_cast<uint32_t>(all_.size()))
            .first;
    kindOf_.push_back(number->second);
    if (number->second == all_.size()) {
      all_.push_back({commandText(execution.program, execution.arguments), 1, process.index});
      longestNs.push_back(run.durationNs());
      continue;
    }
    ProcessKind &kind = all_[number->second];
    kind.command = number->first, ++kind.processes;
    if (run.durationNs() > longestNs[number->second])
      kind.longest = process.index, longestNs[number->second] = run.durationNs();
  }
}

} // namespace ada::analysis
