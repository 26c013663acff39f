// The columns of tables about outliers.
#include "outlier_table.h"

#include "trace/base/format.h"
#include "trace/names.h"

namespace ada::analysis {

namespace {

Value whole(double ns) { return Json{fmt::format("{:.0f}", ns)}; }

constexpr Column<TailRow> kTails[] = {
    {ColumnInfo{"above_median_ns", Holds::Duration, "how much longer than the median calls took, in total"} |
         inText("above median", 12) | Look::Number,
     [](const TailRow &row) -> Value { return row.aboveMedianNs; }},
    {ColumnInfo{"calls", Holds::Count, "complete calls"} | inText("calls", 12),
     [](const TailRow &row) -> Value { return row.calls; }},
    {ColumnInfo{"p50_ns", Holds::Duration, "percentiles of their durations"} | inText("p50", 11, 0, 2),
     [](const TailRow &row) -> Value { return row.medianNs; }},
    {ColumnInfo{"p99_ns", Holds::Duration} | inText("p99", 11, 0, 3),
     [](const TailRow &row) -> Value { return row.p99Ns; }},
    {ColumnInfo{"max_ns", Holds::Duration} | inText("max", 11, 0, 1),
     [](const TailRow &row) -> Value { return row.maxNs; }},
    {kFunction, [](const TailRow &row) -> Value { return row.function; }},
};

constexpr Column<SlowExampleLine> kExamples[] = {
    {kPid,
     [](const SlowExampleLine &line) -> Value {
       return line.trace->processOf(line.trace->threads[line.call->thread]).pid;
     }},
    {kProcess,
     [](const SlowExampleLine &line) -> Value {
       return line.trace->processOf(line.trace->threads[line.call->thread]).label;
     }},
    {kThread,
     [](const SlowExampleLine &line) -> Value { return uint64_t(line.trace->threads[line.call->thread].number); }},
    {kTid, [](const SlowExampleLine &line) -> Value { return line.trace->threads[line.call->thread].tid; }},
    {ColumnInfo{"seq", Holds::Number, "the call's number, for `why --call=THREAD:SEQ`"},
     [](const SlowExampleLine &line) -> Value { return line.call->seq; }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when it began"},
     [](const SlowExampleLine &line) -> Value { return line.call->beginNs; }},
    {ColumnInfo{"duration_ns", Holds::Duration, "how long it took"},
     [](const SlowExampleLine &line) -> Value { return line.call->durationNs; }},
};

constexpr Column<OutlierFactor> kFactors[] = {
    {ColumnInfo{
         "kind", Holds::Text,
         "`own`, `callee`, `waiting`, `preempted`, `argument` (also results and exceptions), `faults` (page faults), "
         "`thread`, `time`, `before`, `concurrent`; the last one is `unexplained`"},
     [](const OutlierFactor &factor) -> Value { return factorKindName(factor.kind); }},
    {ColumnInfo{"what", Holds::Text, "the factor, for people"},
     [](const OutlierFactor &factor) -> Value { return factor.what; }},
    {ColumnInfo{"how", Holds::Text, "for properties of a call: in which parts of it the time went"},
     [](const OutlierFactor &factor) -> Value { return factor.how; }},
    {ColumnInfo{"explains_ns", Holds::Real, "the part of a slow call's extra time that it explains; may be negative"},
     [](const OutlierFactor &factor) { return whole(factor.explainsNs); }},
    {ColumnInfo{"share", Holds::Real, "the same, divided by `extra_ns`"},
     [](const OutlierFactor &factor) -> Value { return Json{fmt::format("{:.4f}", factor.share)}; }},
    {ColumnInfo{"p_value", Holds::Real,
                "the probability that chance alone gives this, corrected for all that was tried"},
     [](const OutlierFactor &factor) -> Value { return Json{fmt::format("{:.3g}", factor.pValue)}; }},
    {ColumnInfo{"sure", Holds::Text, "`certain` or `likely`; empty for the unexplained rest"},
     [](const OutlierFactor &factor) -> Value { return factorSureName(factor); }},
    {ColumnInfo{"of_slow", Holds::Real, "how many of the slow calls have it, 0 to 1; likewise the ordinary ones"},
     [](const OutlierFactor &factor) -> Value { return Json{fmt::format("{:.4f}", factor.ofSlow)}; }},
    {ColumnInfo{"of_ordinary", Holds::Real},
     [](const OutlierFactor &factor) -> Value { return Json{fmt::format("{:.4f}", factor.ofOrdinary)}; }},
};

Value factorsOf(const OutlierLine &line) { return jsonList(factorColumns(), line.found->factors); }
Value slowestOf(const OutlierLine &line) {
  std::vector<SlowExampleLine> calls;
  for (const SlowExample &call : line.found->slowest)
    calls.push_back({&call, line.trace});
  return jsonList(slowExampleColumns(), calls);
}

constexpr Column<OutlierLine> kOutliers[] = {
    {ColumnInfo{"function", Holds::Text, "its name"},
     [](const OutlierLine &line) -> Value { return shortName(line.found->function); }},
    {ColumnInfo{"calls", Holds::Count, "complete calls that are not inside another one"},
     [](const OutlierLine &line) -> Value { return line.found->calls; }},
    {ColumnInfo{"slow_calls", Holds::Count, "how many of them are slow, and how many ordinary"},
     [](const OutlierLine &line) -> Value { return line.found->slowCalls; }},
    {ColumnInfo{"ordinary_calls", Holds::Count},
     [](const OutlierLine &line) -> Value { return line.found->ordinaryCalls; }},
    {ColumnInfo{"slow_from_ns", Holds::Duration, "slow calls take that long or longer"},
     [](const OutlierLine &line) -> Value { return line.found->slowFromNs; }},
    {ColumnInfo{"ordinary_from_ns", Holds::Duration, "ordinary calls take from this to that long"},
     [](const OutlierLine &line) -> Value { return line.found->ordinaryFromNs; }},
    {ColumnInfo{"ordinary_to_ns", Holds::Duration},
     [](const OutlierLine &line) -> Value { return line.found->ordinaryToNs; }},
    {ColumnInfo{"slow_mean_ns", Holds::Real, "mean durations"},
     [](const OutlierLine &line) { return whole(line.found->slowMeanNs); }},
    {ColumnInfo{"ordinary_mean_ns", Holds::Real},
     [](const OutlierLine &line) { return whole(line.found->ordinaryMeanNs); }},
    {ColumnInfo{"extra_ns", Holds::Real, "the difference: what the factors explain"},
     [](const OutlierLine &line) { return whole(line.found->extraNs); }},
    {ColumnInfo{"preempted_calls", Holds::Count,
                "calls that were preempted for most of their time, if they were not compared for that reason"},
     [](const OutlierLine &line) -> Value { return line.found->preemptedCalls; }},
    {ColumnInfo{"preempted_mean_ns", Holds::Real, "for how long, on average"},
     [](const OutlierLine &line) { return whole(line.found->preemptedMeanNs); }},
    {ColumnInfo{"calls_needed", Holds::Count,
                "if there are too few calls to compare: how many are needed; otherwise 0"},
     [](const OutlierLine &line) -> Value { return line.found->callsNeeded; }},
    {ColumnInfo{
         "verdict", Holds::Text,
         "whether something sets the slow calls apart: `certain`, `likely`, `nothing`, or `too few calls` to say"},
     [](const OutlierLine &line) -> Value { return outlierVerdictName(line.found->verdict()); }},
    {ColumnInfo{"factors", Holds::Objects,
                "by what they explain; they add up to `extra_ns`. Empty if nothing was compared"},
     factorsOf},
    {ColumnInfo{"slowest", Holds::Objects, "a few of the slow calls, the slowest first"}, slowestOf},
};

} // namespace

Columns<TailRow> tailColumns() { return kTails; }
Columns<SlowExampleLine> slowExampleColumns() { return kExamples; }
Columns<OutlierFactor> factorColumns() { return kFactors; }
Columns<OutlierLine> outlierColumns() { return kOutliers; }

} // namespace ada::analysis
