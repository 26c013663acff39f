// Prepares untrusted JSON for a parser that handles nesting by recursion.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ada {

/// The same text, with "…" instead of each object and array that is nested inside `most` others.
/// Text that is not JSON need not become JSON.
std::string cutNesting(std::string_view json, size_t most);

/// The value that nlohmann's `Json` reads, or is_discarded(). It nests no deeper than `most`, because deeper values
/// overflow the stack where they are read, copied or written, and simdjson, which reads manifests, refuses them.
template <class Json> Json parseNested(std::string_view json, size_t most = 1000) {
  return Json::parse(cutNesting(json, most), nullptr, /*allow_exceptions=*/false);
}

} // namespace ada
