// The names of a function that globs match.
#include "globbed_function.h"

#include "trace/names.h"

namespace ada::analysis {

static std::string originalNameOf(const model::Function &about) {
  const bool hasOther = about.isRenamed || about.displayName.find("{lambda at ") != std::string::npos;
  return hasOther ? demangle(about.name) : std::string();
}

GlobbedFunction::GlobbedFunction(const model::Function &about)
    : original_(originalNameOf(about)), texts_({about.name.c_str(), about.displayName.c_str(), about.file.c_str()}),
      others_({nullptr, original_.c_str(), nullptr}) {}

} // namespace ada::analysis
