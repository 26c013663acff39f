// The names of a function that globs match.
#include "globbed_function.h"
#include "function_names.h"

#include "trace/names.h"

namespace ada::analysis {

static std::string originalNameOf(const model::Function &about) {
  const bool hasOther = about.isRenamed || about.displayName.find("{lambda at ") != std::string::npos;
  return hasOther ? demangle(about.name) : std::string();
}

GlobbedFunction::GlobbedFunction(const model::Function &about)
    : about_(about), original_(originalNameOf(about)),
      texts_({about.name.c_str(), about.displayName.c_str(), about.file.c_str()}),
      others_({nullptr, original_.c_str(), nullptr}) {}

bool GlobbedFunction::isPrinted(std::string_view globs) const {
  const std::string printed = nameOf(about_, NameStyle::Short);
  return globs == printed || select::anyGlob(pieceOf(globs), [&](TextPiece one) { return one == pieceOf(printed); });
}

} // namespace ada::analysis
