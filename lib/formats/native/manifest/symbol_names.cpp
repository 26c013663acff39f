// Makes the names of symbols.
#include "formats/native/manifest/symbol_names.h"

#include "trace/names.h"

namespace ada::atf {

static bool isAsWritten(const Symbol &symbol) {
  return !symbol.displayName.empty() || symbol.kind != SymbolKind::Function;
}

// Made when a lambda's name is first needed; by then all symbols are there.
const LambdaPlaces &SymbolNames::lambdasOf(const std::vector<Symbol> &symbols) const {
  std::call_once(lambdasMade_, [&] {
    for (const Symbol &symbol : symbols)
      if (symbol.line && symbol.displayName.empty() && LambdaPlaces::mayName(symbol.name))
        lambdas_.add(demangle(symbol.name), symbol.file, symbol.line);
    lambdas_.finish();
  });
  return lambdas_;
}

std::string_view SymbolNames::displayName(const std::vector<Symbol> &symbols, size_t at) const {
  return full_[at].get([&] {
    const Symbol &symbol = symbols[at];
    if (isAsWritten(symbol))
      return std::string(symbol.displayName.empty() ? symbol.name : symbol.displayName);
    std::string name = demangle(symbol.name);
    return LambdaPlaces::mayName(symbol.name) ? lambdasOf(symbols).apply(std::move(name)) : name;
  });
}

std::string_view SymbolNames::shortDisplayName(const std::vector<Symbol> &symbols, size_t at) const {
  return short_[at].get([&] {
    const std::string_view name = displayName(symbols, at);
    return isAsWritten(symbols[at]) ? std::string(name) : shortName(name);
  });
}

} // namespace ada::atf
