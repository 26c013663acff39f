// Looks up globs among the functions that the manifests list.
#include "unmatched_globs.h"
#include "analysis/events/near_names.h"
#include "session_place.h"
#include "shared/options/triggers.h"
#include "terminal/terminal.h"

#include "ada/trace/manifest.h"
#include "model/names.h"

#include <algorithm>

namespace ada::cli {

// Every function that could have been recorded, in all processes.
static std::vector<model::Function> functionsOf(const std::string &session) {
  std::vector<model::Function> functions;
  for (const std::string &directory : processDirectories(session))
    if (const auto manifest = Manifest::read(directory + "/manifest.json"))
      for (const Symbol &symbol : manifest->symbols())
        functions.push_back(
            {.id = symbol.functionId,
             .name = std::string(symbol.name),
             .displayName = symbol.displayName.empty() ? demangle(symbol.name) : std::string(symbol.displayName),
             .file = std::string(symbol.file),
             .isExternal = symbol.isExternal});
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
