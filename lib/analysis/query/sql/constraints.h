// What SQLite asks of a virtual table, as ranges of numbers and sets of names.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <vector>

namespace ada::query {

/// Numbers from min to max; none if min is greater.
struct NumberRange {
  uint64_t min = 0, max = ~uint64_t{0};
  bool isEmpty() const { return min > max; }
  bool isAll() const { return min == 0 && max == ~uint64_t{0}; }
  /// Leaves the numbers n for which `n OP value` may hold, as SQLite compares. Returns whether it holds for all that
  /// are left: false for values that are not numbers, with which nothing was done.
  bool restrict(unsigned char op, sqlite3_value *value);
};

/// A condition that a table uses.
struct UsedConstraint {
  int column = 0;
  unsigned char op = 0;
  bool isList = false; ///< `IN (…)`, all at once
};

/// How a table will be read: kept between xBestIndex and xFilter.
struct TablePlan {
  uint64_t used = 0; ///< columns, as sqlite3_index_info::colUsed
  std::vector<UsedConstraint> constraints;
  std::string text; ///< for people
};

/// What a table can do with conditions on a column.
enum class Push : uint8_t {
  No,
  One,   ///< a number: =
  Range, ///< numbers: = < <= > >=
  Set,   ///< numbers: = and IN, all values at once
  Names, ///< texts: =, IN, LIKE, GLOB
};

/// Chooses the conditions that a table uses. `omits`: conditions on ranges are met exactly, so that SQLite need not
/// repeat them; if it does, and asks for the column, the table fails.
TablePlan planOf(sqlite3_index_info &info, const std::function<Push(int)> &pushOf,
                 const std::function<const char *(int)> &nameOf, bool omits);
/// Gives the plan to SQLite under this number.
int setPlan(sqlite3_index_info &info, const TablePlan &plan, int number);

/// Calls `use` with each value of a condition: one, or those of a list.
bool forEachValue(const UsedConstraint &constraint, sqlite3_value *value,
                  const std::function<void(sqlite3_value *)> &use);

/// Whether a name meets the condition.
bool matchesName(const UsedConstraint &constraint, const std::string &name, sqlite3_value *value);

} // namespace ada::query
