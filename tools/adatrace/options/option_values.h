// Options whose values are durations and times.
#pragma once

#include "analysis/calls/part_sink.h"
#include "command_line.h"
#include "terminal/terminal.h"
#include "trace/base/quantities.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

/// Adds an option like --keep 10G. 0 is not a valid value.
Option addSize(CommandLine &line, const std::string &name, uint64_t &target, const std::string &text);

/// Adds an option like --min-duration 10us.
Option addDuration(CommandLine &line, const std::string &name, uint64_t &target, const std::string &text);

/// What is wrong with the value of an option like --for 10s, for its message; empty if nothing is. The unit must be
/// given, and 0 is not a valid value. `examples`: "10s, 500ms".
std::string wrongTimeWithUnit(const std::string &value, const char *examples);

/// Adds an option like --limit 20.
Option addCount(CommandLine &line, const std::string &name, std::function<void(uint64_t)> set, const std::string &text);
template <class Target>
Option addCount(CommandLine &line, const std::string &name, Target &target, const std::string &text) {
  return addCount(line, name, [&target](uint64_t count) { target = count; }, text);
}

/// Adds --limit.
Option addLimit(CommandLine &line, std::function<void(uint64_t)> set, const std::string &text);
template <class Target> Option addLimit(CommandLine &line, Target &target, const std::string &text) {
  return addLimit(line, [&target](uint64_t count) { target = count; }, text);
}

/// Adds -q and --quiet.
Option addQuiet(CommandLine &line, bool &target, const std::string &text = "Print only problems");

/// Adds an option like --function 'ns::*', which may be repeated.
Option addGlobs(CommandLine &line, const std::string &name, std::vector<std::string> &target, const std::string &text,
                const char *type = "GLOBS");

/// --source-root.
void addSourceRoots(CommandLine &line, std::vector<std::string> &roots);

/// --thread.
void addThreads(CommandLine &line, std::vector<std::string> &threads);

/// Adds --color or --progress.
Option addWhen(CommandLine &line, const std::string &name, When &when,
               const std::string &text = "Show progress: auto (on a terminal), always, never [auto]");

/// "10us" and "1.5ms" count from the start of the trace, or are on its clock with `absolute`. "@123456789" is in
/// nanoseconds on its clock.
std::optional<analysis::TimeBound> parseTime(std::string_view text, bool absolute = false);
/// The same, but a text that is not a time ends the command: `name` is the option.
analysis::TimeBound needTime(const char *name, std::string_view text, bool absolute);

} // namespace ada::cli
