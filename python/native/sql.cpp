// SQL on traces, with results as arrays.
#include "sql.h"

#include "nulls.h"
#include "trace/base/format.h"
#include "trace/base/try.h"
#include "trace/columns/column.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>

namespace py = pybind11;

namespace ada::python {

using query::SqlValue;

// A column of a result. SQLite's values have types, and its columns do not.
class ResultColumn {
public:
  void add(const SqlValue &value) {
    ++rows_;
    nulls_.add(1);
    if (value.type == SqlValue::Type::Null) {
      nulls_.last(1)[0] = true;
      if (kind_ != SqlValue::Type::Null)
        values_.add(1)[0] = null();
      return;
    }
    if (kind_ != value.type)
      become(value.type, rows_ - 1);
    values_.add(1)[0] = as(value);
  }

  py::tuple take() {
    switch (kind_) {
    case SqlValue::Type::Real:
      return py::make_tuple("numbers", values_.take<double>(), nulls_.take());
    case SqlValue::Type::Text: {
      py::list words;
      for (size_t i = 0; i < words_.size(); ++i)
        words.append(py::reinterpret_steal<py::str>(
            PyUnicode_DecodeUTF8(words_[i].data(), static_cast<Py_ssize_t>(words_[i].size()), "replace")));
      return py::make_tuple("words", values_.take<int64_t>(), words);
    }
    case SqlValue::Type::Null: // of no value
      become(SqlValue::Type::Integer, rows_);
      [[fallthrough]];
    case SqlValue::Type::Integer:
      break;
    }
    return py::make_tuple("numbers", values_.take<int64_t>(), nulls_.take());
  }

private:
  int64_t null() const { return kind_ == SqlValue::Type::Text ? -1 : 0; }

  // A value as it is kept: numbers by their bits, words by number.
  int64_t as(const SqlValue &value) {
    if (kind_ == SqlValue::Type::Integer)
      return value.integer;
    if (kind_ == SqlValue::Type::Real)
      return std::bit_cast<int64_t>(value.type == SqlValue::Type::Real ? value.real : double(value.integer));
    return words_.add(value.type == SqlValue::Type::Text   ? std::string(value.text)
                      : value.type == SqlValue::Type::Real ? fmt::format("{}", value.real)
                                                           : std::to_string(value.integer));
  }

  // From now on the column has values of this type, too. There were that many rows before.
  void become(SqlValue::Type added, size_t rows) {
    const SqlValue::Type before = kind_;
    if (before == SqlValue::Type::Text || (before == SqlValue::Type::Real && added == SqlValue::Type::Integer))
      return;
    kind_ = added;
    if (before == SqlValue::Type::Null) { // what was there is null
      for (int64_t &value : values_.add(rows))
        value = null();
      return;
    }
    for (size_t row = 0; row < values_.size(); ++row) {
      int64_t &value = values_.all()[row];
      value = nulls_.has(row)                     ? null()
              : before == SqlValue::Type::Integer ? as({.type = before, .integer = value})
                                                  : as({.type = before, .real = std::bit_cast<double>(value)});
    }
  }

  SqlValue::Type kind_ = SqlValue::Type::Null;
  size_t rows_ = 0;
  Buffer<int64_t> values_;
  Nulls nulls_;
  columns::Words words_;
};

class Database::Result {
public:
  explicit Result(std::vector<std::string> names) : names(std::move(names)), columns(this->names.size()) {}
  std::vector<std::string> names;
  std::vector<ResultColumn> columns;
  Damage damage;
};

Expected<std::shared_ptr<Database>> Database::open(const Schemas &schemas, const StopFlag &stop) {
  auto database = std::make_shared<Database>();
  database->database_ = ADA_TRY(query::SqlDatabase::open());
  for (const auto &[name, trace] : schemas)
    ADA_TRY(database->database_->attach(name, trace->read(stop).source));
  return database;
}

/// An interruption of the query before ends here; from now on only this one can be interrupted.
void Database::begin(const StopFlag &stop) {
  const std::lock_guard lock(runningMutex_);
  database_->resume();
  running_ = stop.get();
}

void Database::interrupt(const StopFlag &stop) {
  const std::lock_guard lock(runningMutex_);
  if (running_ == stop.get())
    database_->interrupt();
}

Expected<std::shared_ptr<Database::Result>> Database::run(const std::string &sql, const StopFlag &stop) {
  std::unique_lock lock(mutex_, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(50)))
    if (*stop)
      return Error{.code = "E_INTERRUPTED", .message = "the query was interrupted"};
  begin(stop);
  std::string_view rest;
  auto query = ADA_TRY(database_->query(sql, &rest));
  if (!query)
    return Error{.code = "E_SQL", .message = "there is no query"};
  if (rest.find_first_not_of(" \t\r\n;") != rest.npos)
    return Error{.code = "E_SQL", .message = "there is something after the query: give one query at a time"};
  auto result = std::make_shared<Result>(query->columns());
  while (ADA_TRY(query->next()))
    for (size_t column = 0; column < result->columns.size(); ++column)
      result->columns[column].add(query->value(column));
  for (const std::string &schema : database_->schemas()) {
    std::ranges::move(database_->problems(schema), std::back_inserter(result->damage.problems));
    std::ranges::move(database_->warnings(schema), std::back_inserter(result->damage.warnings));
  }
  return result;
}

const Damage &damageIn(const Database::Result &result) { return result.damage; }

py::dict taken(Database::Result &result) {
  py::dict all;
  for (size_t i = 0; i < result.columns.size(); ++i) {
    std::string name = result.names[i];
    for (int number = 2; all.contains(py::str(name)); ++number)
      name = result.names[i] + "_" + std::to_string(number);
    all[py::str(name)] = result.columns[i].take();
  }
  return all;
}

} // namespace ada::python
