// Asks in SQL: which functions are called most often.
#include <ada/trace/convert.h>
#include <ada/trace/sql.h>

#include <iostream>

int main(int argc, char **argv) {
  const auto fail = [](const ada::Error &error) {
    std::cerr << error.text() << '\n';
    return 3;
  };
  auto source = ada::model::openTrace(argc > 1 ? argv[1] : "ada-traces");
  if (!source)
    return fail(source.error());
  auto database = ada::query::SqlDatabase::open();
  if (!database)
    return fail(database.error());
  if (const auto attached = (*database)->attach("main", *std::move(source)); !attached)
    return fail(attached.error());
  auto query = (*database)->query("SELECT name, calls FROM functions ORDER BY calls DESC LIMIT 2");
  if (!query)
    return fail(query.error());
  auto row = (*query)->next();
  for (; row && *row; row = (*query)->next())
    std::cout << (*query)->value(0).text << ", count " << (*query)->value(1).integer << '\n';
  return row ? 0 : fail(row.error());
}
