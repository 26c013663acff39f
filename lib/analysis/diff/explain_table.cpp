// The columns of causes of a change.
#include "explain_table.h"

#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/names.h"

#include <cmath>

namespace ada::analysis {

const char *causeKindName(CauseKind kind) {
  static constexpr const char *kNames[] = {"calls",     "callee",   "own",     "waiting", "preempted",  "argument",
                                           "exception", "recorder", "unknown", "smaller", "unexplained"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

Value signedNs(double ns) { return Json{fmt::format("{:.0f}", ns)}; }

std::string signedText(double ns) {
  return (ns < 0 ? "-" : "+") + formatDuration(static_cast<uint64_t>(std::llround(std::abs(ns))));
}
double shareOf(const CauseLine &line) {
  return line.all->changeNs != 0 ? line.cause->explainsNs / static_cast<double>(line.all->changeNs) : 0;
}

// Where and what: "handle > parse(..): own code 3.0 us → 6.1 us per call". Only the innermost callees.
std::string placeText(const CauseLine &line) {
  constexpr size_t kMax = 5;
  const std::vector<std::string> &path = line.cause->path;
  const size_t first = path.size() > kMax ? path.size() - kMax : 0;
  std::string text = first > 0 ? "... > " : "";
  for (size_t i = first; i < path.size(); ++i)
    text += path[i] + (i + 1 < path.size() ? " > " : ": ");
  return text + line.cause->what;
}

constexpr Column<CauseLine> kCauses[] = {
    {ColumnInfo{"function", Holds::Text, "whose calls changed"},
     [](const CauseLine &line) -> Value { return shortName(line.all->function); }},
    {ColumnInfo{"statistic", Holds::Text, "`mean`, `total`, `p50` or `p99` of its calls, as `--statistic` says"},
     [](const CauseLine &line) -> Value { return statisticName(line.all->statistic); }},
    {ColumnInfo{"value_ns_a", Holds::Duration, "the statistic before and after: the mean of a side's runs"},
     [](const CauseLine &line) -> Value { return static_cast<uint64_t>(line.all->ns[kBefore]); }},
    {ColumnInfo{"value_ns_b", Holds::Duration},
     [](const CauseLine &line) -> Value { return static_cast<uint64_t>(line.all->ns[kAfter]); }},
    {ColumnInfo{"change_ns", Holds::Real, "the difference; the function's rows add up to it"},
     [](const CauseLine &line) { return signedNs(static_cast<double>(line.all->changeNs)); }},
    {ColumnInfo{"beyond_noise", Holds::Flag, "the statistic changed by more than chance"},
     [](const CauseLine &line) -> Value { return line.all->isMoreThanNoise; }},
    {ColumnInfo{"kind", Holds::Text,
                "`calls` (called more often, or less), `callee` (one that was not called before, or is no longer "
                "called), `own` (the "
                "code of the function or a callee), `waiting`, `preempted`, `argument`, `exception`, `recorder`, "
                "`unknown` (scheduling records are missing). The last two rows can be `smaller` (differences too small "
                "for a row) and are `unexplained` (may be chance)"} |
         inText("kind", 0, 2) | Look::Name,
     [](const CauseLine &line) -> Value { return causeKindName(line.cause->kind); }},
    {ColumnInfo{"path", Holds::Texts, "from the function's callee down to the function that it is about"} | kNotInCsv,
     [](const CauseLine &line) -> Value { return jsonTexts(line.cause->path); }},
    {ColumnInfo{"what", Holds::Text, "the cause, for people"} | inText("cause", 0, 3),
     [](const CauseLine &line) -> Value { return line.cause->what; }, placeText},
    {ColumnInfo{"explains_ns", Holds::Real, "its part of `change_ns`; may be negative"} | inText("explains", 12) |
         Look::Number,
     [](const CauseLine &line) { return signedNs(line.cause->explainsNs); },
     [](const CauseLine &line) { return signedText(line.cause->explainsNs); }},
    {ColumnInfo{"share", Holds::Real, "the same, divided by `change_ns`"} | inText("share", 6, 1),
     [](const CauseLine &line) -> Value { return Json{fmt::format("{:.4f}", shareOf(line))}; },
     [](const CauseLine &line) { return formatShare(shareOf(line)); }},
};

} // namespace

Columns<CauseLine> causeColumns() { return kCauses; }

} // namespace ada::analysis
