// The hidden virtual table `span_groups`: sums of calls, for queries that group_rewrite.h changes.
//
// Its columns are the keys of spans, the sums, and all other columns of spans, which are for conditions only.
#include "modules.h"

#include "base/try.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <unordered_map>

namespace ada::query {

namespace group_module {
namespace {

enum Key : int { kName, kFunction, kThread, kProcess, kDepth, kExit, kOutermost, kKeys };
constexpr std::array<const char *, kKeys> kKeyNames = {"name",  "function_id", "thread",   "process",
                                                       "depth", "exit",        "outermost"};
constexpr std::array<const char *, 8> kMeasureNames = {"ts",      "dur",       "self",     "on_cpu",
                                                       "waiting", "preempted", "recorder", "self_recorder"};
constexpr int kCount = kKeys;         // `n`, after the keys
constexpr int kMeasures = kCount + 1; // four columns for each: sum, min, max, n
constexpr int kConditions = kMeasures + 4 * static_cast<int>(kMeasureNames.size());
constexpr std::array<const char *, 13> kConditionNames = {
    "id",       "parent_id",     "ts",        "dur",    "self",  "on_cpu", "waiting", "preempted",
    "recorder", "self_recorder", "arguments", "result", "values"};

const char *nameOfColumn(int column) {
  if (column < kKeys)
    return kKeyNames[static_cast<size_t>(column)];
  return column < kConditions ? "" : kConditionNames[static_cast<size_t>(column - kConditions)];
}

struct Measure {
  int64_t sum = 0;
  uint64_t min = ~uint64_t{0}, max = 0, count = 0;
};

struct Group {
  uint32_t function = 0, thread = 0, process = 0, depth = 0;
  uint8_t exit = 0, outermost = 0;
  uint64_t count = 0;
  std::array<Measure, kMeasureNames.size()> measures;
};

struct GroupVtab : sqlite3_vtab {
  explicit GroupVtab(AttachedTrace &trace) : sqlite3_vtab{}, trace(trace) {}
  AttachedTrace &trace;
  std::deque<TablePlan> plans;
};

struct GroupCursor : sqlite3_vtab_cursor {
  explicit GroupCursor(AttachedTrace &trace) : sqlite3_vtab_cursor{}, trace(trace) {}
  AttachedTrace &trace;
  std::vector<Group> groups;
  size_t row = 0;
};

GroupVtab &vtabOf(sqlite3_vtab *vtab) { return *static_cast<GroupVtab *>(vtab); }
GroupCursor &cursorOf(sqlite3_vtab_cursor *cursor) { return *static_cast<GroupCursor *>(cursor); }

std::string declaration() {
  std::string text = "CREATE TABLE x (";
  for (const char *name : kKeyNames)
    text += std::string(name) +
            (std::string_view(name) == "name" || std::string_view(name) == "exit" ? " TEXT, " : " INTEGER, ");
  text += "n INTEGER";
  for (const char *name : kMeasureNames)
    for (const char *what : {"sum", "min", "max", "n"})
      text += std::string(", ") + name + "_" + what + " INTEGER";
  for (const char *name : kConditionNames)
    text += std::string(", \"") + name + "\"" +
            (name[0] == 'a' || std::string_view(name) == "result" || std::string_view(name) == "values"
                 ? " TEXT HIDDEN"
                 : " INTEGER HIDDEN");
  return text + ")";
}

int connect(sqlite3 *database, void *traces, int, const char *const *argv, sqlite3_vtab **made, char **message) {
  AttachedTrace *const trace = traceOf(traces, argv);
  if (!trace) {
    *message = sqlite3_mprintf("there is no trace '%s'", argv[1]);
    return SQLITE_ERROR;
  }
  const int status = sqlite3_declare_vtab(database, declaration().c_str());
  if (status == SQLITE_OK)
    *made = new GroupVtab(*trace);
  return status;
}

int disconnect(sqlite3_vtab *vtab) {
  delete static_cast<GroupVtab *>(vtab);
  return SQLITE_OK;
}

// Conditions on keys are tested again by SQLite. Those on other columns must be met here: their columns have no values.
int bestIndex(sqlite3_vtab *vtab, sqlite3_index_info *info) {
  GroupVtab &table = vtabOf(vtab);
  TablePlan plan = planOf(
      *info,
      [](int column) {
        const Push push = pushOfSpans(nameOfColumn(column));
        return column >= kKeys && push != Push::Range ? Push::No : push;
      },
      nameOfColumn, true);
  plan.text = (plan.text.empty() ? "all calls" : plan.text) + "; adds up by";
  for (int key = 0; key < kKeys; ++key)
    if (plan.used >> key & 1)
      plan.text += std::string(" ") + nameOfColumn(key);
  info->estimatedRows = 1000;
  info->estimatedCost = 1e6;
  table.plans.push_back(std::move(plan));
  return setPlan(*info, table.plans.back(), static_cast<int>(table.plans.size()) - 1);
}

// Adds up chunks of calls.
class Adder {
public:
  Adder(const TablePlan &plan, std::vector<Group> &groups) : used_(plan.used), groups_(groups) {
    for (size_t i = 0; i < kMeasureNames.size(); ++i)
      if (plan.used >> (kMeasures + 4 * i) & 15)
        measures_.push_back(i);
    hasFunction_ = uses(kName) || uses(kFunction);
    hasMore_ = uses(kDepth) || uses(kExit) || uses(kOutermost);
  }

  SpanColumns columns() const {
    SpanColumns columns;
    if (hasFunction_)
      columns.add(SpanColumn::Function);
    columns.add(SpanColumn::Thread), columns.add(SpanColumn::Process);
    if (uses(kDepth))
      columns.add(SpanColumn::Depth);
    if (uses(kExit))
      columns.add(SpanColumn::Exit);
    if (uses(kOutermost))
      columns.add(SpanColumn::Outermost);
    for (const size_t measure : measures_)
      columns.add(*spanColumn(kMeasureNames[measure]));
    return columns;
  }

  /// All calls of a chunk are of one thread. False if a sum is too large.
  bool add(const SpanChunk &chunk) {
    beginThread(chunk.thread[0], chunk.process[0]);
    numbers_.resize(chunk.rows);
    for (size_t row = 0; row < chunk.rows; ++row)
      numbers_[row] = groupOf(chunk, row);
    for (size_t row = 0; row < chunk.rows; ++row)
      ++groups_[numbers_[row]].count;
    bool isGood = true;
    for (const size_t measure : measures_)
      isGood &= addMeasure(measure, valuesOf(chunk, measure));
    return isGood;
  }

private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  bool uses(Key key) const { return used_ >> key & 1; }

  static std::span<const uint64_t> valuesOf(const SpanChunk &chunk, size_t measure) {
    const std::span<const uint64_t> all[] = {chunk.ts,      chunk.dur,       chunk.self,     chunk.onCpu,
                                             chunk.waiting, chunk.preempted, chunk.recorder, chunk.selfRecorder};
    return all[measure];
  }
  // Threads and processes are keys only if the query uses them.
  void beginThread(uint32_t thread, uint32_t process) {
    const bool isNew = (uses(kThread) && thread != thread_) || (uses(kProcess) && process != process_);
    if (isNew || !hasBegun_)
      byFunction_.clear(), byMore_.clear();
    hasBegun_ = true;
    thread_ = thread, process_ = process;
  }
  uint32_t groupOf(const SpanChunk &chunk, size_t row) {
    const uint32_t function = hasFunction_ ? chunk.function[row] : 0;
    if (hasMore_)
      return groupOfMore(chunk, row, function);
    if (function >= byFunction_.size())
      byFunction_.resize(function + size_t{1}, kNone);
    uint32_t &number = byFunction_[function];
    return number != kNone ? number : number = newGroup(chunk, row, function);
  }
  uint32_t groupOfMore(const SpanChunk &chunk, size_t row, uint32_t function) {
    const uint64_t depth = uses(kDepth) ? chunk.depth[row] : 0;
    const uint64_t rest = (uses(kExit) ? chunk.exit[row] : 0U) << 1 | (uses(kOutermost) ? chunk.outermost[row] : 0U);
    const auto [at, isNew] = byMore_.try_emplace({uint64_t{function} << 32 | depth, rest}, kNone);
    if (isNew)
      at->second = newGroup(chunk, row, function);
    return at->second;
  }
  uint32_t newGroup(const SpanChunk &chunk, size_t row, uint32_t function) {
    groups_.push_back({.function = function,
                       .thread = thread_,
                       .process = process_,
                       .depth = uses(kDepth) ? chunk.depth[row] : 0,
                       .exit = uses(kExit) ? chunk.exit[row] : uint8_t{0},
                       .outermost = uses(kOutermost) ? chunk.outermost[row] : uint8_t{0},
                       .measures = {}});
    return static_cast<uint32_t>(groups_.size() - 1);
  }
  bool addMeasure(size_t measure, std::span<const uint64_t> values) {
    bool isTooLarge = false;
    const bool mayBeUnknown = measure >= 3;
    for (size_t row = 0; row < values.size(); ++row) {
      const uint64_t value = values[row];
      if (mayBeUnknown && value == kUnknown)
        continue;
      Measure &sum = groups_[numbers_[row]].measures[measure];
      isTooLarge |= __builtin_add_overflow(sum.sum, static_cast<int64_t>(value), &sum.sum);
      sum.min = std::min(sum.min, value), sum.max = std::max(sum.max, value);
      ++sum.count;
    }
    return !isTooLarge;
  }

  struct MoreHash {
    size_t operator()(const std::pair<uint64_t, uint64_t> &key) const {
      return (key.first * 8 + key.second) * 0x9E3779B97F4A7C15;
    }
  };
  uint64_t used_;
  std::vector<Group> &groups_;
  std::vector<size_t> measures_; // that are used
  bool hasFunction_ = false, hasMore_ = false, hasBegun_ = false;
  uint32_t thread_ = 0, process_ = 0;
  std::vector<uint32_t> numbers_;    // of groups, by row
  std::vector<uint32_t> byFunction_; // of the current thread's groups
  std::unordered_map<std::pair<uint64_t, uint64_t>, uint32_t, MoreHash> byMore_;
};

int filter(sqlite3_vtab_cursor *given, int number, const char *, int, sqlite3_value **values) {
  GroupCursor &cursor = cursorOf(given);
  cursor.groups.clear();
  cursor.row = 0;
  const TablePlan &plan = vtabOf(given->pVtab).plans[static_cast<size_t>(number)];
  auto conditions = spanConditions(cursor.trace, plan, values, nameOfColumn);
  if (!conditions)
    return failTable(*given->pVtab, conditions.error().text());
  if (!*conditions)
    return SQLITE_OK;
  if (!(*conditions)->isExact)
    return failTable(*given->pVtab, kCantGroup);
  Adder adder(plan, cursor.groups);
  SpanRequest &request = (*conditions)->request;
  request.columns = adder.columns();
  request.stop = &cursor.trace.interrupt;
  bool isGood = true;
  const auto done = SpanRead(cursor.trace.trace(), request, [&](const SpanChunk &chunk) {
                      isGood = adder.add(chunk);
                      return isGood;
                    }).run();
  if (cursor.trace.interrupt)
    return SQLITE_INTERRUPT;
  if (!done)
    return failTable(*given->pVtab, done.error().text());
  return isGood ? SQLITE_OK : failTable(*given->pVtab, "integer overflow");
}

int column(sqlite3_vtab_cursor *given, sqlite3_context *context, int number) {
  GroupCursor &cursor = cursorOf(given);
  const Group &group = cursor.groups[cursor.row];
  const auto setNumber = [&](uint64_t value) { sqlite3_result_int64(context, static_cast<sqlite3_int64>(value)); };
  if (number >= kConditions) {
    sqlite3_result_error(context, kCantGroup, -1);
    return SQLITE_OK;
  }
  if (number >= kMeasures) {
    const Measure &measure = group.measures[static_cast<size_t>(number - kMeasures) / 4];
    const int what = (number - kMeasures) % 4;
    if (what == 3)
      setNumber(measure.count);
    else if (measure.count > 0)
      setNumber(what == 0 ? static_cast<uint64_t>(measure.sum) : what == 1 ? measure.min : measure.max);
    return SQLITE_OK;
  }
  switch (number) {
  case kName: {
    const std::string &name = cursor.trace.nameOf(group.function);
    sqlite3_result_text64(context, name.data(), name.size(), SQLITE_STATIC, SQLITE_UTF8);
    break;
  }
  case kFunction:
    setNumber(group.function);
    break;
  case kThread:
    setNumber(group.thread);
    break;
  case kProcess:
    setNumber(group.process);
    break;
  case kDepth:
    setNumber(group.depth);
    break;
  case kExit:
    sqlite3_result_text(context, spanEndName(static_cast<SpanEnd>(group.exit)).data(), -1, SQLITE_STATIC);
    break;
  case kOutermost:
    setNumber(group.outermost);
    break;
  default:
    setNumber(group.count);
  }
  return SQLITE_OK;
}

} // namespace
} // namespace group_module

const sqlite3_module kGroupModule = [] {
  sqlite3_module module = {};
  module.iVersion = 1;
  module.xCreate = group_module::connect;
  module.xConnect = group_module::connect;
  module.xBestIndex = group_module::bestIndex;
  module.xDisconnect = group_module::disconnect;
  module.xDestroy = group_module::disconnect;
  module.xOpen = [](sqlite3_vtab *vtab, sqlite3_vtab_cursor **made) {
    *made = new group_module::GroupCursor(group_module::vtabOf(vtab).trace);
    return SQLITE_OK;
  };
  module.xClose = [](sqlite3_vtab_cursor *cursor) {
    delete &group_module::cursorOf(cursor);
    return SQLITE_OK;
  };
  module.xFilter = group_module::filter;
  module.xNext = [](sqlite3_vtab_cursor *cursor) {
    ++group_module::cursorOf(cursor).row;
    return SQLITE_OK;
  };
  module.xEof = [](sqlite3_vtab_cursor *cursor) {
    const auto &groups = group_module::cursorOf(cursor);
    return groups.row >= groups.groups.size() ? 1 : 0;
  };
  module.xColumn = group_module::column;
  module.xRowid = [](sqlite3_vtab_cursor *cursor, sqlite3_int64 *id) {
    *id = static_cast<sqlite3_int64>(group_module::cursorOf(cursor).row);
    return SQLITE_OK;
  };
  return module;
}();

} // namespace ada::query
