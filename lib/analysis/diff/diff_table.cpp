// The columns of a comparison of runs.
#include "diff_table.h"

#include "base/format.h"

#include <cmath>

namespace ada::analysis {

std::string changeText(const DiffPair &pair) {
  const double change = pair.change();
  return std::isinf(change)                      ? "new"
         : pair.meanB() == 0 && pair.meanA() > 0 ? "gone"
                                                 : fmt::format("{:+.1f} %", 100 * change);
}

std::string pathText(const DiffLine &line) {
  constexpr size_t kMost = 6;
  const std::vector<uint32_t> &callers = line.row->callers;
  const size_t first = callers.size() > kMost ? callers.size() - kMost : 0;
  std::string text = first ? "... > " : "";
  for (size_t i = first; i < callers.size(); ++i)
    text += line.all->name(line.all->diff.functions[callers[i]]) + " > ";
  return text + line.all->name(*line.row->function);
}

namespace {

constexpr Facts kByPath = 1, kByFunction = 2;

template <DiffValue kValue> Value meanA(const DiffLine &line) {
  return static_cast<uint64_t>(std::llround((*line.row)[kValue].meanA()));
}
template <DiffValue kValue> Value meanB(const DiffLine &line) {
  return static_cast<uint64_t>(std::llround((*line.row)[kValue].meanB()));
}
template <DiffValue kValue> Value change(const DiffLine &line) { return changeText((*line.row)[kValue]); }

Value callersOf(const DiffLine &line) {
  std::vector<std::string> names;
  for (const uint32_t caller : line.row->callers)
    names.push_back(line.all->name(line.all->diff.functions[caller]));
  return jsonTexts(names);
}

Value significantValues(const DiffLine &line) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kDiffValues; ++i)
    if (line.row->values[i].isSignificant)
      names.emplace_back(kDiffNames[i]);
  return jsonTexts(names);
}

constexpr ColumnInfo kChange = {.key = "self_change",
                                .heading = "change",
                                .csv = kNever,
                                .json = kNever,
                                .look = Look::Verdict,
                                .isRight = true,
                                .width = 9,
                                .order = 2};
constexpr ColumnInfo changeOf(ColumnInfo column, const char *key, uint8_t order, uint8_t drop) {
  column.key = key;
  column.order = order;
  column.drop = drop;
  return column;
}
constexpr ColumnInfo figure(const char *key, const char *heading, Holds holds, const char *help, uint8_t order,
                            uint8_t drop) {
  return {.key = key, .heading = heading, .holds = holds, .help = help, .width = 11, .order = order, .drop = drop};
}
constexpr ColumnInfo percentile(const char *key, const char *help) {
  return {.key = key, .holds = Holds::Duration, .help = help, .needs = kByFunction};
}

constexpr Column<DiffLine> kDiff[] = {
    {kFunction, [](const DiffLine &line) -> Value { return line.all->name(*line.row->function); }, pathText},
    {kSource, [](const DiffLine &line) -> Value { return sourceOf(*line.row->function); }},
    {{.key = "callers",
      .holds = Holds::Texts,
      .help = "only with `--by=path`: the functions around it, the outermost first; there are no `p50_ns` and `p99_ns` "
              "then",
      .needs = kByPath},
     callersOf},
    {figure("calls_a", "calls a", Holds::Count, "calls before and after; 0 if the function does not occur", 6, 5),
     meanA<DiffValue::Calls>},
    {figure("calls_b", "calls b", Holds::Count, "", 7, 5), meanB<DiffValue::Calls>},
    {figure("total_ns_a", "total a", Holds::Duration, "like `total_ns` of `report`", 3, 4), meanA<DiffValue::Total>},
    {figure("total_ns_b", "total b", Holds::Duration, "", 4, 4), meanB<DiffValue::Total>},
    {figure("self_ns_a", "self a", Holds::Duration, "like `self_ns` of `report`", 0, 0), meanA<DiffValue::Self>},
    {figure("self_ns_b", "self b", Holds::Duration, "", 1, 0), meanB<DiffValue::Self>},
    {percentile("p50_ns_a", "only with `--by=function`, which is the default: as in `report`"), meanA<DiffValue::P50>},
    {percentile("p50_ns_b", ""), meanB<DiffValue::P50>},
    {percentile("p99_ns_a", ""), meanA<DiffValue::P99>},
    {percentile("p99_ns_b", ""), meanB<DiffValue::P99>},
    {{.key = "significant", .holds = Holds::Flag, .help = "calls, total or self changed by more than noise"},
     [](const DiffLine &line) -> Value { return line.row->isSignificant(); }},
    {{.key = "significant_values",
      .holds = Holds::Texts,
      .help = "which of `calls`, `total`, `self`, `p50` and `p99` changed by more than noise",
      .csv = kNever},
     significantValues},
    {kChange, change<DiffValue::Self>},
    {changeOf(kChange, "total_change", 5, 6), change<DiffValue::Total>},
    {{.key = "p99_change",
      .heading = "p99",
      .needs = kByFunction,
      .text = kTextOnly,
      .csv = kNever,
      .json = kNever,
      .isRight = true,
      .width = 9,
      .order = 8,
      .drop = 2},
     change<DiffValue::P99>},
    {{.key = "chance",
      .heading = "chance",
      .text = kTextOnly,
      .csv = kNever,
      .json = kNever,
      .isRight = true,
      .width = 9,
      .order = 8,
      .drop = 1},
     [](const DiffLine &line) -> Value {
       const double p = (*line.row)[DiffValue::Self].p;
       return p < 1 ? fmt::format("{:.2g}", p) : "-";
     }},
    {{.key = "beyond_noise",
      .heading = "beyond noise",
      .text = kMarkdownOnly,
      .csv = kNever,
      .json = kNever,
      .order = 8},
     [](const DiffLine &line) -> Value {
       return line.row->isByMedian        ? "p50 " + changeText((*line.row)[DiffValue::P50])
              : line.row->isSignificant() ? "yes"
                                          : "no";
     }},
};

} // namespace

Columns<DiffLine> diffColumns() { return kDiff; }
Facts diffFacts(bool byPath) { return byPath ? kByPath : kByFunction; }

} // namespace ada::analysis
