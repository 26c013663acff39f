// Chooses the functions, and reads their calls again if only some were kept.
#include "outlier_question.h"

#include "function_times.h"
#include "trace/base/try.h"
#include "trace/names.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ada::analysis {

Expected<std::vector<TailRow>> readTails(const Trace &trace, uint64_t fromNs, uint64_t toNs, Damage &damage) {
  const TimesWanted wanted{.globs = {"*"}, .names = {}, .fromNs = fromNs, .toNs = toNs, .mostComplete = 0};
  const ReadTimes read = ADA_TRY(readTimes(trace, wanted, damage));
  std::vector<TailRow> rows;
  for (const FunctionTimes &function : read.functions) {
    const CallTimes times = function.all();
    const uint64_t calls = times.count();
    if (calls < 2)
      continue;
    TailRow tail;
    tail.function = shortName(function.function);
    tail.calls = calls, tail.medianNs = times.at((calls - 1) / 2), tail.p99Ns = times.at((calls * 99 - 1) / 100);
    tail.maxNs = function.longestNs, tail.aboveMedianNs = times.aboveMedianNs();
    rows.push_back(std::move(tail));
  }
  std::ranges::stable_sort(rows, std::greater(), &TailRow::aboveMedianNs);
  return rows;
}

Expected<OutlierAnswers> askOutliers(const Trace &trace, const OutlierQuestion &question, Damage &damage) {
  TimesWanted wanted{.globs = question.globs,
                     .names = {},
                     .fromNs = question.fromNs,
                     .toNs = question.toNs,
                     .longerThanNs = question.slowest.longerThanNs};
  ReadTimes times = ADA_TRY(readTimes(trace, wanted, damage));
  std::vector<FunctionTimes> &functions = times.functions;
  OutlierAnswers answers;
  answers.functions = functions.size();
  std::vector<std::pair<uint64_t, size_t>> order; // by the time above the median
  for (size_t i = 0; i < functions.size(); ++i)
    order.emplace_back(functions[i].all().aboveMedianNs(), i);
  std::ranges::stable_sort(order, std::greater(), [](const auto &of) { return of.first; });
  order.resize(std::min(order.size(), question.mostFunctions));
  if (std::ranges::any_of(order, [&](const auto &of) { return !functions[of.second].isComplete; })) {
    for (const auto &of : order)
      wanted.names.push_back(functions[of.second].function);
    wanted.mostComplete = wanted.names.size();
    Damage again; // reported already
    times = ADA_TRY(readTimes(trace, wanted, again));
    for (size_t i = 0; i < order.size(); ++i)
      order[i].second = static_cast<size_t>(std::ranges::find(functions, wanted.names[i], &FunctionTimes::function) -
                                            functions.begin());
  }
  for (const auto &[above, at] : order)
    answers.found.push_back(
        ADA_TRY(findOutliers(trace.source, trace.table, times, functions[at], question.slowest, damage)));
  return answers;
}

} // namespace ada::analysis
