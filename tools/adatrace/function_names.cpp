//===- function_names.cpp - names, files and lines of functions -----------===//
#include "function_names.h"

#include "ada/trace/names.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace ada::cli {

void declareNames(CLI::App &app, NameOptions &options) {
  app.add_option_function<std::string>(
         "--names",
         [&options](const std::string &value) {
           options.style = value == "full"      ? NameStyle::Full
                           : value == "mangled" ? NameStyle::Mangled
                                                : NameStyle::Short;
         },
         "short (parameters and template arguments folded), full (demangled) or "
         "mangled (as in the object file) [short]")
      ->type_name("STYLE")
      ->check(CLI::IsMember({"short", "full", "mangled"}).description(""));
  app.add_flag("--source", options.source, "Print file and line of each function");
}

const std::string &FunctionNames::name(uint32_t number) {
  if (number >= names.size())
    names.resize(index.ids().size());
  std::string &text = names[number];
  if (!text.empty())
    return text;
  const uint64_t id = index.ids()[number];
  const Symbol *symbol =
      process->manifest() ? process->manifest()->find(id) : nullptr;
  if (style == NameStyle::Mangled)
    text = symbol && !symbol->name.empty() ? std::string(symbol->name)
                                           : functionIdText(id);
  else
    text = style == NameStyle::Full ? process->displayName(id)
                                    : process->shortDisplayName(id);
  // One function is one line, whatever bytes its name has.
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return text;
}

std::string FunctionNames::source(uint32_t number) const {
  const Symbol *symbol = process->manifest()
                             ? process->manifest()->find(index.ids()[number])
                             : nullptr;
  if (!symbol || symbol->file.empty())
    return {};
  std::string text(symbol->file);
  if (symbol->line)
    text += fmt::format(":{}", symbol->line);
  return text;
}

} // namespace ada::cli
