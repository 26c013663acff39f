// The columns of a comparison of runs.
#include "diff_table.h"

#include "trace/base/format.h"

#include <cmath>

namespace ada::analysis {

std::string changeText(const DiffPair &pair) {
  const double change = pair.change();
  return std::isinf(change)                      ? "new"
         : pair.meanB() == 0 && pair.meanA() > 0 ? "gone"
         : change >= 9                           ? fmt::format("×{:.3g}", 1 + change)
                                                 : fmt::format("{:+.1f} %", 100 * change);
}

std::string changedText(const DiffRow &row) {
  return fmt::format("{} {}", nameOf(row.changed), changeText(row[row.changed]));
}

std::string pathText(const DiffLine &line) {
  constexpr size_t kMax = 6;
  const std::vector<uint32_t> &callers = line.row->callers;
  const size_t first = callers.size() > kMax ? callers.size() - kMax : 0;
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
template <DiffValue kValue> Value ifKnown(bool isKnown, const DiffLine &line, bool isB) {
  if (!isKnown)
    return {};
  return isB ? meanB<kValue>(line) : meanA<kValue>(line);
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
    if (line.row->values[i].verdict != Verdict::NotShown)
      names.emplace_back(kDiffNames[i]);
  return jsonTexts(names);
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
    {figure("calls_a", "calls before", Holds::Count,
            "calls before (`_a`) and after (`_b`); 0 if the function does not occur", 6, 5),
     meanA<DiffValue::Calls>},
    {figure("calls_b", "calls after", Holds::Count, "", 7, 5), meanB<DiffValue::Calls>},
    {figure("total_ns_a", "total before", Holds::Duration, "like `total_ns` of `report`", 4, 4),
     meanA<DiffValue::Total>},
    {figure("total_ns_b", "total after", Holds::Duration, "", 4, 4), meanB<DiffValue::Total>},
    {figure("self_ns_a", "self before", Holds::Duration,
            "like `self_ns` of `report`, without `self_preempted_ns` if all runs know that", 2, 0),
     meanA<DiffValue::Self>},
    {figure("self_ns_b", "self after", Holds::Duration, "", 3, 0), meanB<DiffValue::Self>},
    {percentile("p50_ns_a", "only with `--by=function`, which is the default: as in `report`"), meanA<DiffValue::P50>},
    {percentile("p50_ns_b", ""), meanB<DiffValue::P50>},
    {percentile("p99_ns_a", ""), meanA<DiffValue::P99>},
    {percentile("p99_ns_b", ""), meanB<DiffValue::P99>},
    {percentile("on_cpu_self_ns_a",
                "only with `--by=function`: like `on_cpu_self_ns` of `report`; `null` if a run does not know it") |
         kOrNull,
     [](const DiffLine &line) { return ifKnown<DiffValue::OnCpu>(line.row->knowsOnCpu, line, false); }},
    {percentile("on_cpu_self_ns_b", "") | kOrNull,
     [](const DiffLine &line) { return ifKnown<DiffValue::OnCpu>(line.row->knowsOnCpu, line, true); }},
    {percentile("self_p50_ns_a",
                "only with `--by=function`: the median of the calls' self times, without preemption if all runs know "
                "that; `null` if some know it and others don't, or in a database") |
         kOrNull,
     [](const DiffLine &line) { return ifKnown<DiffValue::SelfP50>(line.row->knowsSelfP50, line, false); }},
    {percentile("self_p50_ns_b", "") | kOrNull,
     [](const DiffLine &line) { return ifKnown<DiffValue::SelfP50>(line.row->knowsSelfP50, line, true); }},
    {ColumnInfo{
         "verdict", Holds::Text,
         "`certain`, `likely`, or `not shown`: whether the function changed by more than chance, in what it does "
         "itself"} |
         inText("verdict", 9, 0) | Look::Verdict,
     [](const DiffLine &line) -> Value { return std::string(verdictName(line.row->verdict)); }},
    {ColumnInfo{
         "changed", Holds::Text,
         "what the verdict is about: `calls`, `self`, `on-CPU`, `self p50` or `p50`; `null` if nothing is shown"} |
         kOrNull,
     [](const DiffLine &line) -> Value { return line.row->isShown() ? Value(nameOf(line.row->changed)) : Value(); }},
    {ColumnInfo{"significant", Holds::Flag, "the verdict is `certain` or `likely`"},
     [](const DiffLine &line) -> Value { return line.row->isShown(); }},
    {ColumnInfo{"significant_values", Holds::Texts,
                "which of `calls`, `total`, `self`, `p50`, `p99`, `on-CPU` and `self p50` are known to have changed, "
                "certainly or likely"} |
         kNotInCsv,
     significantValues},
    {ColumnInfo{"change"} | kForPeople | inText("change", 9, 1) | kRight | Look::Verdict,
     [](const DiffLine &line) -> Value { return changedText(*line.row); }},
    {ColumnInfo{"total_change"} | kForPeople | inText("total change", 9, 5, 6) | kRight, change<DiffValue::Total>},
    {ColumnInfo{"p99_change"} | needs(kByFunction) | kForPeople | inText("p99", 9, 8, 2) | textNeeds(kTextOnly) |
         kRight,
     change<DiffValue::P99>},
    {ColumnInfo{"chance"} | kForPeople | inText("chance", 9, 8, 1) | textNeeds(kTextOnly) | kRight,
     [](const DiffLine &line) -> Value {
       const double p = (*line.row)[line.row->changed].p;
       return p < 1 ? fmt::format("{:.2g}", p) : "-";
     }},
};

} // namespace

Columns<DiffLine> diffColumns() { return kDiff; }
Facts diffFacts(bool byPath) { return byPath ? kByPath : kByFunction; }

} // namespace ada::analysis
