// Matches the functions and threads of one session with those of another.
#include "session_match.h"

#include <map>
#include <set>

namespace ada::analysis {

static std::string nameOf(const model::Function &function) {
  if (!function.name.empty())
    return function.name;
  return function.displayName.empty() ? "#" + std::to_string(function.id) : function.displayName;
}

static std::string fileNameOf(const model::Function &function) {
  return function.file.substr(function.file.rfind('/') + 1); // npos + 1 is 0
}

JoinedFunctions joinFunctions(std::span<const std::vector<model::Function> *const> lists) {
  std::set<std::string> ambiguous;
  for (const std::vector<model::Function> *list : lists) {
    std::map<std::string, std::string> files;
    for (const model::Function &function : *list)
      if (const auto [at, isNew] = files.try_emplace(nameOf(function), fileNameOf(function));
          !isNew && at->second != fileNameOf(function))
        ambiguous.insert(at->first);
  }
  const auto keyOf = [&](const model::Function &function) {
    std::string name = nameOf(function);
    std::string file = ambiguous.contains(name) ? fileNameOf(function) : std::string();
    return std::pair(std::move(name), std::move(file));
  };
  return joinFunctions(lists, keyOf);
}

std::vector<std::string> threadKeys(const TraceTable &table) {
  std::map<std::string, unsigned> met;
  std::vector<std::string> keys;
  for (const model::Thread &thread : table.threads) {
    // It is named after the program, and another version of the program may have another name.
    const bool isMain = thread.tid != 0 && table.processOf(thread).pid == thread.tid;
    const std::string name = isMain ? "main thread" : thread.label;
    keys.push_back(name + " #" + std::to_string(++met[name]));
  }
  return keys;
}

} // namespace ada::analysis
