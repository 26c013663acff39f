// The functions that the manifests of a session name.
#include "formats/native/session/named_functions.h"

#include "ada/trace/event.h"
#include "ada/trace/manifest.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ada::atf {

void eachNamedFunction(const Session &session, const std::function<void(uint32_t process, uint64_t id)> &visit) {
  std::map<std::string_view, uint32_t> visited; // how many loads of a binary
  for (uint32_t process = 0; process < session.processes().size(); ++process) {
    const Manifest *manifest = session.processes()[process].manifest();
    if (!manifest)
      continue;
    std::map<std::string_view, uint32_t> loads;
    manifest->eachSymbol([&](const Symbol &symbol) { visit(process, symbol.functionId); },
                         [&](const ManifestModule &module) { return ++loads[module.binary] > visited[module.binary]; });
    for (const auto &[binary, count] : loads)
      visited[binary] = std::max(visited[binary], count);
  }
}

uint64_t countUnnamed(const Session &session, const std::function<std::vector<uint64_t>(uint32_t process)> &used) {
  uint64_t all = 0, named = 0;
  std::map<std::pair<std::string_view, uint32_t>, std::unordered_set<uint32_t>> usedOf; // a binary, by load
  for (uint32_t process = 0; process < session.processes().size(); ++process) {
    const Manifest *manifest = session.processes()[process].manifest();
    if (!manifest)
      continue;
    all += manifest->ownSymbols().size();
    std::map<std::string_view, uint32_t> loads;
    std::unordered_map<uint64_t, std::unordered_set<uint32_t> *> shared; // by module
    for (const ManifestModule &module : manifest->modules)
      if (!module.binary.empty()) {
        const auto [at, isNew] = usedOf.try_emplace({module.binary, loads[module.binary]++});
        all += isNew ? module.functions : 0;
        shared[module.id] = &at->second;
      }
    for (const uint64_t id : used(process))
      if (const std::optional<Symbol> symbol = manifest->find(id); symbol && !symbol->name.empty()) {
        const auto at = shared.find(moduleOf(id));
        named += at == shared.end() || at->second->insert(symbolOf(id)).second;
      }
  }
  return all - std::min(all, named);
}

} // namespace ada::atf
