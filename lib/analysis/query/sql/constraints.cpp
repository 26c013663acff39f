// What SQLite asks of a virtual table.
#include "constraints.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace ada::query {

namespace {

constexpr uint64_t kMax = ~uint64_t{0};

struct Limits {
  std::optional<uint64_t> least = {}, most = {};
  bool none = false;
};

// Numbers are not negative.
Limits limitsOf(unsigned char op, int64_t value) {
  const bool isNegative = value < 0;
  const auto number = static_cast<uint64_t>(value);
  switch (op) {
  case SQLITE_INDEX_CONSTRAINT_EQ:
    return isNegative ? Limits{.none = true} : Limits{number, number};
  case SQLITE_INDEX_CONSTRAINT_GT:
    return isNegative ? Limits{} : Limits{.least = number + 1};
  case SQLITE_INDEX_CONSTRAINT_GE:
    return isNegative ? Limits{} : Limits{.least = number};
  case SQLITE_INDEX_CONSTRAINT_LT:
    return value <= 0 ? Limits{.none = true} : Limits{.most = number - 1};
  default:
    return isNegative ? Limits{.none = true} : Limits{.most = number};
  }
}

Limits limitsOf(unsigned char op, double value) {
  constexpr double kTooLarge = 9223372036854775808.0; // 2^63
  const bool isUpper = op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
  if (value >= kTooLarge)
    return isUpper ? Limits{} : Limits{.none = true};
  if (value < 0)
    return limitsOf(op, int64_t{-1});
  const double whole = std::floor(value);
  const auto number = static_cast<int64_t>(whole);
  if (whole == value)
    return limitsOf(op, number);
  if (op == SQLITE_INDEX_CONSTRAINT_EQ)
    return {.none = true};
  return limitsOf(static_cast<unsigned char>(isUpper ? SQLITE_INDEX_CONSTRAINT_LE : SQLITE_INDEX_CONSTRAINT_GT),
                  number);
}

const char *opText(unsigned char op) {
  switch (op) {
  case SQLITE_INDEX_CONSTRAINT_EQ:
    return "=";
  case SQLITE_INDEX_CONSTRAINT_GT:
    return ">";
  case SQLITE_INDEX_CONSTRAINT_GE:
    return ">=";
  case SQLITE_INDEX_CONSTRAINT_LT:
    return "<";
  case SQLITE_INDEX_CONSTRAINT_LE:
    return "<=";
  case SQLITE_INDEX_CONSTRAINT_LIKE:
    return "LIKE";
  default:
    return "GLOB";
  }
}

bool canPush(Push push, unsigned char op) {
  const bool isComparison = op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE ||
                            op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
  if (op == SQLITE_INDEX_CONSTRAINT_EQ)
    return push != Push::No;
  if (op == SQLITE_INDEX_CONSTRAINT_LIKE || op == SQLITE_INDEX_CONSTRAINT_GLOB)
    return push == Push::Names;
  return isComparison && push == Push::Range;
}

} // namespace

bool NumberRange::restrict(unsigned char op, sqlite3_value *value) {
  Limits limits;
  switch (sqlite3_value_numeric_type(value)) {
  case SQLITE_INTEGER:
    limits = limitsOf(op, static_cast<int64_t>(sqlite3_value_int64(value)));
    break;
  case SQLITE_FLOAT:
    limits = limitsOf(op, sqlite3_value_double(value));
    break;
  case SQLITE_NULL:
    limits.none = true;
    break;
  default:
    return false;
  }
  if (limits.none)
    min = 1, max = 0;
  if (limits.least)
    min = std::max(min, *limits.least);
  if (limits.most)
    max = std::min(max, *limits.most);
  return true;
}

TablePlan planOf(sqlite3_index_info &info, const std::function<Push(int)> &pushOf,
                 const std::function<const char *(int)> &nameOf, bool omits) {
  TablePlan plan{.used = info.colUsed, .constraints = {}, .text = {}};
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto &constraint = info.aConstraint[i];
    if (!constraint.usable || constraint.iColumn < 0)
      continue;
    const Push push = pushOf(constraint.iColumn);
    if (!canPush(push, constraint.op))
      continue;
    if (push == Push::Names && std::string_view(sqlite3_vtab_collation(&info, i)) != "BINARY")
      continue;
    const bool isList = constraint.op == SQLITE_INDEX_CONSTRAINT_EQ && (push == Push::Set || push == Push::Names) &&
                        sqlite3_vtab_in(&info, i, 1) != 0;
    plan.constraints.push_back({constraint.iColumn, constraint.op, isList});
    info.aConstraintUsage[i].argvIndex = static_cast<int>(plan.constraints.size());
    info.aConstraintUsage[i].omit = omits && push == Push::Range;
    plan.text += (plan.text.empty() ? "" : " and ") + std::string(nameOf(constraint.iColumn)) + " " +
                 (isList ? "IN" : opText(constraint.op)) + " ?";
  }
  return plan;
}

int setPlan(sqlite3_index_info &info, const TablePlan &plan, int number) {
  info.idxNum = number;
  info.idxStr = sqlite3_mprintf("%s", plan.text.c_str());
  info.needToFreeIdxStr = 1;
  return info.idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

bool forEachValue(const UsedConstraint &constraint, sqlite3_value *value,
                  const std::function<void(sqlite3_value *)> &use) {
  if (!constraint.isList) {
    use(value);
    return true;
  }
  sqlite3_value *one = nullptr;
  int status = sqlite3_vtab_in_first(value, &one);
  for (; status == SQLITE_OK && one; status = sqlite3_vtab_in_next(value, &one))
    use(one);
  return status == SQLITE_OK || status == SQLITE_DONE;
}

bool matchesName(const UsedConstraint &constraint, const std::string &name, sqlite3_value *value) {
  if (sqlite3_value_type(value) == SQLITE_NULL)
    return false;
  const auto *text = reinterpret_cast<const char *>(sqlite3_value_text(value));
  if (!text)
    return false;
  if (constraint.op == SQLITE_INDEX_CONSTRAINT_LIKE)
    return sqlite3_strlike(text, name.c_str(), 0) == 0;
  if (constraint.op == SQLITE_INDEX_CONSTRAINT_GLOB)
    return sqlite3_strglob(text, name.c_str()) == 0;
  return name == std::string_view(text, static_cast<size_t>(sqlite3_value_bytes(value)));
}

} // namespace ada::query
