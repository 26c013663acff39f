// Conditions of SQL on calls, as a request for calls.
#include "modules.h"

#include "trace/base/try.h"

#include <algorithm>

namespace ada::query {

Push pushOfSpans(std::string_view column) {
  if (column == "id" || column == "ts" || column == "dur" || column == "depth")
    return Push::Range;
  if (column == "thread" || column == "process" || column == "function_id")
    return Push::Set;
  return column == "name" ? Push::Names : column == "parent_id" ? Push::One : Push::No;
}

namespace {

// The numbers that a condition allows; nothing if it can't be used.
std::optional<std::vector<uint32_t>> numbersOf(const UsedConstraint &constraint, sqlite3_value *value) {
  std::vector<uint32_t> numbers;
  bool isExact = true;
  const auto add = [&](sqlite3_value *one) {
    NumberRange range;
    isExact &= range.restrict(SQLITE_INDEX_CONSTRAINT_EQ, one);
    if (range.min == range.max && range.max <= ~uint32_t{0})
      numbers.push_back(static_cast<uint32_t>(range.min));
  };
  if (!forEachValue(constraint, value, add) || !isExact)
    return std::nullopt;
  return numbers;
}

void restrict(std::optional<std::vector<uint32_t>> &list, std::vector<uint32_t> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (list)
    std::erase_if(numbers, [&](uint32_t number) { return std::ranges::find(*list, number) == list->end(); });
  list = std::move(numbers);
}

// Threads of some processes.
std::vector<uint32_t> threadsOf(AttachedTrace &trace, const std::vector<uint32_t> &processes) {
  std::vector<uint32_t> threads;
  for (const model::Thread &thread : trace.trace().table().threads)
    if (std::ranges::find(processes, thread.process) != processes.end())
      threads.push_back(thread.index);
  return threads;
}

std::vector<uint32_t> functionsNamed(AttachedTrace &trace, const UsedConstraint &constraint, sqlite3_value *value) {
  std::vector<uint32_t> functions;
  const size_t all = trace.trace().functionCount();
  forEachValue(constraint, value, [&](sqlite3_value *one) {
    for (uint32_t number = 0; number < all; ++number)
      if (matchesName(constraint, trace.nameOf(number), one))
        functions.push_back(number);
  });
  return functions;
}

// Children of a call. False if there is no such call.
Expected<bool> restrictToChildren(AttachedTrace &trace, uint64_t id, SpanRequest &request) {
  const KeptSpan *parent = ADA_TRY(trace.find(id));
  if (!parent)
    return false;
  request.minTs = std::max(request.minTs, parent->ts);
  request.maxTs = std::min(request.maxTs, parent->ts + parent->dur);
  request.minDepth = std::max(request.minDepth, parent->depth + 1);
  request.maxDepth = std::min(request.maxDepth, parent->depth + 1);
  restrict(request.threads, {parent->thread});
  return true;
}

} // namespace

Expected<std::optional<SpanConditions>> spanConditions(AttachedTrace &trace, const TablePlan &plan,
                                                       sqlite3_value **values,
                                                       const std::function<const char *(int)> &nameOf) {
  SpanConditions all;
  SpanRequest &request = all.request;
  NumberRange ts, dur, depth, id, parent;
  for (size_t i = 0; i < plan.constraints.size(); ++i) {
    const UsedConstraint &constraint = plan.constraints[i];
    const std::string_view column = nameOf(constraint.column);
    NumberRange *const range = column == "ts"          ? &ts
                               : column == "dur"       ? &dur
                               : column == "depth"     ? &depth
                               : column == "id"        ? &id
                               : column == "parent_id" ? &parent
                                                       : nullptr;
    if (range) {
      all.isExact &= range->restrict(constraint.op, values[i]);
      if (range->isEmpty())
        return std::optional<SpanConditions>();
    } else if (column == "name") {
      restrict(request.functions, functionsNamed(trace, constraint, values[i]));
    } else if (auto numbers = numbersOf(constraint, values[i])) {
      if (column == "process")
        restrict(request.threads, threadsOf(trace, *numbers));
      else
        restrict(column == "thread" ? request.threads : request.functions, *std::move(numbers));
    } else {
      all.isExact = false;
    }
  }
  request.minTs = ts.min, request.maxTs = ts.max;
  request.minDur = dur.min, request.maxDur = dur.max;
  request.minId = id.min, request.maxId = id.max;
  request.minDepth = static_cast<uint32_t>(std::min<uint64_t>(depth.min, ~uint32_t{0}));
  request.maxDepth = static_cast<uint32_t>(std::min<uint64_t>(depth.max, ~uint32_t{0}));
  if (parent.min == parent.max && !ADA_TRY(restrictToChildren(trace, parent.min, request)))
    return std::optional<SpanConditions>();
  if ((request.functions && request.functions->empty()) || (request.threads && request.threads->empty()))
    return std::optional<SpanConditions>();
  return std::optional(std::move(all));
}

} // namespace ada::query
