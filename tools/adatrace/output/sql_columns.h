// Writes the rows of a query as a Parquet file.
#pragma once

#include "ada/trace/sql.h"
#include "trace/columns/column.h"

namespace ada::cli {

/// Runs the query and hands the file's bytes to `write`. SQLite's values have types, but columns of a result have none:
/// a column is what its first 100,000 values or so are, integers, real numbers or text. Errors: those of
/// SqlQuery::next() and of the writer, and E_SQL if a later value does not fit.
Expected<void> writeParquet(query::SqlQuery &query, const columns::WriteBytes &write);

} // namespace ada::cli
