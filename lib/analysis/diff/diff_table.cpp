// The columns of a comparison of runs.
#include "diff_table.h"

#include "trace/base/format.h"

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

constexpr ColumnInfo kChange = ColumnInfo{"self_change"} | kForPeople | inText("change", 9, 2) | kRight | Look::Verdict;
constexpr ColumnInfo changeOf(ColumnInfo column, const char *key, uint8_t order, uint8_t drop) {
  column.key = key;
  column.order = order;
  column.drop = drop;
  return column;
}
constexpr ColumnInfo figure(const char *key, const char *heading, Holds holds, const char *help, uint8_t order,
                            uint8_t drop) {
  return ColumnInfo{key, holds, help} | inText(heading, 11, order, drop);
}
constexpr ColumnInfo percentile(const char *key, const char *help) {
  return ColumnInfo{key, Holds::Duration, help} | needs(kByFunction);
}

constexpr Column<DiffLine> kDiff[] = {
    {kFunction, [](const DiffLine &line) -> Value { return line.all->name(*line.row->function); }, pathText},
    {kSource, [](const DiffLine &line) -> Value { return sourceOf(*line.row->function); }},
    {ColumnInfo{"callers", Holds::Texts,
                "only with `--by=path`: the functions around it, the outermost first; there are no `p50_ns` and "
                "`p99_ns` then"} |
         needs(kByPath),
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
    {ColumnInfo{"significant", Holds::Flag, "calls, total or self changed by more than noise"},
     [](const DiffLine &line) -> Value { return line.row->isSignificant(); }},
    {ColumnInfo{"significant_values", Holds::Texts,
                "which of `calls`, `total`, `self`, `p50` and `p99` changed by more than noise"} |
         kNotInCsv,
     significantValues},
    {kChange, change<DiffValue::Self>},
    {changeOf(kChange, "total_change", 5, 6), change<DiffValue::Total>},
    {ColumnInfo{"p99_change"} | needs(kByFunction) | kForPeople | inText("p99", 9, 8, 2) | textNeeds(kTextOnly) |
         kRight,
     change<DiffValue::P99>},
    {ColumnInfo{"chance"} | kForPeople | inText("chance", 9, 8, 1) | textNeeds(kTextOnly) | kRight,
     [](const DiffLine &line) -> Value {
       const double p = (*line.row)[DiffValue::Self].p;
       return p < 1 ? fmt::format("{:.2g}", p) : "-";
     }},
    {ColumnInfo{"beyond_noise"} | kForPeople | inText("beyond noise", 0, 8) | textNeeds(kMarkdownOnly),
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
