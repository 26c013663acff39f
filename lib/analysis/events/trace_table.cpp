// Keeps what a trace has announced.
#include "trace_table.h"

#include "trace/base/text.h"
#include "trace/labels.h"

#include <simdjson.h>
#include <string>

namespace ada::analysis {

using model::nameForPeople;

Expected<void> TableSink::addProcess(const model::Process &process) {
  table_.processes.push_back(process);
  table_.processes.back().symbols = {}, table_.processes.back().binariesFolder = {};
  table_.processes.back().label = nameForPeople(process);
  return {};
}

Expected<void> TableSink::addThread(const model::Thread &thread) {
  table_.threads.push_back(thread);
  table_.threads.back().label = nameForPeople(thread);
  return {};
}

Expected<void> TableSink::addFunction(const model::Function &function) {
  table_.functions.push_back(function);
  return {};
}

std::string threadLabel(const TraceTable &table, uint32_t number, bool withProcess) {
  const model::Thread &thread = table.threads[number];
  std::string text = withProcess ? oneLine(table.processOf(thread).label) + " " : std::string();
  text += "thread " + std::to_string(thread.number) + " (tid " + std::to_string(thread.tid);
  if (!thread.label.empty())
    text += ", " + oneLine(thread.label);
  return text + ")";
}

std::string moduleName(const model::Process &process, uint32_t module) {
  simdjson::dom::parser parser;
  simdjson::dom::element description;
  simdjson::dom::array modules;
  if (!parser.parse(process.description.get()).get(description) && !description["modules"].get(modules))
    for (const simdjson::dom::element entry : modules) {
      uint64_t number;
      std::string_view path;
      if (!entry["module_id"].get(number) && number == module && !entry["path"].get(path) && !path.empty())
        return std::string(path);
    }
  return "module " + std::to_string(module);
}

} // namespace ada::analysis
