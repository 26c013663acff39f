// What identifies a function of a trace, whichever process calls it.
#include "function_keys.h"

#include "ada/trace/event.h"

#include <algorithm>
#include <map>
#include <simdjson.h>
#include <string_view>

namespace ada::query {

static constexpr uint32_t kFirstFile = uint32_t{1} << 31; // scopes before it are processes

// Reads which files the processes have.
const FunctionKeys::Process &FunctionKeys::modulesOf(uint32_t number) {
  while (processes_.size() < table_.processes.size()) {
    const model::Process &about = table_.processes[processes_.size()];
    Process &process = processes_.emplace_back();
    simdjson::dom::parser parser;
    simdjson::dom::element description;
    simdjson::dom::array list;
    if (parser.parse(about.description.get()).get(description) || description["modules"].get(list))
      continue;
    const analysis::ModuleLoads loads(about);
    std::map<uint32_t, uint32_t> loadsOf; // by scope
    for (const simdjson::dom::element entry : list) {
      uint64_t module = 0;
      std::string_view binary, path;
      if (entry["module_id"].get(module) || module > UINT32_MAX || entry["binary"].get(binary) || binary.empty() ||
          loads.firstOf(static_cast<uint32_t>(module)) != module) // keys have the first load
        continue;
      const uint32_t next = kFirstFile + static_cast<uint32_t>(scopes_.size());
      const uint32_t scope = scopes_.try_emplace(std::string(binary), next).first->second;
      users_[scope].processes += loadsOf[scope] == 0;
      process.modules.push_back({static_cast<uint32_t>(module), scope, loadsOf[scope]++});
      if (!process.program || (!entry["path"].get(path) && path == about.executable))
        process.program = scope;
    }
    if (process.program)
      ++users_[*process.program].programs;
    std::ranges::sort(process.modules, {}, &Module::number);
  }
  return processes_[number];
}

analysis::RowKey FunctionKeys::of(const model::Function &function) {
  analysis::RowKey key = keys_.of(function, analysis::RowKey::kNoThread);
  const Process &process = modulesOf(function.process);
  if (function.goesByName()) {
    if (!key.text.empty())
      key.process = process.program.value_or(key.process);
    return key;
  }
  const auto module = std::ranges::lower_bound(process.modules, moduleOf(key.number), {}, &Module::number);
  if (module != process.modules.end() && module->number == moduleOf(key.number)) {
    key.process = module->scope;
    key.number = uint64_t{module->load} << 32 | symbolOf(key.number);
  }
  return key;
}

bool FunctionKeys::isShared(const model::Function &function) {
  const auto users = users_.find(of(function).process);
  return users != users_.end() && (function.goesByName() ? users->second.programs : users->second.processes) > 1;
}

std::vector<uint32_t> FunctionKeys::scopesOf(uint32_t process) {
  std::vector<uint32_t> scopes = {process};
  for (const Module &module : modulesOf(process).modules)
    scopes.push_back(module.scope);
  return scopes;
}

} // namespace ada::query
