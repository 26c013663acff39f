// What all writers of tables have in common.
#include "trace/columns/column.h"

namespace ada::columns {

ColumnSpec specOf(const ColumnInfo &column) {
  ColumnSpec spec{.name = column.key, .type = ColumnType::Text, .mayBeNull = column.orNull};
  switch (column.holds) {
  case Holds::Count:
  case Holds::Number:
  case Holds::Duration:
    spec.type = ColumnType::Int64;
    break;
  case Holds::Moment:
    spec.type = ColumnType::Timestamp;
    break;
  case Holds::Real:
    spec.type = ColumnType::Double;
    break;
  case Holds::Flag:
    spec.type = ColumnType::Bool;
    break;
  default:
    break;
  }
  return spec;
}

Column &TableWriter::operator[](std::string_view name) {
  size_t place = 0;
  while (columns_.at(place).spec().name != name)
    ++place;
  return columns_[place];
}

TableWriter::TableWriter(std::vector<ColumnSpec> specs, WriteBytes write) : write_(std::move(write)) {
  for (ColumnSpec &spec : specs) {
    if (spec.type == ColumnType::Text)
      textColumns_.push_back(columns_.size());
    columns_.emplace_back(std::move(spec));
  }
}

void TableWriter::writeRows() {
  for (const size_t column : textColumns_)
    if (columns_[column].texts().size() > INT32_MAX)
      fail("a text in column '" + columns_[column].spec().name + "' has more than 2 GiB");
  for (const Column &column : columns_)
    if (column.size() != rows_)
      fail("column '" + column.spec().name + "' has no value in some row");
  if (status_)
    takeRows();
  for (Column &column : columns_)
    column.clear();
  rows_ = 0;
}

void TableWriter::finish() {
  if (rows_ > 0)
    writeRows();
  if (status_)
    writeEnd();
}

void TableWriter::put(std::string_view bytes) {
  if (!status_ || bytes.empty())
    return;
  if (!write_(std::as_bytes(std::span(bytes))))
    fail("the bytes of the output could not be written");
  written_ += bytes.size();
}

void TableWriter::fail(std::string message) {
  if (status_)
    status_ = Error{.code = "E_IO", .message = std::move(message)};
}

} // namespace ada::columns
