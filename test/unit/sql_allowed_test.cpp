// Queries can use the listed functions, pragmas and tables, and no other of those that the SQLite at hand has.
#include "ada/trace/sql.h"
#include "analysis/query/sql/allowed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sqlite3.h>
#include <sstream>

using namespace ada;

namespace {

/// The names that SQLite itself gives to a connection without limits.
std::vector<std::string> namesIn(const char *query) {
  sqlite3 *connection = nullptr;
  sqlite3_open(":memory:", &connection);
  sqlite3_stmt *statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(connection, query, -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(connection);
  std::vector<std::string> names;
  while (sqlite3_step(statement) == SQLITE_ROW)
    names.emplace_back(reinterpret_cast<const char *>(sqlite3_column_text(statement, 0)));
  sqlite3_finalize(statement);
  sqlite3_close(connection);
  EXPECT_FALSE(names.empty()) << query;
  return names;
}

class SqlAllowed : public testing::Test {
protected:
  /// Why a query does not begin; "" if it does.
  std::string refusal(const std::string &sql) {
    const auto query = database_->query(sql);
    return query ? "" : query.error().message;
  }
  /// The same of a statement that may begin.
  std::string failure(const std::string &sql) {
    auto query = database_->query(sql);
    if (!query)
      return query.error().message;
    const auto row = (*query)->next();
    return row ? "" : row.error().message;
  }
  std::unique_ptr<query::SqlDatabase> database_ = *query::SqlDatabase::open();
};

TEST_F(SqlAllowed, Functions) {
  size_t refused = 0;
  for (const std::string &name : namesIn("SELECT DISTINCT name FROM pragma_function_list")) {
    if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != name.npos)
      continue; // the operators -> and ->>
    const bool isAllowed = std::ranges::binary_search(query::allowedFunctions(), std::string_view(name));
    // With each number of arguments: another number is another function.
    for (int count = 0; count <= 5; ++count) {
      std::string call = "SELECT " + name + "(";
      for (int i = 0; i < count; ++i)
        call += i ? ", 1" : "1";
      for (const char *const end : {")", ") OVER ()"}) {
        const std::string message = refusal(call + end);
        const bool isRefused = message.find("can't call " + name + "()") != message.npos;
        EXPECT_TRUE(isAllowed ? !isRefused : !message.empty()) << call << end << " " << message;
        refused += isRefused;
      }
    }
  }
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(refusal("SELECT LOAD_extension('x.so')"),
            "a query can't call load_extension(): `adatrace sql SESSION .functions` lists what it can call");
  EXPECT_EQ(refusal("SELECT '{}' -> 'a', 'a' LIKE 'A', 'a' GLOB 'a', CURRENT_TIME, UPPER('a')"), "");
  EXPECT_EQ(refusal("SELECT avg(x) FILTER (WHERE x > 1) FROM (SELECT 1 AS x)"), "");
}

TEST_F(SqlAllowed, Pragmas) {
  const std::vector<std::string> allowed = {"database_list", "function_list", "table_info", "table_list",
                                            "table_xinfo"};
  for (const std::string &name : namesIn("SELECT name FROM pragma_pragma_list")) {
    const bool isAllowed = std::ranges::find(allowed, name) != allowed.end();
    for (const char *const value : {"", " = 1", "(x)"}) {
      const std::string message = refusal("PRAGMA " + name + value);
      EXPECT_EQ(message, isAllowed ? "" : "a query can't use PRAGMA " + name + ": it can only read");
    }
    EXPECT_NE(refusal("SELECT * FROM pragma_" + name), "") << name;
  }
}

TEST_F(SqlAllowed, Tables) {
  for (const std::string &name : namesIn("SELECT name FROM pragma_module_list")) {
    const bool isAllowed = name == "json_each" || name == "json_tree" || name == "generate_series";
    EXPECT_EQ(refusal("SELECT count(*) FROM " + name).empty(), isAllowed) << name;
    EXPECT_NE(refusal("CREATE VIRTUAL TABLE t USING " + name), "") << name;
  }
  EXPECT_EQ(refusal("SELECT * FROM json_each('[1]'), sqlite_schema"), "");
  EXPECT_EQ(refusal("WITH dbstat AS (SELECT 1) SELECT count(*) FROM dbstat"), ""); // a name like any other
  for (const char *const statement : {"ATTACH 'x.db' AS x", "VACUUM INTO 'x.db'", "BEGIN", "DETACH main", "ANALYZE"})
    EXPECT_EQ(failure(statement), "a query can only read") << statement;
}

TEST_F(SqlAllowed, ThePageHasTheList) {
  std::ifstream file(ADA_DOCS "/reference/commands/sql.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::string list;
  for (const std::string_view name : query::allowedFunctions())
    list += (list.empty() ? "`" : ", `") + std::string(name) + "`";
  std::string words; // each run of white space is one space
  std::istringstream stream(page);
  for (std::string word; stream >> word;)
    words += (words.empty() ? "" : " ") + word;
  EXPECT_NE(words.find(list + "."), words.npos) << list;
}

} // namespace
