// JSON of anybody's, for a library that follows what is nested by calling itself.
#ifndef ADA_LIB_BASE_NESTED_JSON_H
#define ADA_LIB_BASE_NESTED_JSON_H

#include <cstddef>
#include <string>
#include <string_view>

namespace ada {

/// The same text, with "…" in the place of each object and array that `most` others are around. What is no JSON need
/// not become any.
std::string cutNesting(std::string_view json, std::size_t most);

/// What nlohmann's `Json` reads, or is_discarded(): it nests no deeper than `most`. Deeper texts overflow the stack
/// where they are read, copied or written, and simdjson, which reads manifests, refuses them.
template <class Json> Json parseNested(std::string_view json, std::size_t most = 1000) {
  return Json::parse(cutNesting(json, most), nullptr, /*allow_exceptions=*/false);
}

} // namespace ada

#endif // ADA_LIB_BASE_NESTED_JSON_H
