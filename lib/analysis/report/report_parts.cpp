// Finds which row of a report a function's calls count for.
#include "report_parts.h"

namespace ada::analysis {

const ModuleLoads &RowKeys::loadsOf(uint32_t process) {
  while (loads_.size() <= process)
    loads_.emplace_back(table_.processes[loads_.size()]);
  return loads_[process];
}

RowKey RowKeys::of(const model::Function &function, uint32_t thread) {
  const uint64_t id = loadsOf(function.process).firstFunction(function.commonId());
  RowKey key;
  key.process = function.process;
  if (by_ == ReportBy::Thread)
    key.thread = thread;
  if (by_ == ReportBy::File)
    key.text = function.file;
  else if (by_ != ReportBy::Module && function.goesByName())
    key.text = function.name, key.number = static_cast<uint64_t>(function.kind);
  else
    key.number = by_ == ReportBy::Module ? moduleOf(id) : id;
  return key;
}

} // namespace ada::analysis
