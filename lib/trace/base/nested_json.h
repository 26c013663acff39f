// Prepares untrusted JSON for a parser that refuses deep nesting, and for code that handles nesting by recursion.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ada {

/// The same text, with "…" instead of each object and array that is nested inside `most` others.
/// Text that is not JSON need not become JSON.
std::string cutNesting(std::string_view json, size_t most);

} // namespace ada
