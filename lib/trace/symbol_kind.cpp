// Names of the kinds of symbols, which are those of the manifest.
#include "ada/trace/event.h"
#include "shared/manifest_keys.h"

#include <iterator>

namespace ada {

std::string_view kindName(SymbolKind kind) {
  const auto number = static_cast<size_t>(kind);
  return number < std::size(manifest::kSymbolKinds) ? manifest::kSymbolKinds[number] : manifest::kSymbolKinds[0];
}

SymbolKind symbolKindOf(std::string_view name) {
  for (size_t i = 0; i < std::size(manifest::kSymbolKinds); ++i)
    if (name == manifest::kSymbolKinds[i])
      return static_cast<SymbolKind>(i);
  return SymbolKind::Function;
}

} // namespace ada
