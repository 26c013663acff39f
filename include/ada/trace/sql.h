// SQL on traces, in memory: the tables of docs/reference/tables.md, as `adatrace sql` has them.
//
//   auto database = ada::query::SqlDatabase::open();
//   auto source = ada::model::openTrace("ada-traces/session_20261121_101500");
//   if (!database || !source || !(*database)->attach("main", *std::move(source)))
//     return;
//   auto query = (*database)->query("SELECT name, count(*) FROM spans GROUP BY name");
//   if (!query)
//     return fail(query.error());
//   for (auto row = (*query)->next(); row && *row; row = (*query)->next())
//     use((*query)->value(0).text, (*query)->value(1).integer);
//
// Nothing can be written: statements other than queries are refused, as are files, extensions and settings. Memory is
// bounded: what SQLite has to sort goes to a temporary file. Libraries built without the exports
// (-DADA_WITH_EXPORT=OFF) don't have it.
//
// A database and its queries are for one thread of the program at a time, but for interrupt(). Times are nanoseconds.
#ifndef ADA_TRACE_SQL_H
#define ADA_TRACE_SQL_H

#include "ada/trace/model.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace ada::query {

class SqlDatabase;

/// A value of a result.
struct SqlValue {
  enum class Type { Null, Integer, Real, Text } type = Type::Null;
  int64_t integer = 0;
  double real = 0;
  std::string_view text = {}; ///< valid until the next row; also of blobs
};

/// A query that is being run. Its database must outlive it.
class SqlQuery {
public:
  SqlQuery(SqlQuery &&other) noexcept;
  ~SqlQuery();

  /// The names of the columns as the query has them.
  const std::vector<std::string> &columns() const { return columns_; }
  /// Goes to the first row, or the next one; false after the last. Errors: E_SQL, and E_INTERRUPTED after interrupt().
  Expected<bool> next();
  /// What the row that next() went to has there; `column` counts from 0.
  SqlValue value(size_t column) const;
  /// The query that is run instead, because it has the same result and is faster; empty if there is none.
  const std::string &changed() const { return changed_; }
  /// What SQLite says about how the query is run, one line for each step, indented by two for each level.
  Expected<std::vector<std::string>> plan() const;

private:
  friend class SqlDatabase;
  explicit SqlQuery(SqlDatabase &database) : database_(&database) {}
  Error failure() const;

  SqlDatabase *database_;
  sqlite3_stmt *statement_ = nullptr, *original_ = nullptr; ///< null if it is not changed
  std::vector<std::string> columns_;
  std::string changed_;
  bool hasRows_ = false;
};

/// An SQLite connection whose tables are traces.
class SqlDatabase {
public:
  /// Errors: E_SQL.
  static Expected<std::unique_ptr<SqlDatabase>> open();
  ~SqlDatabase();

  /// Makes the tables and views of a trace in a schema: "main", or any other name. The problems of a trace are
  /// collected while queries are run.
  Expected<void> attach(const std::string &schema, std::unique_ptr<model::TraceSource> source);

  /// The first statement of `sql`, which must be a query; `rest` gets what follows it. Nothing if there is none.
  /// Errors: E_SQL.
  Expected<std::optional<SqlQuery>> query(std::string_view sql, std::string_view *rest = nullptr);
  /// Ends the query that is being run, and all others until resume(). May be called from a signal handler.
  void interrupt();
  void resume();

  std::vector<std::string> schemas() const;
  /// What was wrong with a trace, as far as queries have read it.
  std::vector<Error> problems(const std::string &schema) const;
  std::vector<Warning> warnings(const std::string &schema) const;

private:
  friend class SqlQuery;
  struct Parts;
  explicit SqlDatabase(std::unique_ptr<Parts> parts);
  Error failure() const;
  Expected<void> run(const std::string &sql);

  std::unique_ptr<Parts> parts_;
};

/// Whether the text ends with a complete statement.
bool isCompleteSql(const std::string &sql);

} // namespace ada::query

#endif // ADA_TRACE_SQL_H
