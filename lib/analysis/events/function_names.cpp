// The names of functions as people read them.
#include "function_names.h"

#include "trace/base/text.h"
#include "trace/names.h"

namespace ada::analysis {

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

} // namespace ada::analysis
