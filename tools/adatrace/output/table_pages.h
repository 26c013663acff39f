// The tables of docs/json.md.
#pragma once

#include <string>

namespace ada::cli {

/// For each section of the page with the columns of a table: its heading, and the table.
std::string tablePages();
/// The sections of docs/reference/tables.md.
std::string sqlTablePages();

} // namespace ada::cli
