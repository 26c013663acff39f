// Reads from the manifests and threads of a run what its user should know.
#include "run_findings.h"
#include "process/session_place.h"
#include "terminal/terminal.h"
#include "trace/base/estimates.h"
#include "trace/base/quantities.h"

#include "ada/trace/manifest.h"
#include "ada/trace/model.h"
#include "analysis/events/near_names.h"
#include "analysis/report/suggestion.h"
#include "shared/manifest_keys.h"
#include "shared/options/triggers.h"
#include "trace/names.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace ada::cli {

// The number of functions that are named, and the longest list (in bytes) that people may be expected to copy.
static constexpr size_t kNamed = 3, kMaxGlobs = 4000;

namespace {

// Adds up the functions that the budget switched off, by name.
class SwitchedOffNames {
public:
  void add(const Manifest &manifest) {
    if (manifest.exit.how == "rotated") // the next part continues the count
      return;
    atMost_ += manifest.allAtMost();
    isLimited_ &= manifest.switchedOff.empty() || manifest.allAtMost() > 0;
    for (const SwitchedOffFunction &function : manifest.switchedOff) {
      const std::optional<Symbol> symbol = manifest.find(function.functionId);
      if (!symbol)
        continue;
      Name &name = byName_[std::string(symbol->name)];
      name.name = symbol->name;
      name.shown = manifest.shortDisplayName(function.functionId);
      name.estimated += function.estimatedCalls;
      estimated_ += function.estimatedCalls;
      budget_ = manifest.budget;
    }
  }
  FunctionsOff sum() const {
    if (byName_.empty())
      return {};
    std::vector<const Name *> names;
    for (const auto &[text, name] : byName_)
      names.push_back(&name);
    std::ranges::stable_sort(names, std::ranges::greater(), [](const Name *name) { return name->estimated; });
    FunctionsOff off;
    std::string shown;
    for (size_t i = 0; i < std::min(kNamed, names.size()); ++i)
      shown += fmt::format("{}{}", i ? ", " : "", oneLine(names[i]->shown));
    if (names.size() > kNamed)
      shown += fmt::format(" and {} more", formatCount(names.size() - kNamed));
    off.told = fmt::format("{} {} switched off by the budget of {}: {}; {}", formatCount(names.size(), "function"),
                           names.size() == 1 ? "was" : "were", budget_, shown,
                           MissingCalls(estimated_, isLimited_ ? atMost_ : 0).text(names.size() == 1));
    for (const Name *name : names)
      off.globs += (off.globs.empty() ? "" : "|") + analysis::globOf(name->name);
    if (off.globs.size() > kMaxGlobs)
      off.globs.clear();
    return off;
  }

private:
  struct Name {
    std::string name, shown;
    uint64_t estimated = 0;
  };
  std::map<std::string, Name, std::less<>> byName_;
  std::string budget_;
  uint64_t estimated_ = 0, atMost_ = 0;
  bool isLimited_ = true;
};

} // namespace

RunFindings findingsOf(const std::string &session) {
  RunFindings findings;
  SwitchedOffNames off;
  for (const std::string &directory : processDirectories(session)) {
    const auto manifest = Manifest::read(directory + "/manifest.json");
    if (!manifest)
      continue;
    off.add(*manifest);
    if (findings.whyNoProcessorTimes.empty() && manifest->sched && !manifest->sched->isRecorded &&
        manifest->sched->failure != manifest::kNotAskedFor && manifest->sched->failure != manifest::kNotInBounded)
      findings.whyNoProcessorTimes = manifest->sched->failure;
    if (const std::string failure = manifest->failure(); !failure.empty())
      findings.failures.push_back("events were lost: " + failure);
  }
  findings.off = off.sum();
  return findings;
}

// Every function that could have been recorded, in all processes; those of a binary once.
static std::vector<model::Function> functionsOf(const std::string &session) {
  std::vector<model::Function> functions;
  std::set<std::string> binaries;
  for (const std::string &directory : processDirectories(session))
    if (const auto manifest = Manifest::read(directory + "/manifest.json"))
      manifest->eachSymbol(
          [&](const Symbol &symbol) {
            functions.push_back(
                {.id = symbol.functionId,
                 .name = std::string(symbol.name),
                 .displayName = symbol.displayName.empty() ? demangle(symbol.name) : std::string(symbol.displayName),
                 .file = std::string(symbol.file),
                 .isExternal = symbol.isExternal});
          },
          [&](const ManifestModule &module) { return binaries.insert(module.binary).second; });
  return functions;
}

// The globs of an option. For `trigger`, each rule has one.
static std::vector<std::string> globsOf(const std::string &name, const std::string &value) {
  if (const RuntimeOption *option = options::find(name); option && options::isGlobs(*option))
    return {value};
  std::vector<std::string> globs;
  TextPiece wrong;
  if (name == "trigger")
    (void)options::parseTriggers(value, wrong, [&](const options::Trigger &trigger) {
      globs.emplace_back(trigger.glob.data, trigger.glob.size);
    });
  return globs;
}

void tellUnmatchedGlobs(const std::string &session, const OptionList &options) {
  std::vector<model::Function> functions;
  for (const auto &[name, value] : options) {
    const std::vector<std::string> globs = globsOf(name, value);
    if (!globs.empty() && functions.empty() && (functions = functionsOf(session)).empty())
      return;
    for (const analysis::UnmatchedGlob &unmatched : analysis::unmatchedGlobs(globs, functions)) {
      std::string near;
      for (const std::string &one : unmatched.near)
        near += (near.empty() ? "; did you mean " : ", ") + one;
      warning("--{} '{}' matches no function of the program{}{}", name, unmatched.glob, near, near.empty() ? "" : "?");
    }
  }
}

bool hasLibraryCalls(const std::string &session) {
  return std::ranges::any_of(functionsOf(session), &model::Function::isExternal);
}

} // namespace ada::cli
