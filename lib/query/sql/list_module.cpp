// The virtual tables that are lists of rows: all but `spans`.
#include "modules.h"

#include "query/handover.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <optional>

namespace ada::query {

namespace list_module {
namespace {

constexpr size_t kChunkRows = 512;

struct ListVtab : sqlite3_vtab {
  ListVtab(AttachedTrace &trace, const TableInfo &info) : sqlite3_vtab{}, trace(trace), info(info) {}
  AttachedTrace &trace;
  const TableInfo &info;
  std::deque<TablePlan> plans;
};

using Rows = std::vector<std::vector<Value>>;

struct ListCursor : sqlite3_vtab_cursor {
  explicit ListCursor(ListVtab &table) : sqlite3_vtab_cursor{}, table(table) {}

  ListVtab &table;
  ListRequest request;
  std::atomic<bool> isClosed = false;
  std::optional<Expected<void>> done;
  std::unique_ptr<Handover<const Rows>> reading;
  const Rows *rows = nullptr; // null: at the end
  size_t row = 0;
  sqlite3_int64 number = 0;

  void close() {
    isClosed = true;
    reading.reset();
    rows = nullptr;
    isClosed = false;
  }
  void read() {
    number = 0;
    reading = std::make_unique<Handover<const Rows>>([this](Handover<const Rows> &to) {
      Rows some;
      const auto give = [&] {
        const bool goesOn = to.give(some);
        some.clear();
        return goesOn;
      };
      done = table.trace.lists.read(table.info, request, isClosed, [&](const std::vector<Value> &one) {
        some.push_back(one);
        return some.size() < kChunkRows || give();
      });
      if (!some.empty())
        give();
    });
  }
  int next() {
    ++number;
    if (rows && ++row < rows->size())
      return SQLITE_OK;
    row = 0;
    rows = reading->next([this] { return table.trace.interrupt.load(); });
    if (rows)
      return SQLITE_OK;
    if (table.trace.interrupt)
      return SQLITE_INTERRUPT;
    const Expected<void> result = *done;
    return result ? SQLITE_OK : failTable(*pVtab, result.error().text());
  }
};

ListVtab &vtabOf(sqlite3_vtab *vtab) { return *static_cast<ListVtab *>(vtab); }
ListCursor &cursorOf(sqlite3_vtab_cursor *cursor) { return *static_cast<ListCursor *>(cursor); }

int connect(sqlite3 *database, void *traces, int count, const char *const *argv, sqlite3_vtab **made, char **message) {
  AttachedTrace *const trace = traceOf(traces, argv);
  const TableInfo *const info = count > 3 ? findTable(argv[3]) : nullptr;
  if (!trace || !info) {
    *message = sqlite3_mprintf("there is no such trace or table");
    return SQLITE_ERROR;
  }
  const int status = sqlite3_declare_vtab(database, declarationOf(info->columns).c_str());
  if (status == SQLITE_OK)
    *made = new ListVtab(*trace, *info);
  return status;
}

int disconnect(sqlite3_vtab *vtab) {
  delete static_cast<ListVtab *>(vtab);
  return SQLITE_OK;
}

int bestIndex(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  ListVtab &table = vtabOf(vtab);
  const auto nameOf = [&](int column) { return table.info.columns[static_cast<size_t>(column)].key; };
  const auto pushOf = [&](int column) {
    const std::string_view name = nameOf(column);
    return name == "ts" ? Push::Range : name == "thread" ? Push::Set : Push::No;
  };
  TablePlan plan = planOf(*info, pushOf, nameOf, false);
  const std::string_view name = table.info.name;
  double rows = name == "functions"   ? static_cast<double>(table.trace.trace().functions().size())
                : name == "threads"   ? static_cast<double>(table.trace.trace().table().threads.size())
                : name == "processes" ? static_cast<double>(table.trace.trace().table().processes.size())
                                      : 1e6;
  for (size_t i = 0; i < plan.constraints.size(); ++i)
    rows *= 0.3;
  info->estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
  info->estimatedCost = 1000.0 + rows;
  if (plan.text.empty())
    plan.text = "all rows";
  table.plans.push_back(std::move(plan));
  return setPlan(*info, table.plans.back(), static_cast<int>(table.plans.size()) - 1);
}

int open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **made) {
  *made = new ListCursor(vtabOf(vtab));
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor *cursor) {
  cursorOf(cursor).close();
  delete &cursorOf(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor *given, int number, const char *, int, sqlite3_value **values) {
  ListCursor &cursor = cursorOf(given);
  cursor.close();
  const TablePlan &plan = cursor.table.plans[static_cast<size_t>(number)];
  cursor.request = {.used = plan.used};
  NumberRange ts;
  for (size_t i = 0; i < plan.constraints.size(); ++i) {
    const UsedConstraint &constraint = plan.constraints[i];
    if (std::string_view(cursor.table.info.columns[static_cast<size_t>(constraint.column)].key) == "ts") {
      ts.restrict(constraint.op, values[i]);
      continue;
    }
    std::vector<uint32_t> threads;
    bool isExact = true;
    const auto add = [&](sqlite3_value *one) {
      NumberRange range;
      isExact &= range.restrict(SQLITE_INDEX_CONSTRAINT_EQ, one);
      if (range.min == range.max && range.max <= ~uint32_t{0})
        threads.push_back(static_cast<uint32_t>(range.min));
    };
    if (forEachValue(constraint, values[i], add) && isExact)
      cursor.request.threads = std::move(threads);
  }
  if (ts.isEmpty())
    return SQLITE_OK;
  cursor.request.minTs = ts.min, cursor.request.maxTs = ts.max;
  cursor.read();
  return cursor.next();
}

void setValue(sqlite3_context *context, const Value &value, Holds holds) {
  if (const auto *number = std::get_if<uint64_t>(&value))
    return sqlite3_result_int64(context, static_cast<sqlite3_int64>(*number));
  if (const auto *flag = std::get_if<bool>(&value))
    return sqlite3_result_int(context, *flag ? 1 : 0);
  if (const auto *text = std::get_if<std::string>(&value)) {
    const std::string valid = validUtf8(*text);
    return sqlite3_result_text64(context, valid.data(), valid.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  const auto *json = std::get_if<Json>(&value);
  if (!json)
    return sqlite3_result_null(context);
  if (holds != Holds::Real)
    return sqlite3_result_text64(context, json->text.data(), json->text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  // Integers that SQLite can hold stay integers.
  const char *begin = json->text.c_str();
  char *end = nullptr;
  errno = 0;
  const long long integer = std::strtoll(begin, &end, 10);
  if (*end == '\0' && errno == 0)
    sqlite3_result_int64(context, integer);
  else
    sqlite3_result_double(context, std::strtod(begin, nullptr));
}

int column(sqlite3_vtab_cursor *given, sqlite3_context *context, int number) {
  const ListCursor &cursor = cursorOf(given);
  const auto at = static_cast<size_t>(number);
  setValue(context, (*cursor.rows)[cursor.row][at], cursor.table.info.columns[at].holds);
  return SQLITE_OK;
}

} // namespace
} // namespace list_module

const sqlite3_module kListModule = [] {
  sqlite3_module module = {};
  module.iVersion = 1;
  module.xCreate = list_module::connect;
  module.xConnect = list_module::connect;
  module.xBestIndex = list_module::bestIndex;
  module.xDisconnect = list_module::disconnect;
  module.xDestroy = list_module::disconnect;
  module.xOpen = list_module::open;
  module.xClose = list_module::close;
  module.xFilter = list_module::filter;
  module.xNext = [](sqlite3_vtab_cursor *cursor) { return list_module::cursorOf(cursor).next(); };
  module.xEof = [](sqlite3_vtab_cursor *cursor) { return list_module::cursorOf(cursor).rows == nullptr ? 1 : 0; };
  module.xColumn = list_module::column;
  module.xRowid = [](sqlite3_vtab_cursor *cursor, sqlite3_int64 *id) {
    *id = list_module::cursorOf(cursor).number;
    return SQLITE_OK;
  };
  return module;
}();

} // namespace ada::query
