// The columns of findings.
#include "finding_table.h"

#include "trace/base/format.h"

namespace ada::analysis {

namespace {

constexpr Column<Finding> kFindings[] = {
    {ColumnInfo{"kind", Holds::Text,
                "`slow-calls`, `lock`, `io-in-lock`, `never-ended`, `hot-code`, `repeated-calls`, `slower-over-time`, "
                "`slower-with-argument`, `one-thread-works`, `no-core`, `polling`, `woken-for-nothing`, `exceptions`, "
                "`start-up`, `crash`"},
     [](const Finding &finding) -> Value { return findingKindName(finding.kind); }},
    {ColumnInfo{"function", Holds::Text, "the program's function that it is about"} | kOrNull,
     [](const Finding &finding) -> Value { return textOrNull(finding.function); }},
    {ColumnInfo{"object", Holds::Text, "what was waited for, as `waits` shows it"} | kOrNull,
     [](const Finding &finding) -> Value { return textOrNull(finding.object); }},
    {ColumnInfo{"stake_ns", Holds::Duration, "the time that is at stake: what it would take less without the cause"},
     [](const Finding &finding) -> Value { return finding.stakeNs; }},
    {ColumnInfo{"of_ns", Holds::Duration, "of how much: the time in requests, or the run"},
     [](const Finding &finding) -> Value { return finding.totalNs; }},
    {ColumnInfo{"share", Holds::Real, "`stake_ns` divided by `of_ns`"},
     [](const Finding &finding) -> Value { return Json{fmt::format("{:.4f}", finding.share())}; }},
    {ColumnInfo{"sure", Holds::Text, "`certain` if the records show it, `likely` if it is inferred from them"},
     [](const Finding &finding) -> Value { return sureName(finding.sure); }},
    {ColumnInfo{"text", Holds::Text, "the finding in one sentence"},
     [](const Finding &finding) -> Value { return finding.text; }},
    {ColumnInfo{"evidence", Holds::Texts, "further figures"},
     [](const Finding &finding) -> Value { return jsonTexts(finding.evidence); }},
    {ColumnInfo{"command", Holds::Text, "the command that shows it"} | kOrNull,
     [](const Finding &finding) -> Value { return textOrNull(finding.command); }},
    {ColumnInfo{"call", Holds::Text, "a call that shows it, for `why --call`"} | kOrNull,
     [](const Finding &finding) -> Value { return textOrNull(finding.call); }},
};

constexpr Column<CannotSay> kCannotSay[] = {
    {ColumnInfo{"what", Holds::Text, "what the session does not tell"},
     [](const CannotSay &missing) -> Value { return missing.what; }},
    {ColumnInfo{"command", Holds::Text, "the command that helps"} | kOrNull,
     [](const CannotSay &missing) -> Value { return textOrNull(missing.command); }},
};

constexpr Column<Findings> kAll[] = {
    {ColumnInfo{"requests", Holds::Texts,
                "functions whose calls count as requests, by the time in them; empty if nothing repeats"},
     [](const Findings &found) -> Value { return jsonTexts(found.requests); }},
    {ColumnInfo{"request_calls", Holds::Count, "how many requests there are"},
     [](const Findings &found) -> Value { return found.requestCalls; }},
    {ColumnInfo{"total_ns", Holds::Duration, "the time in all requests; without requests, the run"},
     [](const Findings &found) -> Value { return found.totalNs(); }},
    {ColumnInfo{"run_ns", Holds::Duration, "from the first event to the end"},
     [](const Findings &found) -> Value { return found.runNs; }},
    {ColumnInfo{"findings", Holds::Objects, "at most five, the most time at stake first; empty if nothing stands out"},
     [](const Findings &found) -> Value { return jsonList(findingColumns(), found.findings); }},
    {ColumnInfo{"cannot_say", Holds::Objects, "what the session does not tell, and how to record it"},
     [](const Findings &found) -> Value { return jsonList(cannotSayColumns(), found.cannotSay); }},
};

} // namespace

Columns<Finding> findingColumns() { return kFindings; }
Columns<CannotSay> cannotSayColumns() { return kCannotSay; }
Columns<Findings> findingsColumns() { return kAll; }

} // namespace ada::analysis
