// SQL on traces: a SQLite connection whose tables are traces.
#include "ada/trace/sql.h"

#include "allowed.h"
#include "analysis/query/views.h"
#include "group_rewrite.h"
#include "modules.h"
#include "query_words.h"
#include "slice_functions.h"
#include "trace/base/try.h"

#include <atomic>
#include <sqlite3.h>
#include <utility>

namespace ada::query {

struct SqlDatabase::Parts {
  sqlite3 *connection = nullptr;
  AttachedTraces traces;
  std::vector<std::string> schemas; // in the order in which they were attached
  std::atomic<bool> isInterrupted = false;
  std::string refused; // why the query that was prepared last was refused; empty if it was not
};

namespace {

// SQLite's cache for each file, which is also what it sorts before it writes a piece to a temporary file.
constexpr char kSettings[] = "PRAGMA temp_store = FILE; PRAGMA cache_size = -65536; PRAGMA threads = 2;";
constexpr int64_t kMaxMemory = int64_t{1} << 30;
constexpr int kMaxText = 64 << 20;

std::string quoted(const std::string &name) {
  std::string text = "\"";
  for (const char c : name)
    text.append(c == '"' ? 2 : 1, c);
  return text + "\"";
}

// What a query may do.
int authorize(void *refused, int action, const char *first, const char *second, const char *, const char *) {
  const auto refuse = [&](std::string sentence) {
    *static_cast<std::string *>(refused) = std::move(sentence);
    return SQLITE_DENY;
  };
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
  case SQLITE_RECURSIVE:
    return SQLITE_OK;
  case SQLITE_FUNCTION:
    return isAllowedFunction(second) ? SQLITE_OK
                                     : refuse(std::string("a query can't call ") + second +
                                              "(): `adatrace sql SESSION .functions` lists what it can call");
  case SQLITE_PRAGMA:
    return isAllowedPragma(first) ? SQLITE_OK
                                  : refuse(std::string("a query can't use PRAGMA ") + first + ": it can only read");
  default:
    return refuse("a query can only read");
  }
}

} // namespace

SqlDatabase::SqlDatabase(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

SqlDatabase::~SqlDatabase() { sqlite3_close_v2(parts_->connection); }

Error SqlDatabase::failure() const {
  if (!parts_->connection)
    return {.code = "E_SQL", .message = "no memory"};
  std::string message = sqlite3_errmsg(parts_->connection);
  if (!parts_->refused.empty())
    message = parts_->refused;
  else if (message == "integer overflow")
    message += ": total() and avg() add up real numbers";
  return {.code = "E_SQL", .message = std::move(message)};
}

Expected<void> SqlDatabase::run(const std::string &sql) {
  if (sqlite3_exec(parts_->connection, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return failure();
  return {};
}

Expected<std::unique_ptr<SqlDatabase>> SqlDatabase::open() {
  std::unique_ptr<SqlDatabase> database(new SqlDatabase(std::make_unique<Parts>()));
  sqlite3 *&connection = database->parts_->connection;
  if (sqlite3_open_v2(":memory:", &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY,
                      nullptr) != SQLITE_OK)
    return database->failure();
  sqlite3_hard_heap_limit64(kMaxMemory);
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kMaxText);
  sqlite3_limit(connection, SQLITE_LIMIT_WORKER_THREADS, 2);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ADA_TRY(database->run(kSettings));
  // These tables need a right that queries don't have when they are used first. Not every SQLite has them.
  for (const char **module = kAllowedModules; *module; ++module)
    (void)database->run(std::string("SELECT 1 FROM ") + *module + " LIMIT 0");
  sqlite3_drop_modules(connection, kAllowedModules);
  // SQLite forgets an interruption that comes just before a query begins.
  constexpr int kInstructions = 1000;
  sqlite3_progress_handler(
      connection, kInstructions,
      [](void *isInterrupted) { return static_cast<std::atomic<bool> *>(isInterrupted)->load() ? 1 : 0; },
      &database->parts_->isInterrupted);
  void *const traces = &database->parts_->traces;
  if (sqlite3_create_module_v2(connection, "ada_spans", &kSpanModule, traces, nullptr) != SQLITE_OK ||
      sqlite3_create_module_v2(connection, "ada_span_groups", &kGroupModule, traces, nullptr) != SQLITE_OK ||
      sqlite3_create_module_v2(connection, "ada_list", &kListModule, traces, nullptr) != SQLITE_OK ||
      addSliceFunctions(connection, database->parts_->traces) != SQLITE_OK)
    return database->failure();
  sqlite3_set_authorizer(connection, authorize, &database->parts_->refused);
  return database;
}

Expected<void> SqlDatabase::attach(const std::string &schema, std::unique_ptr<model::TraceSource> source) {
  sqlite3_set_authorizer(parts_->connection, nullptr, nullptr);
  if (schema != "main")
    ADA_TRY(run("ATTACH ':memory:' AS " + quoted(schema)));
  parts_->traces[schema] =
      std::make_unique<AttachedTrace>(ADA_TRY(SharedTrace::open(std::move(source))), parts_->isInterrupted);
  parts_->schemas.push_back(schema);
  const std::string prefix = quoted(schema) + ".";
  for (const TableInfo &table : tables()) {
    const std::string name = table.name;
    ADA_TRY(run("CREATE VIRTUAL TABLE " + prefix + name +
                (name == "spans" ? " USING ada_spans" : " USING ada_list(" + name + ")")));
  }
  ADA_TRY(run("CREATE VIRTUAL TABLE " + prefix + "span_groups USING ada_span_groups"));
  ADA_TRY(run("CREATE VIRTUAL TABLE " + prefix + "ancestor_slice USING ada_slices(around)"));
  ADA_TRY(run("CREATE VIRTUAL TABLE " + prefix + "descendant_slice USING ada_slices(inside)"));
  for (const auto &view : kViews)
    ADA_TRY(run("CREATE VIEW " + prefix + view.name + " AS " + view.query));
  sqlite3_set_authorizer(parts_->connection, authorize, &parts_->refused);
  return {};
}

Expected<std::optional<SqlQuery>> SqlDatabase::query(std::string_view sql, std::string_view *rest) {
  if (sql.find('\0') != sql.npos)
    return Error{.code = "E_SQL", .message = "there is a NUL byte in the query"};
  SqlQuery query(*this);
  parts_->refused.clear();
  const bool hasOr = mayHaveWord(sql, "or");
  for (const auto &[schema, trace] : parts_->traces)
    trace->hasOr = hasOr;
  const char *end = nullptr;
  if (sqlite3_prepare_v2(parts_->connection, sql.data(), static_cast<int>(sql.size()), &query.statement_, &end) !=
      SQLITE_OK)
    return failure();
  const auto used = static_cast<size_t>(end - sql.data());
  if (rest)
    *rest = sql.substr(used);
  if (!query.statement_)
    return std::optional<SqlQuery>();
  for (int i = 0; i < sqlite3_column_count(query.statement_); ++i)
    query.columns_.emplace_back(sqlite3_column_name(query.statement_, i));
  if (auto changed = rewriteGroups(sql.substr(0, used))) {
    sqlite3_stmt *other = nullptr;
    if (sqlite3_prepare_v2(parts_->connection, changed->c_str(), -1, &other, nullptr) == SQLITE_OK &&
        sqlite3_column_count(other) == static_cast<int>(query.columns_.size())) {
      query.original_ = std::exchange(query.statement_, other);
      query.changed_ = *std::move(changed);
    } else {
      sqlite3_finalize(other);
    }
  }
  return std::optional(std::move(query));
}

void SqlDatabase::interrupt() { parts_->isInterrupted = true; }
void SqlDatabase::resume() { parts_->isInterrupted = false; }

std::vector<std::string> SqlDatabase::schemas() const { return parts_->schemas; }
std::vector<Error> SqlDatabase::problems(const std::string &schema) const {
  return parts_->traces.at(schema)->trace().problems();
}
std::vector<Warning> SqlDatabase::warnings(const std::string &schema) const {
  return parts_->traces.at(schema)->trace().warnings();
}

//===--- queries ----------------------------------------------------------===//

SqlQuery::SqlQuery(SqlQuery &&other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)),
      original_(std::exchange(other.original_, nullptr)), columns_(std::move(other.columns_)),
      changed_(std::move(other.changed_)), hasRows_(other.hasRows_) {}

SqlQuery::~SqlQuery() {
  sqlite3_finalize(statement_);
  sqlite3_finalize(original_);
}

Error SqlQuery::failure() const {
  if (database_->parts_->isInterrupted)
    return {.code = "E_INTERRUPTED", .message = "interrupted"};
  return database_->failure();
}

Expected<bool> SqlQuery::next() {
  int status = sqlite3_step(statement_);
  if (status != SQLITE_ROW && status != SQLITE_DONE && original_ && !hasRows_ && !database_->parts_->isInterrupted &&
      std::string_view(sqlite3_errmsg(database_->parts_->connection)) == kCantGroup) {
    sqlite3_finalize(statement_);
    statement_ = std::exchange(original_, nullptr);
    changed_.clear();
    status = sqlite3_step(statement_);
  }
  hasRows_ |= status == SQLITE_ROW;
  if (status == SQLITE_ROW || status == SQLITE_DONE)
    return status == SQLITE_ROW;
  return failure();
}

SqlValue SqlQuery::value(size_t column) const {
  const int number = static_cast<int>(column);
  const auto textOf = [&](const void *bytes) {
    return std::string_view(static_cast<const char *>(bytes ? bytes : ""),
                            static_cast<size_t>(sqlite3_column_bytes(statement_, number)));
  };
  switch (sqlite3_column_type(statement_, number)) {
  case SQLITE_INTEGER:
    return {.type = SqlValue::Type::Integer, .integer = sqlite3_column_int64(statement_, number)};
  case SQLITE_FLOAT:
    return {.type = SqlValue::Type::Real, .real = sqlite3_column_double(statement_, number)};
  case SQLITE_TEXT:
    return {.type = SqlValue::Type::Text, .text = textOf(sqlite3_column_text(statement_, number))};
  case SQLITE_BLOB:
    return {.type = SqlValue::Type::Text, .text = textOf(sqlite3_column_blob(statement_, number))};
  default:
    return {};
  }
}

Expected<std::vector<std::string>> SqlQuery::plan() const {
  const std::string sql = std::string("EXPLAIN QUERY PLAN ") + sqlite3_sql(statement_);
  sqlite3_stmt *statement = nullptr;
  if (sqlite3_prepare_v2(database_->parts_->connection, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return failure();
  std::vector<std::string> lines;
  std::map<int, size_t> levels; // by number of the step
  while (sqlite3_step(statement) == SQLITE_ROW) {
    const auto parent = levels.find(sqlite3_column_int(statement, 1));
    const size_t level = parent == levels.end() ? 0 : parent->second + 1;
    levels[sqlite3_column_int(statement, 0)] = level;
    lines.push_back(std::string(2 * level, ' ') + reinterpret_cast<const char *>(sqlite3_column_text(statement, 3)));
  }
  sqlite3_finalize(statement);
  return lines;
}

bool isCompleteSql(const std::string &sql) { return sqlite3_complete(sql.c_str()) != 0; }

} // namespace ada::query
