// Prints the rows of a query.
#include "sql_rows.h"

#include "trace/base/try.h"

#include <vector>

namespace ada::cli {

namespace {

// As SQLite prints it: 0.5, 2.0, 1.0e+20.
std::string realText(double value) {
  std::string text = fmt::format("{:.15g}", value);
  if (text.find_first_of(".en") == text.npos)
    text += ".0";
  return text;
}

Value valueOf(const query::SqlValue &value, bool isJson) {
  switch (value.type) {
  case query::SqlValue::Type::Null:
    return {};
  case query::SqlValue::Type::Integer:
    return Json{std::to_string(value.integer)};
  case query::SqlValue::Type::Real: {
    const std::string text = realText(value.real);
    const bool isFinite = text.find('n') == text.npos; // inf and nan
    return isFinite || !isJson ? Value(Json{text}) : Value(text);
  }
  case query::SqlValue::Type::Text:
    break;
  }
  return value.text;
}

} // namespace

Expected<void> printRows(Output &out, const Palette &palette, query::SqlQuery &query, const TableOptions &options) {
  bool isThere = ADA_TRY(query.next());
  // What a column holds is known from its first row.
  std::vector<ColumnInfo> columns;
  for (size_t i = 0; i < query.columns().size(); ++i) {
    const auto type = isThere ? query.value(i).type : query::SqlValue::Type::Null;
    const char *const name = query.columns()[i].c_str();
    columns.push_back({.key = name,
                       .holds = type == query::SqlValue::Type::Integer ? Holds::Number
                                : type == query::SqlValue::Type::Real  ? Holds::Real
                                                                       : Holds::Text,
                       .heading = name});
  }
  ColumnList list;
  for (const ColumnInfo &column : columns)
    list.push_back(&column);
  options.check("sql", list);
  TableWriter table(out, palette, list, options, kInOrder);
  std::vector<Value> row;
  while (isThere) {
    row.clear();
    for (size_t i = 0; i < columns.size(); ++i)
      row.push_back(valueOf(query.value(i), options.isJson()));
    table.writeValues(row);
    auto next = query.next();
    if (!next) {
      table.finish();
      return next.error();
    }
    isThere = *next;
  }
  table.finish();
  return {};
}

} // namespace ada::cli
