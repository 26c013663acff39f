// Prints the rows of a query.
#pragma once

#include "ada/trace/sql.h"
#include "table_writer.h"

namespace ada::cli {

/// Runs the query and prints its rows as they come. Ends the command if --columns has other columns than the query.
/// Errors: those of SqlQuery::next().
Expected<void> printRows(Output &out, const Palette &palette, query::SqlQuery &query, const TableOptions &options);

} // namespace ada::cli
