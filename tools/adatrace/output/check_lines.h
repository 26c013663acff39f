// Prints whether rules were kept.
#ifndef ADATRACE_CHECK_LINES_H
#define ADATRACE_CHECK_LINES_H

#include "analysis/check/check_table.h"
#include "terminal/terminal.h"
#include "trace/trace_input.h"

#include <span>
#include <string>
#include <vector>

namespace ada::cli {

/// The rules and their answers for one session.
struct CheckedSession {
  const TraceInput &input;
  const std::string &rulesPath;
  std::span<const analysis::Rule> rules;
  std::span<const analysis::CheckAnswer> answers;
};

/// Broken and undecided rules, each with its worst call and the command that shows it, then a summary. `isVerbose`:
/// also the rules that were kept.
void printCheck(Output &out, const Palette &palette, const CheckedSession &session, bool isVerbose);
/// A row for each rule, for the columns of check_table.h.
std::vector<analysis::RuleLine> checkRows(const CheckedSession &session);
/// A <testsuite> element, one <testcase> per rule.
std::string checkJunit(const CheckedSession &session);

/// "7.200 ms", "12", "14.3 %"
std::string measuredText(analysis::Unit unit, double measured);

} // namespace ada::cli
#endif // ADATRACE_CHECK_LINES_H
