// Options that choose calls.
#ifndef ADATRACE_FILTER_OPTIONS_H
#define ADATRACE_FILTER_OPTIONS_H

#include "analysis/call_filter.h"

#include <string>
#include <vector>

namespace ada::cli {

class CommandLine;

/// What declareFilter() reads.
struct FilterArguments {
  analysis::FilterOptions options;
  bool only = false; ///< --only, the old way to write --include

  /// After parsing: --function with --only becomes --include. False, and a complaint, if --only stands alone.
  bool settle(const char *command);
};

/// Adds --function, --include, --exclude, --prune, --no-external, --depth, their old names and, unless calls are chosen
/// before their ends are known, --min-duration.
void declareFilter(CommandLine &line, FilterArguments &arguments, bool durations = true);

/// Warns about each glob that matches none of the functions, and names some that it comes near to. `functions` must be
/// those of the whole trace: functions are announced when the first event is about them.
void warnAboutUnmatched(const analysis::FilterOptions &options, const std::vector<model::Function> &functions);
/// The same for the globs of another option.
void warnAboutUnmatched(const char *option, const std::vector<std::string> &globs,
                        const std::vector<model::Function> &functions);

} // namespace ada::cli
#endif // ADATRACE_FILTER_OPTIONS_H
