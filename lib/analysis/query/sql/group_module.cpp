// The hidden virtual table `span_groups`: sums of calls, for queries that group_rewrite.h changes.
//
// Its columns are the keys of spans, the sums, and all other columns of spans, which are for conditions only. Its
// arguments are hidden columns, as SQLite has it for functions that return tables.
#include "module_of.h"

#include "group_rewrite.h"

#include "shared/wide.h"
#include "trace/base/try.h"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace ada::query {

namespace group_module {
namespace {

enum Key : int { kName, kFunction, kThread, kProcess, kDepth, kExit, kOutermost, kKeys };
static_assert(kGroupKeys.size() == kKeys);
constexpr int kParts = kKeys; // columns divided by the arguments, after the keys
constexpr int kCount = kParts + static_cast<int>(kGroupParts.size()); // `ada_n`
constexpr std::array<const char *, 5> kWhats = {"sum", "min", "max", "n", "total"};
constexpr int kEach = static_cast<int>(kWhats.size());
constexpr int kMeasures = kCount + 1;                                               // kWhats for each
constexpr int kSteps = kMeasures + kEach * static_cast<int>(kGroupMeasures.size()); // the arguments
constexpr int kConditions = kSteps + static_cast<int>(kGroupParts.size());
constexpr std::array<const char *, 13> kConditionNames = {
    "id",       "parent_id",     "ts",        "dur",    "self",  "on_cpu", "waiting", "preempted",
    "recorder", "self_recorder", "arguments", "result", "values"};

// A query with more groups is run as it was written, so that memory is bounded.
constexpr size_t kMaxGroups = size_t{1} << 19;
using Steps = std::array<uint64_t, kGroupParts.size()>; // 0: not a key

const char *nameOfColumn(int column) {
  if (column < kKeys)
    return kGroupKeys[static_cast<size_t>(column)];
  if (column >= kSteps && column < kConditions)
    return "step";
  return column < kConditions ? "" : kConditionNames[static_cast<size_t>(column - kConditions)];
}

struct Measure {
  Wide sum = 0; // of moments, more than 64 bits
  uint64_t min = ~uint64_t{0}, max = 0, count = 0;
};

struct Group {
  uint32_t function = 0, thread = 0, process = 0, depth = 0;
  uint8_t exit = 0, outermost = 0;
  std::array<uint64_t, kGroupParts.size()> parts = {};
  uint64_t count = 0;
  std::array<Measure, kGroupMeasures.size()> measures = {};
};

struct GroupVtab : TraceVtab {
  using TraceVtab::TraceVtab;
  static int connect(sqlite3 *database, void *traces, int, const char *const *argv, sqlite3_vtab **made,
                     char **message);
  int bestIndex(sqlite3_index_info &info);
};

struct GroupCursor : sqlite3_vtab_cursor {
  explicit GroupCursor(GroupVtab &table) : sqlite3_vtab_cursor{}, trace(table.trace) {}
  AttachedTrace &trace;
  std::vector<Group> groups;
  Steps steps = {};
  size_t row = 0;

  int filter(const TablePlan &plan, sqlite3_value **values);
  int next() {
    ++row;
    return SQLITE_OK;
  }
  bool isAtEnd() const { return row >= groups.size(); }
  int column(sqlite3_context *context, int number) const;
  sqlite3_int64 rowId() const { return static_cast<sqlite3_int64>(row); }
};

std::string declaration() {
  std::string text = "CREATE TABLE x (";
  for (const char *name : kGroupKeys)
    text += std::string(name) +
            (std::string_view(name) == "name" || std::string_view(name) == "exit" ? " TEXT, " : " INTEGER, ");
  for (const char *name : kGroupParts)
    text += "ada_" + std::string(name) + "_part INTEGER, ";
  text += "ada_n INTEGER";
  for (const char *name : kGroupMeasures)
    for (const char *what : kWhats)
      text += std::string(", ada_") + name + "_" + what + (what == kWhats.back() ? " REAL" : " INTEGER");
  for (const char *name : kGroupParts)
    text += std::string(", ada_") + name + "_step INTEGER HIDDEN";
  for (const char *name : kConditionNames)
    text += std::string(", \"") + name + "\"" +
            (name[0] == 'a' || std::string_view(name) == "result" || std::string_view(name) == "values"
                 ? " TEXT HIDDEN"
                 : " INTEGER HIDDEN");
  return text + ")";
}

int GroupVtab::connect(sqlite3 *database, void *traces, int, const char *const *argv, sqlite3_vtab **made,
                       char **message) {
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

// Conditions on keys are tested again by SQLite. Those on other columns must be met here: their columns have no values.
int GroupVtab::bestIndex(sqlite3_index_info &info) {
  TablePlan plan = planOf(
      info,
      [](int column) {
        if (column >= kSteps && column < kConditions)
          return Push::One;
        const Push push = pushOfSpans(nameOfColumn(column));
        return column >= kKeys && push != Push::Range ? Push::No : push;
      },
      nameOfColumn, true);
  plan.text = (plan.text.empty() ? "all calls" : plan.text) + "; adds up by";
  for (int key = 0; key < kKeys; ++key)
    if (plan.used >> key & 1)
      plan.text += std::string(" ") + nameOfColumn(key);
  for (size_t part = 0; part < kGroupParts.size(); ++part)
    if (plan.used >> (kParts + part) & 1)
      plan.text += std::string(" ") + kGroupParts[part] + "/?";
  info.estimatedRows = 1000;
  info.estimatedCost = 1e6;
  return offer(info, std::move(plan));
}

// Adds up chunks of calls.
class Adder {
public:
  Adder(const TablePlan &plan, const Steps &steps, std::vector<Group> &groups)
      : used_(plan.used), steps_(steps), groups_(groups) {
    for (size_t i = 0; i < kGroupMeasures.size(); ++i)
      if (plan.used >> (kMeasures + kEach * i) & ((1U << kEach) - 1))
        measures_.push_back(i);
    hasFunction_ = uses(kName) || uses(kFunction);
    hasMore_ = uses(kDepth) || uses(kExit) || uses(kOutermost) || steps_ != Steps();
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
      columns.add(*spanColumn(kGroupMeasures[measure]));
    for (size_t part = 0; part < steps_.size(); ++part)
      if (steps_[part] > 0)
        columns.add(*spanColumn(kGroupParts[part]));
    return columns;
  }

  /// All calls of a chunk are of one thread. False if hasTooMany().
  bool add(const SpanChunk &chunk) {
    beginThread(chunk.thread[0], chunk.process[0]);
    numbers_.resize(chunk.rows);
    columns_ = {chunk.ts, chunk.dur, chunk.self};
    for (size_t row = 0; row < chunk.rows; ++row)
      numbers_[row] = groupOf(chunk, row);
    if (hasTooMany())
      return false;
    for (size_t row = 0; row < chunk.rows; ++row)
      ++groups_[numbers_[row]].count;
    for (const size_t measure : measures_)
      addMeasure(measure, valuesOf(chunk, measure));
    return true;
  }
  bool hasTooMany() const { return groups_.size() > kMaxGroups; }

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
    More more{uint64_t{function} << 32 | depth,
              (uses(kExit) ? chunk.exit[row] : 0U) << 1 | (uses(kOutermost) ? chunk.outermost[row] : 0U)};
    for (size_t part = 0; part < steps_.size(); ++part)
      if (steps_[part] > 0)
        more[2 + part] = columns_[part][row] / steps_[part];
    const auto [at, isNew] = byMore_.try_emplace(more, kNone);
    if (isNew) {
      at->second = newGroup(chunk, row, function);
      std::copy(more.begin() + 2, more.end(), groups_.back().parts.begin());
    }
    return at->second;
  }
  uint32_t newGroup(const SpanChunk &chunk, size_t row, uint32_t function) {
    groups_.push_back({.function = function,
                       .thread = thread_,
                       .process = process_,
                       .depth = uses(kDepth) ? chunk.depth[row] : 0,
                       .exit = uses(kExit) ? chunk.exit[row] : uint8_t{0},
                       .outermost = uses(kOutermost) ? chunk.outermost[row] : uint8_t{0}});
    return static_cast<uint32_t>(groups_.size() - 1);
  }
  void addMeasure(size_t measure, std::span<const uint64_t> values) {
    const bool mayBeUnknown = measure >= 3;
    for (size_t row = 0; row < values.size(); ++row) {
      const uint64_t value = values[row];
      if (mayBeUnknown && value == kUnknown)
        continue;
      Measure &sum = groups_[numbers_[row]].measures[measure];
      sum.sum += value;
      sum.min = std::min(sum.min, value), sum.max = std::max(sum.max, value);
      ++sum.count;
    }
  }

  using More = std::array<uint64_t, 2 + kGroupParts.size()>; // the keys but threads and processes
  struct MoreHash {
    size_t operator()(const More &keys) const {
      uint64_t hash = 0;
      for (const uint64_t key : keys)
        hash = (std::rotl(hash, 29) ^ key) * 0x9E3779B97F4A7C15;
      return hash >> 7;
    }
  };
  uint64_t used_;
  Steps steps_;
  std::vector<Group> &groups_;
  std::array<std::span<const uint64_t>, kGroupParts.size()> columns_ = {};
  std::vector<size_t> measures_; // that are used
  bool hasFunction_ = false, hasMore_ = false, hasBegun_ = false;
  uint32_t thread_ = 0, process_ = 0;
  std::vector<uint32_t> numbers_;    // of groups, by row
  std::vector<uint32_t> byFunction_; // of the current thread's groups
  std::unordered_map<More, uint32_t, MoreHash> byMore_;
};

int GroupCursor::filter(const TablePlan &plan, sqlite3_value **values) {
  groups.clear();
  row = 0;
  steps = {};
  // The arguments are not conditions on calls.
  TablePlan conditionsOf{.used = plan.used, .constraints = {}, .text = {}};
  std::vector<sqlite3_value *> compared;
  for (size_t i = 0; i < plan.constraints.size(); ++i) {
    const UsedConstraint &used = plan.constraints[i];
    if (used.column >= kSteps && used.column < kConditions) {
      steps[static_cast<size_t>(used.column - kSteps)] = static_cast<uint64_t>(sqlite3_value_int64(values[i]));
    } else {
      conditionsOf.constraints.push_back(used);
      compared.push_back(values[i]);
    }
  }
  auto conditions = spanConditions(trace, conditionsOf, compared.data(), nameOfColumn);
  if (trace.interrupt)
    return SQLITE_INTERRUPT;
  if (!conditions)
    return failTable(*pVtab, conditions.error().text());
  if (!*conditions)
    return SQLITE_OK;
  if (!(*conditions)->isExact)
    return failTable(*pVtab, kCantGroup);
  Adder adder(plan, steps, groups);
  SpanRequest &request = (*conditions)->request;
  request.columns = adder.columns();
  request.stop = &trace.interrupt;
  const auto done = SpanRead(trace.trace(), request, [&](const SpanChunk &chunk) { return adder.add(chunk); }).run();
  if (trace.interrupt)
    return SQLITE_INTERRUPT;
  if (!done)
    return failTable(*pVtab, done.error().text());
  return adder.hasTooMany() ? failTable(*pVtab, kCantGroup) : SQLITE_OK;
}

int GroupCursor::column(sqlite3_context *context, int number) const {
  const Group &group = groups[row];
  const auto setNumber = [&](uint64_t value) { sqlite3_result_int64(context, static_cast<sqlite3_int64>(value)); };
  if (number >= kConditions) {
    sqlite3_result_error(context, kCantGroup, -1);
    return SQLITE_OK;
  }
  if (number >= kSteps) {
    setNumber(steps[static_cast<size_t>(number - kSteps)]);
    return SQLITE_OK;
  }
  if (number >= kParts && number < kCount) {
    setNumber(group.parts[static_cast<size_t>(number - kParts)]);
    return SQLITE_OK;
  }
  if (number >= kMeasures) {
    const Measure &measure = group.measures[static_cast<size_t>((number - kMeasures) / kEach)];
    const std::string_view what = kWhats[static_cast<size_t>((number - kMeasures) % kEach)];
    constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    if (what == "n")
      setNumber(measure.count);
    else if (measure.count == 0)
      sqlite3_result_null(context);
    else if (what == "total")
      sqlite3_result_double(context, static_cast<double>(measure.sum));
    else if (what == "sum" && measure.sum > kMax)
      sqlite3_result_error(context, "integer overflow", -1); // as SQLite has it
    else
      setNumber(what == "sum" ? static_cast<uint64_t>(measure.sum) : what == "min" ? measure.min : measure.max);
    return SQLITE_OK;
  }
  switch (number) {
  case kName: {
    const std::string &name = trace.nameOf(group.function);
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

const sqlite3_module kGroupModule = moduleOf<group_module::GroupVtab, group_module::GroupCursor>();

} // namespace ada::query
