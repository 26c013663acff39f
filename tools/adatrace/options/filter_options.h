// Options that choose calls.
#pragma once

#include "analysis/calls/call_filter.h"

#include <string>
#include <vector>

namespace ada::cli {

class CommandLine;

/// The values of the options that declareFilter() declares.
struct FilterArguments {
  analysis::FilterOptions options;
  bool only = false; ///< --only, the old spelling of --include

  /// Call after parsing. --function with --only becomes --include; --only alone ends the command.
  void settle(const char *command);
};

/// Adds --function, --include, --exclude, --prune, --no-external, --depth and their old names. With `durations` also
/// --min-duration; pass false if calls are chosen before their ends are known.
void declareFilter(CommandLine &line, FilterArguments &arguments, bool durations = true);

/// Warns about each glob that matches none of the functions, and names similar functions. `functions` must be those of
/// the whole trace, because a function is announced with its first event. Returns the exit status: kProblemsFound if a
/// glob was to choose functions and there is none. One that was to leave functions out has done so.
[[nodiscard]] int warnAboutUnmatched(const analysis::FilterOptions &options,
                                     const std::vector<model::Function> &functions);
/// The same for the globs of another option, which choose functions.
[[nodiscard]] int warnAboutUnmatched(const char *option, const std::vector<std::string> &globs,
                                     const std::vector<model::Function> &functions);

} // namespace ada::cli
