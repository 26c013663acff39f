// Options that choose calls.
#include "filter_options.h"
#include "option_values.h"
#include "terminal/terminal.h"

#include "analysis/events/near_names.h"

#include <algorithm>

namespace ada::cli {

void declareFilter(CommandLine &line, FilterArguments &arguments, bool durations) {
  analysis::FilterOptions &options = arguments.options;
  const CommandLine::Section functions(line, heading::kFunctions);
  addGlobs(line, "-f,--function", options.functions,
           "Only these functions and everything they call (globs for the mangled name, the demangled name with or "
           "without parameters, or the source file, separated by '|'; this option and the next three may be repeated)");
  addGlobs(line, "--include", options.included, "Only these functions, without what they call");
  addGlobs(line, "--exclude,--hide", options.excluded,
           "Leave out these functions; what they call moves up to the caller");
  addGlobs(line, "--prune", options.pruned, "Leave out these functions and everything they call");
  line.flag("--no-external", options.noExternal,
            "Leave out library functions (--ada-calls); what they call moves up to the caller");
  line.flag("--only", arguments.only, "With --function: the same as --include");
  line.option("--depth,--max-depth", options.depth, "At most this many nested levels of the calls shown")
      .type("N")
      .between(1u, ~0u);
  if (durations)
    addDuration(line, "--min-duration", options.minDurationNs,
                "Leave out calls shorter than this (10us, 1.5ms, 2s) and everything they call");
}

void FilterArguments::settle(const char *command) {
  if (!only)
    return;
  if (options.functions.empty())
    stop(kWrongUsage, "{}: --only needs --function", command);
  options.included.insert(options.included.end(), options.functions.begin(), options.functions.end());
  options.functions.clear();
  only = false;
}

int warnAboutUnmatched(const char *option, const std::vector<std::string> &globs,
                       const std::vector<model::Function> &functions) {
  const std::vector<analysis::UnmatchedGlob> all = analysis::unmatchedGlobs(globs, functions);
  for (const analysis::UnmatchedGlob &unmatched : all) {
    std::string near;
    for (const std::string &name : unmatched.near)
      near += (near.empty() ? "; did you mean " : " or ") + name;
    warning("{} '{}' matches no function that was called{}{}", option, unmatched.glob, near, near.empty() ? "" : "?");
  }
  return all.empty() ? kOk : kProblemsFound;
}

int warnAboutUnmatched(const analysis::FilterOptions &options, const std::vector<model::Function> &functions) {
  const int code = std::max(warnAboutUnmatched("--function", options.functions, functions),
                            warnAboutUnmatched("--include", options.included, functions));
  (void)warnAboutUnmatched("--exclude", options.excluded, functions);
  (void)warnAboutUnmatched("--prune", options.pruned, functions);
  return code;
}

} // namespace ada::cli
