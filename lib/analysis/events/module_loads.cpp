// Finds which modules of a process are the same library, loaded again.
#include "module_loads.h"

#include "ada/trace/event.h"

#include <algorithm>
#include <map>
#include <simdjson.h>
#include <string_view>
#include <utility>
#include <vector>

namespace ada::analysis {

ModuleLoads::ModuleLoads(const model::Process &process) {
  simdjson::dom::parser parser;
  simdjson::dom::element description;
  simdjson::dom::array modules;
  if (parser.parse(process.description.get()).get(description) || description["modules"].get(modules))
    return;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<uint32_t>> loads; // by path and build id
  for (const simdjson::dom::element entry : modules) {
    uint64_t number = 0;
    std::string_view path, build;
    if (!entry["module_id"].get(number) && number <= UINT32_MAX && !entry["path"].get(path) && !path.empty() &&
        !entry["build_id"].get(build) && !build.empty())
      loads[{path, build}].push_back(static_cast<uint32_t>(number));
  }
  for (const auto &[file, numbers] : loads) {
    const uint32_t first = *std::ranges::min_element(numbers);
    for (const uint32_t number : numbers)
      if (number != first)
        first_.emplace(number, first);
  }
}

uint64_t ModuleLoads::firstFunction(uint64_t function) const {
  return uint64_t{firstOf(moduleOf(function))} << 32 | (function & UINT32_MAX);
}

} // namespace ada::analysis
