// The columns of answers to rules.
#include "check_table.h"

#include "base/format.h"
#include "model/names.h"

namespace ada::analysis {

const char *verdictName(CheckAnswer::Verdict verdict) {
  return verdict == CheckAnswer::Verdict::Kept     ? "kept"
         : verdict == CheckAnswer::Verdict::Broken ? "broken"
                                                   : "undecided";
}

std::string undecidedText(const Rule &rule, const CheckAnswer &answer) {
  if (answer.lacksScheduling)
    return "scheduling was not recorded";
  if (!answer.missing.empty())
    return fmt::format("no call of '{}' is in the trace", answer.missing);
  return rule.per.empty() ? "no complete call of such a function is in the trace"
                          : "no complete call of the function after 'per' is in the trace";
}

namespace {

const model::Thread &threadOf(const RuleExampleLine &line) { return line.trace->threads[line.call->thread]; }

constexpr Column<RuleExampleLine> kExamples[] = {
    {kPid, [](const RuleExampleLine &line) -> Value { return line.trace->processOf(threadOf(line)).pid; }},
    {kProcess, [](const RuleExampleLine &line) -> Value { return line.trace->processOf(threadOf(line)).name; }},
    {kThread, [](const RuleExampleLine &line) -> Value { return uint64_t(threadOf(line).number); }},
    {kTid, [](const RuleExampleLine &line) -> Value { return threadOf(line).tid; }},
    {ColumnInfo{"function", Holds::Text, "the function that was called"},
     [](const RuleExampleLine &line) -> Value { return shortName(line.call->function); }},
    {ColumnInfo{"seq", Holds::Number, "the call's number, for `why --call=THREAD:SEQ`"},
     [](const RuleExampleLine &line) -> Value { return line.call->seq; }},
    {ColumnInfo{"begin_ns", Holds::Moment, "when it began"},
     [](const RuleExampleLine &line) -> Value { return line.call->beginNs; }},
    {ColumnInfo{"duration_ns", Holds::Duration, "how long it took; 0 for a call that should not be there"},
     [](const RuleExampleLine &line) -> Value { return line.call->endNs - line.call->beginNs; }},
    {ColumnInfo{"command", Holds::Text, "the command that shows it"},
     [](const RuleExampleLine &line) -> Value { return line.command; }},
};

bool isDecided(const RuleLine &line) { return line.answer->verdict != CheckAnswer::Verdict::Undecided; }
Value measuredOf(const RuleLine &line) {
  return isDecided(line) ? Value(Json{fmt::format("{:.10g}", line.answer->measured)}) : Value();
}
Value worstOf(const RuleLine &line) {
  if (!line.answer->worst)
    return {};
  return Json{jsonOf(ruleExampleColumns(), RuleExampleLine{&*line.answer->worst, line.trace, line.command})};
}

constexpr Column<RuleLine> kRules[] = {
    {ColumnInfo{"session", Holds::Text, "the trace"}, [](const RuleLine &line) -> Value { return line.session; }},
    {ColumnInfo{"line", Holds::Number, "of the rule in its file"},
     [](const RuleLine &line) -> Value { return uint64_t(line.rule->line); }},
    {ColumnInfo{"rule", Holds::Text, "its text"}, [](const RuleLine &line) -> Value { return line.rule->text; }},
    {ColumnInfo{"verdict", Holds::Text, "`kept`, `broken` or `undecided`"},
     [](const RuleLine &line) -> Value { return verdictName(line.answer->verdict); }},
    {ColumnInfo{"measured", Holds::Real,
                "a count, nanoseconds, or per cent; for `never` and `each` the number of violations"} |
         kOrNull,
     measuredOf},
    {ColumnInfo{"reason", Holds::Text,
                "why it is undecided; for a rule that is kept, that the trace has no call of its function"} |
         kOrNull,
     [](const RuleLine &line) -> Value {
       const bool hasReason = !isDecided(line) || !line.answer->missing.empty();
       return hasReason ? Value(undecidedText(*line.rule, *line.answer)) : Value();
     }},
    {ColumnInfo{"worst", Holds::Object, "the worst call, or the first that should not be there"} | kOrNull, worstOf},
};

} // namespace

Columns<RuleExampleLine> ruleExampleColumns() { return kExamples; }
Columns<RuleLine> ruleColumns() { return kRules; }

} // namespace ada::analysis
