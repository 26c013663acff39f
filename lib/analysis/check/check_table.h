// The columns of answers to rules.
#ifndef ADA_LIB_ANALYSIS_CHECK_TABLE_H
#define ADA_LIB_ANALYSIS_CHECK_TABLE_H

#include "analysis/events/trace_columns.h"
#include "check.h"

#include <string>

namespace ada::analysis {

struct RuleExampleLine {
  const RuleExample *call;
  const TraceTable *trace;
  std::string command; ///< that shows it
};
Columns<RuleExampleLine> ruleExampleColumns();

struct RuleLine {
  const Rule *rule;
  const CheckAnswer *answer;
  const TraceTable *trace;
  std::string session, command;
};
Columns<RuleLine> ruleColumns();

/// "kept", "broken", "undecided".
const char *verdictName(CheckAnswer::Verdict verdict);
/// Why a rule could not be decided.
std::string undecidedText(const Rule &rule, const CheckAnswer &answer);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_CHECK_TABLE_H
