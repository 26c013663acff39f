// Writes the rows of a query as a Parquet file.
#include "sql_columns.h"

#include "trace/base/format.h"
#include "trace/base/try.h"
#include "trace/columns/parquet.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace ada::cli {

namespace {

using columns::ColumnType;
using query::SqlValue;

class ParquetRows {
public:
  ParquetRows(query::SqlQuery &query, const columns::WriteBytes &write) : query_(query), write_(write) {}

  Expected<void> run() {
    while (ADA_TRY(query_.next())) {
      if (table_) {
        ADA_TRY(addRow([this](size_t column) { return query_.value(column); }));
        continue;
      }
      for (size_t i = 0; i < width(); ++i)
        keep(query_.value(i));
      if (values_.size() >= kMaxValues || bytes_ >= kMaxBytes)
        ADA_TRY(begin());
    }
    if (!table_)
      ADA_TRY(begin());
    table_->finish();
    return table_->status();
  }

private:
  static constexpr size_t kMaxValues = 1 << 20, kMaxBytes = 16 << 20; // some 50 MiB
  // A value of a row that waits for the types.
  struct Kept {
    SqlValue value;
    std::string text;
  };

  size_t width() const { return query_.columns().size(); }
  void keep(const SqlValue &value) {
    values_.push_back({value, std::string(value.text)});
    bytes_ += value.text.size();
  }

  // The types are known well enough.
  Expected<void> begin() {
    std::vector<columns::ColumnSpec> specs;
    for (size_t i = 0; i < width(); ++i) {
      auto type = SqlValue::Type::Null; // the last one that occurs in their order: a column of integers may have reals
      for (size_t at = i; at < values_.size(); at += width())
        type = std::max(type, values_[at].value.type);
      specs.push_back({.name = query_.columns()[i],
                       .type = type == SqlValue::Type::Integer ? ColumnType::Int64
                               : type == SqlValue::Type::Real  ? ColumnType::Double
                                                               : ColumnType::Text,
                       .mayBeNull = true});
    }
    table_ = columns::makeParquetWriter(std::move(specs), write_, "AdaTrace");
    for (size_t first = 0; first < values_.size(); first += width())
      ADA_TRY(addRow([&](size_t column) {
        SqlValue value = values_[first + column].value;
        value.text = values_[first + column].text;
        return value;
      }));
    values_ = {};
    return {};
  }
  template <class ValueAt> Expected<void> addRow(const ValueAt &valueAt) {
    for (size_t i = 0; i < width(); ++i)
      ADA_TRY(put((*table_)[i], valueAt(i)));
    table_->endRow();
    return table_->status();
  }
  static Expected<void> put(columns::Column &column, const SqlValue &value) {
    const ColumnType type = column.spec().type;
    if (value.type == SqlValue::Type::Null)
      column.null();
    else if (value.type == SqlValue::Type::Integer && type == ColumnType::Int64)
      column.integer(static_cast<uint64_t>(value.integer));
    else if (value.type == SqlValue::Type::Integer && type == ColumnType::Double)
      column.real(static_cast<double>(value.integer));
    else if (value.type == SqlValue::Type::Real && type == ColumnType::Double)
      column.real(value.real);
    else if (value.type == SqlValue::Type::Integer)
      column.text(std::to_string(value.integer));
    else if (value.type == SqlValue::Type::Real && type == ColumnType::Text)
      column.text(fmt::format("{:.15g}", value.real));
    else if (type == ColumnType::Text)
      column.text(value.text);
    else
      return Error{.code = "E_SQL",
                   .message = fmt::format("column '{}' begins with {}, but has {} later: give it one type with CAST",
                                          column.spec().name, type == ColumnType::Int64 ? "integers" : "numbers",
                                          value.type == SqlValue::Type::Text ? "text" : "real numbers")};
    return {};
  }

  query::SqlQuery &query_;
  const columns::WriteBytes &write_;
  std::vector<Kept> values_; // of rows before the types are known
  size_t bytes_ = 0;
  std::unique_ptr<columns::TableWriter> table_;
};

} // namespace

Expected<void> writeParquet(query::SqlQuery &query, const columns::WriteBytes &write) {
  return ParquetRows(query, write).run();
}

} // namespace ada::cli
