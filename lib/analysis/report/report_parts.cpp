// Finds which row of a report a function's calls count for.
#include "report_parts.h"

#include "shared/manifest_keys.h"
#include "trace/base/json_document.h"
#include "trace/labels.h"

namespace ada::analysis {

std::string foldedName(const model::Process &process) {
  std::string_view first;
  dom::parser parser;
  dom::element description;
  if (process.executable.empty() && !parser.parse(process.description.get()).get(description) &&
      description[manifest::kProcess][manifest::kArgv].at(0).get(first))
    first = {};
  const std::string program = model::programOf(process.executable, first);
  return program.empty() ? process.name : program;
}

std::vector<uint32_t> firstOfProgram(const TraceTable &table) {
  std::vector<uint32_t> firsts;
  std::unordered_map<std::string, uint32_t> known;
  for (const model::Process &process : table.processes)
    firsts.push_back(known.try_emplace(foldedName(process), process.index).first->second);
  return firsts;
}

const ModuleLoads &RowKeys::loadsOf(uint32_t process) {
  const auto known = loads_.find(process);
  return known != loads_.end() ? known->second : loads_.try_emplace(process, table_.processes[process]).first->second;
}

RowKey RowKeys::of(const model::Function &function, uint32_t thread) {
  const uint32_t process = thread == RowKey::kNoThread ? function.process : table_.threads[thread].process;
  const bool isFolded = !firsts_.empty();
  RowKey key;
  key.process = rowProcess(process);
  if (by_ == ReportBy::Thread)
    key.thread = thread;
  if (by_ == ReportBy::File) {
    key.text = function.file;
  } else if (by_ == ReportBy::Module && isFolded) {
    key.text = moduleName(table_.processes[process], moduleOf(function.commonId()));
  } else if (by_ == ReportBy::Module) {
    key.number = moduleOf(loadsOf(process).firstFunction(function.commonId()));
  } else if (function.goesByName()) {
    key.text = function.name, key.number = static_cast<uint64_t>(function.kind);
  } else if (isFolded) {
    key.text = function.name.empty() ? function.displayName : function.name + '\n' + function.file;
    key.number = function.line;
  } else {
    key.number = loadsOf(process).firstFunction(function.commonId());
  }
  return key;
}

} // namespace ada::analysis
