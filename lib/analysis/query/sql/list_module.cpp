// The virtual tables that are lists of rows: all but `spans`.
#include "module_of.h"

#include "analysis/query/handover.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace ada::query {

namespace list_module {
namespace {

constexpr size_t kChunkRows = 512;

struct ListVtab : TraceVtab {
  ListVtab(AttachedTrace &trace, const TableInfo &info) : TraceVtab(trace), info(info) {}
  const TableInfo &info;
  std::string_view keyOf(int column) const { return info.columns[static_cast<size_t>(column)].key; }

  static int connect(sqlite3 *database, void *traces, int count, const char *const *argv, sqlite3_vtab **made,
                     char **message);
  int bestIndex(sqlite3_index_info &offered);
};

using Rows = std::vector<std::vector<Value>>;

struct ListCursor : sqlite3_vtab_cursor {
  explicit ListCursor(ListVtab &table) : sqlite3_vtab_cursor{}, table(table) {}
  ~ListCursor() { close(); }

  ListVtab &table;
  ListRequest request;
  std::atomic<bool> isClosed = false;
  std::optional<Expected<void>> done;
  std::unique_ptr<Handover<const Rows>> reading; // null: all rows were at hand
  Rows found;
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
    number = 0, row = 0;
    if (table.trace.lists.isAtHand(table.info, request)) { // joins ask for many rows: no other thread is begun for them
      found.clear();
      done = table.trace.lists.read(table.info, request, isClosed, [&](const std::vector<Value> &one) {
        found.push_back(one);
        return true;
      });
      rows = found.empty() ? nullptr : &found;
      return;
    }
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
  int filter(const TablePlan &plan, sqlite3_value **values);
  int next() {
    ++number;
    if (rows && ++row < rows->size())
      return SQLITE_OK;
    row = 0;
    if (!reading) {
      rows = nullptr;
      return SQLITE_OK;
    }
    rows = reading->next([this] { return table.trace.interrupt.load(); });
    if (rows)
      return SQLITE_OK;
    if (table.trace.interrupt)
      return SQLITE_INTERRUPT;
    const Expected<void> result = *done;
    return result ? SQLITE_OK : failTable(*pVtab, result.error().text());
  }
  bool isAtEnd() const { return rows == nullptr; }
  int column(sqlite3_context *context, int place) const;
  // The same for a row in all scans of a query, if that can find it by its id.
  sqlite3_int64 rowId() const {
    return table.keyOf(0) == "id" ? static_cast<sqlite3_int64>(std::get<uint64_t>((*rows)[row][0])) : number;
  }
};

int ListVtab::connect(sqlite3 *database, void *traces, int count, const char *const *argv, sqlite3_vtab **made,
                      char **message) {
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

int ListVtab::bestIndex(sqlite3_index_info &offered) {
  const auto nameOf = [&](int column) { return info.columns[static_cast<size_t>(column)].key; };
  const auto pushOf = [&](int column) {
    const std::string_view name = nameOf(column);
    if (trace.hasOr && keyOf(0) != "id") // without ids, the numbers of rows differ between scans
      return Push::No;
    return name == "ts" ? Push::Range : name == "thread" ? Push::Set : name == "id" ? Push::One : Push::No;
  };
  TablePlan plan = planOf(offered, pushOf, nameOf, false);
  const std::string_view name = info.name;
  double rows = name == "functions"   ? static_cast<double>(trace.trace().functionCount())
                : name == "threads"   ? static_cast<double>(trace.trace().table().threads.size())
                : name == "processes" ? static_cast<double>(trace.trace().table().processes.size())
                                      : 1e6;
  for (size_t i = 0; i < plan.constraints.size(); ++i)
    rows *= 0.3;
  offered.estimatedRows = static_cast<sqlite3_int64>(std::max(rows, 1.0));
  // Figures of single processes are added up for each scan, so that should be in no inner loop.
  offered.estimatedCost = (name == "process_functions" ? 1e9 : 1000.0) + rows;
  if (std::ranges::any_of(plan.constraints, [&](const auto &one) { return keyOf(one.column) == "id"; })) {
    offered.estimatedRows = 1;
    offered.estimatedCost = 10;
  }
  if (plan.text.empty())
    plan.text = "all rows";
  return offer(offered, std::move(plan));
}

int ListCursor::filter(const TablePlan &plan, sqlite3_value **values) {
  close();
  request = {.used = plan.used};
  NumberRange ts;
  for (size_t i = 0; i < plan.constraints.size(); ++i) {
    const UsedConstraint &constraint = plan.constraints[i];
    if (table.keyOf(constraint.column) == "ts") {
      ts.restrict(constraint.op, values[i]);
      continue;
    }
    if (table.keyOf(constraint.column) == "id") {
      NumberRange id;
      if (!id.restrict(constraint.op, values[i]))
        continue;
      if (id.isEmpty())
        return SQLITE_OK;
      request.id = id.min;
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
      request.threads = std::move(threads);
  }
  if (ts.isEmpty())
    return SQLITE_OK;
  request.minTs = ts.min, request.maxTs = ts.max;
  read();
  if (reading)
    return next();
  return *done ? SQLITE_OK : failTable(*pVtab, done->error().text());
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
  setNumberText(context, json->text);
}

int ListCursor::column(sqlite3_context *context, int place) const {
  const auto at = static_cast<size_t>(place);
  setValue(context, (*rows)[row][at], table.info.columns[at].holds);
  return SQLITE_OK;
}

} // namespace
} // namespace list_module

// Integers that SQLite can hold stay integers.
void setNumberText(sqlite3_context *context, const std::string &text) {
  const char *const begin = text.c_str();
  char *end = nullptr;
  errno = 0;
  const long long integer = std::strtoll(begin, &end, 10);
  if (*end == '\0' && errno == 0)
    sqlite3_result_int64(context, integer);
  else
    sqlite3_result_double(context, std::strtod(begin, nullptr));
}

const sqlite3_module kListModule = moduleOf<list_module::ListVtab, list_module::ListCursor>();

} // namespace ada::query
