// Formats names, files and lines of functions.
#include "function_names.h"

#include "base/text.h"
#include "model/names.h"
#include "options/command_line.h"

namespace ada::cli {

void declareNames(CommandLine &line, NameOptions &options) {
  const CommandLine::Section output(line, heading::kOutput);
  line.choice("--names", options.style,
              {{"short", NameStyle::Short}, {"full", NameStyle::Full}, {"mangled", NameStyle::Mangled}},
              "short (parameters and template arguments folded), full (demangled) or mangled (as in the object file) "
              "[short]")
      .type("STYLE");
  line.flag("--source", options.source, "Print file and line of each function");
}

std::string nameOf(const model::Function &function, NameStyle style) {
  if (function.kind != SymbolKind::Function || (function.isRenamed && style != NameStyle::Mangled))
    return oneLine(function.displayName);
  std::string text;
  if (style == NameStyle::Mangled)
    text = function.name.empty() ? functionIdText(function.id) : function.name;
  else if (style == NameStyle::Full)
    text = function.displayName;
  else
    text = shortName(function.displayName);
  return oneLine(text);
}

const std::string &FunctionNames::name(uint32_t function) {
  if (function >= names_.size())
    names_.resize(functions_.size());
  std::string &text = names_[function];
  if (text.empty())
    text = nameOf(functions_[function], style_);
  return text;
}

} // namespace ada::cli
