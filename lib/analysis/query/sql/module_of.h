// What the modules of all virtual tables have in common.
#pragma once

#include "modules.h"

#include <deque>

namespace ada::query {

/// A virtual table of one trace. `plans` has what SQLite was offered, by number.
struct TraceVtab : sqlite3_vtab {
  explicit TraceVtab(AttachedTrace &trace) : sqlite3_vtab{}, trace(trace) {}
  AttachedTrace &trace;
  std::deque<TablePlan> plans;

  /// Offers a plan.
  int offer(sqlite3_index_info &info, TablePlan plan) {
    plans.push_back(std::move(plan));
    return setPlan(info, plans.back(), static_cast<int>(plans.size()) - 1);
  }
};

/// Makes a module of
///
///   Vtab    a TraceVtab with `static int connect(…)` as xConnect has it, and `int bestIndex(sqlite3_index_info &)`
///   Cursor  made of a Vtab &, with what SQLite asks a cursor: `int filter(const TablePlan &, sqlite3_value **)`,
///           `int next()`, `bool isAtEnd() const`, `int column(sqlite3_context *, int)`, `sqlite3_int64 rowId() const`
template <class Vtab, class Cursor> sqlite3_module moduleOf() {
  sqlite3_module module = {};
  module.iVersion = 1;
  module.xCreate = module.xConnect = Vtab::connect;
  module.xBestIndex = [](sqlite3_vtab *vtab, sqlite3_index_info *info) {
    return static_cast<Vtab *>(vtab)->bestIndex(*info);
  };
  module.xDisconnect = module.xDestroy = [](sqlite3_vtab *vtab) {
    delete static_cast<Vtab *>(vtab);
    return SQLITE_OK;
  };
  module.xOpen = [](sqlite3_vtab *vtab, sqlite3_vtab_cursor **made) {
    *made = new Cursor(*static_cast<Vtab *>(vtab));
    return SQLITE_OK;
  };
  module.xClose = [](sqlite3_vtab_cursor *cursor) {
    delete static_cast<Cursor *>(cursor);
    return SQLITE_OK;
  };
  module.xFilter = [](sqlite3_vtab_cursor *cursor, int number, const char *, int, sqlite3_value **values) {
    return static_cast<Cursor *>(cursor)->filter(static_cast<Vtab *>(cursor->pVtab)->plans[static_cast<size_t>(number)],
                                                 values);
  };
  module.xNext = [](sqlite3_vtab_cursor *cursor) { return static_cast<Cursor *>(cursor)->next(); };
  module.xEof = [](sqlite3_vtab_cursor *cursor) { return static_cast<Cursor *>(cursor)->isAtEnd() ? 1 : 0; };
  module.xColumn = [](sqlite3_vtab_cursor *cursor, sqlite3_context *context, int number) {
    return static_cast<Cursor *>(cursor)->column(context, number);
  };
  module.xRowid = [](sqlite3_vtab_cursor *cursor, sqlite3_int64 *id) {
    *id = static_cast<Cursor *>(cursor)->rowId();
    return SQLITE_OK;
  };
  return module;
}

} // namespace ada::query
