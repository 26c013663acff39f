// The tables of docs/json.md.
#ifndef ADATRACE_TABLE_PAGES_H
#define ADATRACE_TABLE_PAGES_H

#include <string>

namespace ada::cli {

/// For each section of the page with the columns of a table: its heading, and the table.
std::string tablePages();

} // namespace ada::cli
#endif // ADATRACE_TABLE_PAGES_H
