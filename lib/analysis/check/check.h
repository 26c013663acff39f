// Whether a trace keeps rules.
#pragma once

#include "analysis/calls/thread_workers.h"
#include "analysis/events/trace_columns.h"
#include "rules.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ada::analysis {

/// A call that shows how a rule is broken, or how close it came.
struct RuleExample {
  std::string function; ///< its display name
  uint32_t thread = 0;
  uint64_t seq = 0, beginNs = 0, endNs = 0;
  double measured = 0; ///< of this call alone
};

struct CheckAnswer {
  enum class Verdict {
    Kept,
    Broken,
    Undecided, ///< nothing was measured: there is no complete call of such a function, or scheduling was not recorded
  };
  Verdict verdict = Verdict::Kept;
  double measured = 0;              ///< in the unit of the rule; the number of violations for Never and Each
  double error = 0;                 ///< by how much `measured` may be off, for percentiles; the verdict is exact
  std::optional<RuleExample> worst; ///< the first one for Never, Each and counts that should be 0
  bool lacksScheduling = false;     ///< Undecided: for want of scheduling records
  std::string missing; ///< globs of the rule for which the trace has no call; with Kept, calls that there should not be
};

/// One answer per rule, in their order. Reads the threads once, several at a time. `fromNs`, `toNs`: calls that overlap
/// this range count.
Expected<std::vector<CheckAnswer>> checkRules(const Trace &trace, std::span<const Rule> rules, uint64_t fromNs,
                                              uint64_t toNs, Damage &damage);

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

/// "adatrace why --call=3:1742 SESSION", quoted for a shell.
std::string commandThatShows(const RuleExample &example, const TraceTable &table, bool severalProcesses,
                             const std::string &session);

/// "kept", "broken", "undecided".
const char *verdictName(CheckAnswer::Verdict verdict);
/// Why a rule could not be decided.
std::string undecidedText(const Rule &rule, const CheckAnswer &answer);

} // namespace ada::analysis
