// What `record` says when a recording has ended.
#pragma once

#include "elf/elf_instrumentation.h"
#include "process/child_process.h"
#include "record_options.h"

#include <chrono>
#include <string>
#include <vector>

namespace ada::cli {

/// A program that has run and ended.
struct FinishedRun {
  std::string session; ///< with a flight recorder, the last of its sessions
  std::string program;
  std::vector<std::string> arguments; ///< of the program
  Ending ending;
  OptionList asked; ///< what the user set, in ADA_OPTIONS and by flags: globs of these that match nothing are told
  OptionList used;  ///< what the program got: these, and what record added
  Instrumentation built = Instrumentation::Unknown;
  bool neverBegan = false; ///< a process ended before it had started recording
};

/// Prints what is of interest after the program has ended: how it was killed, warnings, and the closing line.
void tellOfRun(const FinishedRun &run, const RecordOptions &options, When color);

/// A running process that was recorded for a while.
struct FinishedRecording {
  std::string session;
  pid_t pid = 0;
  bool hasBegun = false; ///< it has made a traced call
  std::chrono::nanoseconds duration{0};
};
void tellOfProcess(const FinishedRecording &recording);

} // namespace ada::cli
