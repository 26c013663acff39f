// Reads from the manifests which functions a run's budget switched off.
#include "functions_off.h"
#include "base/estimates.h"
#include "base/quantities.h"
#include "session_place.h"
#include "terminal/terminal.h"

#include "ada/trace/manifest.h"
#include "analysis/report/suggestion.h"

#include <algorithm>
#include <map>
#include <vector>

namespace ada::cli {

// The number of functions that are named, and the longest list (in bytes) that people may be expected to copy.
static constexpr size_t kNamed = 3, kMostGlobs = 4000;

FunctionsOff functionsOff(const std::string &session) {
  struct Name {
    std::string name, shown;
    uint64_t estimated = 0;
  };
  std::map<std::string, Name, std::less<>> byName;
  std::string budget;
  uint64_t estimated = 0;
  for (const std::string &directory : processDirectories(session)) {
    const auto manifest = Manifest::read(directory + "/manifest.json");
    if (!manifest || manifest->exit.how == "rotated") // the next part continues the count
      continue;
    for (const SwitchedOffFunction &function : manifest->switchedOff) {
      const Symbol *symbol = manifest->find(function.functionId);
      if (!symbol)
        continue;
      Name &name = byName[std::string(symbol->name)];
      name.name = symbol->name;
      name.shown = manifest->shortDisplayName(function.functionId);
      name.estimated += function.estimatedCalls;
      estimated += function.estimatedCalls;
      budget = manifest->budget;
    }
  }
  if (byName.empty())
    return {};
  std::vector<const Name *> names;
  for (const auto &[text, name] : byName)
    names.push_back(&name);
  std::ranges::stable_sort(names, std::ranges::greater(), [](const Name *name) { return name->estimated; });
  FunctionsOff off;
  std::string shown;
  for (size_t i = 0; i < std::min(kNamed, names.size()); ++i)
    shown +=
        fmt::format("{}{} (~{})", i ? ", " : "", oneLine(names[i]->shown), formatCount(roughly(names[i]->estimated)));
  if (names.size() > kNamed)
    shown += fmt::format(" and {} more", formatCount(names.size() - kNamed));
  off.told = fmt::format("{} {} switched off by the budget of {}: {}; about {} were not recorded",
                         formatCount(names.size(), "function"), names.size() == 1 ? "was" : "were", budget, shown,
                         formatCount(roughly(estimated), "call"));
  for (const Name *name : names)
    off.globs += (off.globs.empty() ? "" : "|") + analysis::globOf(name->name);
  if (off.globs.size() > kMostGlobs)
    off.globs.clear();
  return off;
}

} // namespace ada::cli
