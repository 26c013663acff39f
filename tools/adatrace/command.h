// The registry of subcommands.
//
// A subcommand is one file, commands/<verb>.cpp, that defines one `const Command`.
// To add one: write the file, name its Command below and in commands().
#ifndef ADATRACE_COMMAND_H
#define ADATRACE_COMMAND_H

#include "exit_codes.h"
#include "options/command_line.h"
#include "terminal/terminal.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ada::cli {

/// What main() passes to every subcommand besides its own options.
struct Invocation {
  When color = When::Auto;
  std::vector<std::string> program; ///< record: PROGRAM ARGS...
};

struct Command {
  const char *name;
  const char *summary = "";
  const char *examples = ""; ///< shown at the end of --help, one per line
  /// Declares the options and returns the function to run once they are parsed. The result of that function is the exit
  /// status.
  std::function<int()> (*declare)(CommandLine &line, const Invocation &invocation) = nullptr;
  bool takesProgram = false;    ///< options end at the first argument that is not an option
  const char *option = nullptr; ///< set if adatrace was built without the command: the CMake option that adds it
};

extern const Command kRecord, kTree, kReport, kGraph, kFlame, kStacks, kLast, kWaits, kWhy, kOutliers, kCheck,
    kCoroutines, kDiff, kInfo, kDump, kVerify, kConvert, kRecover, kFlags, kTrigger, kView, kOpen, kLoad, kShip, kFleet,
    kStart, kStop, kStatus, kEnable, kDisable, kDetail, kFlush, kSnapshot, kMark;

/// All subcommands in the order of --help.
inline std::span<const Command *const> commands() {
  static const Command *const list[] = {&kRecord, &kTree,    &kReport,   &kGraph,  &kFlame,      &kStacks, &kLast,
                                        &kWaits,  &kWhy,     &kOutliers, &kCheck,  &kCoroutines, &kDiff,   &kView,
                                        &kOpen,   &kInfo,    &kDump,     &kVerify, &kConvert,    &kLoad,   &kShip,
                                        &kFleet,  &kRecover, &kStatus,   &kStart,  &kStop,       &kEnable, &kDisable,
                                        &kDetail, &kTrigger, &kFlush,    &kMark,   &kSnapshot,   &kFlags};
  return list;
}

} // namespace ada::cli
#endif // ADATRACE_COMMAND_H
