// Prints the rows of a query.
#pragma once

#include "ada/trace/sql.h"
#include "table_writer.h"

namespace ada::cli {

/// Runs the query and prints its rows as they come. Errors: those of SqlQuery::next().
Expected<void> printRows(Output &out, const Palette &palette, query::SqlQuery &query, const TableOptions &options);

} // namespace ada::cli
