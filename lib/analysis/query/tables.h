// The tables of a trace: their columns, under the names that SQL, Python and all exports share.
//
// They are described here once. Where a column is written, its type follows from what it holds: times, durations,
// counts and numbers are integers of 64 bits, flags are 0 or 1, everything else is text. A column that may be null says
// so.
#pragma once

#include "ada/trace/columns.h"
#include "trace/base/table.h"

#include <optional>
#include <span>
#include <string_view>

namespace ada::query {

struct TableInfo {
  const char *name;
  const char *help; ///< what a row is
  std::span<const ColumnInfo> columns;
};

std::span<const TableInfo> tables();
/// Null if there is no such table.
const TableInfo *findTable(std::string_view name);

/// The column of `spans` that a key names; `name` is read as the number of the function.
std::optional<SpanColumn> spanColumn(std::string_view key);

} // namespace ada::query
