// Lists of what a query may use of SQLite.
//
// Each version and build has more functions, and some of them give out addresses, write to logs or load code.
#pragma once

#include <span>
#include <string_view>

namespace ada::query {

/// The functions, sorted by name; docs/reference/commands/sql.md has the same list.
std::span<const std::string_view> allowedFunctions();

/// Whether a query may use it, whatever the case of its name.
bool isAllowedFunction(std::string_view name);
bool isAllowedPragma(std::string_view name);

/// The modules of SQLite's own whose tables a query may read, up to a null pointer. `pragma_…` tables are pragmas.
extern const char *kAllowedModules[];

} // namespace ada::query
