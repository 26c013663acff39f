// The threads of a trace as they ended, or as they are now.
#include "stack_table.h"
#include "analysis/processes/process_list.h"
#include "process/recover_process.h"
#include "trace/base/boot_time.h"

#include <algorithm>
#include <filesystem>

namespace ada::cli {

using analysis::EndCall;

namespace {

// Whether the process is recording now. The trace may be its directory or the session that contains it.
bool isLive(const std::string &trace, const std::string &process) {
  std::error_code error;
  const std::string inside = trace + "/" + process;
  const std::string &directory = std::filesystem::is_directory(inside, error) ? inside : trace;
  return std::filesystem::exists(directory + "/manifest.json", error) && stateOf(directory) == ProcessState::Running;
}

} // namespace

StackTable StackTable::read(TraceInput &input, const analysis::FilterOptions &filter, size_t recent) {
  StackTable table(input);
  table.processEnds_ = analysis::endsOfProcesses(input.table());
  for (const model::Process &process : input.table().processes) {
    table.areAlive_.push_back(isLive(input.name(), process.name));
    if (table.areAlive_.back())
      table.processEnds_[process.index] = std::max(bootTimeNs(), input.endNs());
  }
  table.ends_ = need(analysis::readThreadEnds(input.trace(), filter, recent));
  return table;
}

void StackTable::readValues(uint32_t thread, std::vector<EndCall> &calls, size_t most) {
  analysis::ValueReader reader(input_->source(), input_->table());
  for (size_t i = 0; i < calls.size(); ++i) {
    if (i >= most && i + most < calls.size())
      continue;
    calls[i].values = need(reader.of(thread, calls[i].span));
  }
}

uint64_t StackTable::lastEventNs(uint32_t thread) const {
  const auto &extent = input_->table().threads[thread].extent;
  return extent ? extent->lastNs : 0;
}

} // namespace ada::cli
