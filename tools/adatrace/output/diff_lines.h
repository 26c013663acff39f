// Prints what changed between two groups of runs, and checks rules about it.
#pragma once

#include "function_names.h"
#include "options/table_options.h"
#include "terminal/terminal.h"

#include "analysis/diff/diff_table.h"

#include <optional>
#include <string>

namespace ada::cli {

struct DiffLineOptions {
  NameOptions names;
  TableOptions table;
  bool all = false; ///< text and Markdown: also what is not shown to have changed
  bool byPath = false;
};

void printDiff(Output &out, const Palette &palette, const analysis::Diff &diff, const DiffLineOptions &options);

/// "handle*: p99 > +5%"
struct DiffRule {
  std::string text, glob;
  analysis::DiffValue value = analysis::DiffValue::Total;
  bool isMore = true; ///< '>', otherwise '<'
  double change = 0;  ///< 0.05
};
std::optional<DiffRule> parseDiffRule(const std::string &text);
/// Sentences about a rule; empty if there is nothing to say.
struct RuleAnswer {
  std::string broken = {}; ///< names the functions that break the rule
  std::string fault;       ///< the rule could not have failed, or this number of runs can't decide it
};
RuleAnswer answerTo(const DiffRule &rule, const analysis::Diff &diff, NameStyle style);

} // namespace ada::cli
