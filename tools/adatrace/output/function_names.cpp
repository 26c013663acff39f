// Names, files and lines of functions.
#include "function_names.h"

#include "ada/trace/names.h"
#include "base/text.h"
#include "base/format.h"

#include <CLI/CLI.hpp>

namespace ada::cli {

void declareNames(CLI::App &app, NameOptions &options) {
  app.add_option_function<std::string>(
         "--names",
         [&options](const std::string &value) {
           options.style = value == "full"      ? NameStyle::Full
                           : value == "mangled" ? NameStyle::Mangled
                                                : NameStyle::Short;
         },
         "short (parameters and template arguments folded), full (demangled) or mangled (as in the object file) "
         "[short]")
      ->type_name("STYLE")
      ->check(CLI::IsMember({"short", "full", "mangled"}).description(""));
  app.add_flag("--source", options.source, "Print file and line of each function");
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

std::string sourceOf(const model::Function &function) {
  if (function.file.empty() || function.line == 0)
    return function.file;
  return fmt::format("{}:{}", function.file, function.line);
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
