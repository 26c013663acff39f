// What a user asked `record` for.
#pragma once

#include "options/command_line.h"
#include "options/runtime_options.h"
#include "terminal/terminal.h"

#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace ada::cli {

struct RecordOptions {
  OptionList runtime; ///< run-time options given as flags, in order
  When progress = When::Auto;
  std::vector<std::string> program;
  bool quiet = false, append = false;
  bool waits = false, packed = false;
  pid_t pid = 0;      ///< of a running process; 0: a program is started
  std::string length; ///< of a recording of a running process
};

/// Run-time options that `record` sets if the user does not. Packed files cost the program least; record prints the
/// closing line itself, for all processes together, and explains a crash.
inline constexpr std::pair<const char *, const char *> kOwnDefaults[] = {
    {"format", "packed"}, {"summary", "never"}, {"crash", "1"}};

void declareRecord(CommandLine &line, RecordOptions &options);

/// Adds the options that others mean: a trigger opens windows, and --waits wants arguments. If options contradict each
/// other, ends the command.
void completeDetail(OptionList &options);
void addWaits(OptionList &options);

/// Whether an option is given whose 0 means no.
bool isOn(const OptionList &options, const char *name);
inline bool isFlight(const OptionList &options) { return isOn(options, "flight"); }

/// Ends the command if the session that the user named already holds a trace: two runs in one session would look like
/// one run, so a run is added only with --append. A session in ADA_OPTIONS is not refused, because that is how the
/// processes of one run find each other.
void refuseTaken(const RecordOptions &options);

} // namespace ada::cli
