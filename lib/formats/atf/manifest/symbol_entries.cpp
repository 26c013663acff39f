// The symbols of a manifest.
#include "symbol_entries.h"
#include "ada/trace/event.h"
#include "shared/manifest_keys.h"

#include <charconv>
#include <map>
#include <tuple>

namespace ada::atf {

namespace dom = simdjson::dom;

// "0x1f" as a number.
static std::optional<uint64_t> parseHex(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X"))
    return std::nullopt;
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 2, end, value, 16);
  if (error != std::errc() || stop != end)
    return std::nullopt;
  return value;
}

std::optional<uint64_t> asNumber(dom::element value) {
  uint64_t integer;
  if (!value.get(integer))
    return integer;
  std::string_view string;
  if (!value.get(string))
    return parseHex(string);
  return std::nullopt;
}

static std::string_view asView(dom::element value) {
  std::string_view string;
  return value.get(string) ? std::string_view() : string;
}

// Visits all fields instead of looking up keys: a manifest may have hundreds of thousands of these entries, and each
// lookup starts at the beginning of the object.
std::optional<Symbol> symbolOf(const dom::object &entry) {
  Symbol symbol;
  std::optional<uint64_t> id, moduleId, index;
  for (auto field : entry) {
    auto key = field.key;
    auto value = field.value;
    if (key == manifest::kFunctionId) {
      id = asNumber(value);
    } else if (key == manifest::kModuleId) {
      moduleId = asNumber(value);
    } else if (key == manifest::kSymbolIndex) {
      index = asNumber(value);
    } else if (key == manifest::kName) {
      symbol.name = asView(value);
    } else if (key == manifest::kDisplayName) {
      symbol.displayName = asView(value);
    } else if (key == manifest::kFile) {
      symbol.file = asView(value);
    } else if (key == manifest::kSignature) {
      symbol.signature = asView(value);
    } else if (key == manifest::kTypes) {
      symbol.types = asView(value);
    } else if (key == manifest::kLine) {
      symbol.line = asNumber(value).value_or(0);
    } else if (key == manifest::kAddress) {
      symbol.address = asNumber(value).value_or(0);
    } else if (key == manifest::kExternal) {
      bool isExternal = false;
      symbol.isExternal = !value.get(isExternal) && isExternal;
    } else if (key == manifest::kInlined) {
      symbol.isInlined = !value.get(symbol.isInlined) && symbol.isInlined;
    } else if (key == manifest::kCoroutine) {
      symbol.isCoroutine = !value.get(symbol.isCoroutine) && symbol.isCoroutine;
    } else if (key == manifest::kKind) {
      symbol.kind = symbolKindOf(asView(value));
    }
  }
  if (!id && moduleId && index && *moduleId <= 0xffffffffu && *index <= 0xffffffffu)
    id = makeFunctionId(static_cast<uint32_t>(*moduleId), static_cast<uint32_t>(*index));
  if (!id || symbol.name.empty())
    return std::nullopt;
  symbol.functionId = *id;
  return symbol;
}

void findOriginals(std::vector<Symbol> &symbols) {
  using Place = std::tuple<uint32_t, std::string_view, std::string_view, uint64_t>;
  const auto placeOf = [](const Symbol &symbol) {
    return Place(moduleOf(symbol.functionId), symbol.name, symbol.file, symbol.line);
  };
  std::map<Place, uint64_t> known;
  for (const bool areCopies : {true, false}) // the function itself, if it is there, replaces a copy
    for (const Symbol &symbol : symbols)
      if (symbol.isInlined == areCopies)
        if (const auto [at, isNew] = known.try_emplace(placeOf(symbol), symbol.functionId); !areCopies && !isNew)
          at->second = symbol.functionId;
  for (Symbol &symbol : symbols)
    if (symbol.isInlined)
      symbol.original = known.at(placeOf(symbol));
}

void describe(model::Function &function, const Symbol &symbol) {
  function.name = symbol.name;
  function.file = symbol.file, function.line = symbol.line;
  function.signature = symbol.signature, function.types = symbol.types;
  function.address = symbol.address;
  function.kind = symbol.kind;
  function.isExternal = symbol.isExternal;
  function.isRenamed = !symbol.displayName.empty();
  function.isCoroutine = symbol.isCoroutine;
  function.isInlined = symbol.isInlined, function.original = symbol.original;
}

} // namespace ada::atf
