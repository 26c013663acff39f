// The virtual tables, as SQLite modules.
#pragma once

#include "attached_trace.h"
#include "constraints.h"

#include <map>
#include <sqlite3.h>
#include <string>

namespace ada::query {

/// The traces by the name of the schema in which their tables are.
using AttachedTraces = std::map<std::string, std::unique_ptr<AttachedTrace>>;

/// Modules whose client data are an AttachedTraces. Tables are made by CREATE VIRTUAL TABLE schema.name USING …
extern const sqlite3_module kSpanModule;  ///< ada_spans
extern const sqlite3_module kGroupModule; ///< ada_span_groups: see group_rewrite.h
extern const sqlite3_module kListModule;  ///< ada_list(table)

/// What `span_groups` fails with if it can't meet a condition.
inline constexpr char kCantGroup[] = "the condition can't be met before calls are added up";

/// The trace of the schema that a table is made in; null if there is none. `argv` as xCreate gets it.
AttachedTrace *traceOf(void *traces, const char *const *argv);
/// Sets a table's message and returns SQLITE_ERROR.
int failTable(sqlite3_vtab &table, const std::string &message);
/// "CREATE TABLE x (…)" with the columns of a table.
std::string declarationOf(std::span<const ColumnInfo> columns);

/// Restricts a request to what the conditions of a plan leave. False if nothing is left.
struct SpanConditions {
  SpanRequest request;
  bool isExact = true; ///< no condition was skipped
};
Expected<std::optional<SpanConditions>> spanConditions(AttachedTrace &trace, const TablePlan &plan,
                                                       sqlite3_value **values,
                                                       const std::function<const char *(int)> &nameOf);
/// What can be pushed down for a column of spans.
Push pushOfSpans(std::string_view column);

/// Gives a number that is written as text.
void setNumberText(sqlite3_context *context, const std::string &text);

} // namespace ada::query
