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
#include <memory>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

namespace ada::cli {

/// What main() passes to every subcommand besides its own options.
struct Invocation {
  When color = When::Auto;
  std::vector<std::string> program; ///< record: PROGRAM ARGS...

  Palette palette() const { return Palette(color, STDOUT_FILENO); } ///< for standard output
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

template <class Options> Options optionsOf(void (*declare)(CommandLine &, Options &));
/// Command::declare of a command that keeps its options in a struct: `declare` binds them to the line, and `run` gets
/// them after parsing.
template <auto declare, auto run> std::function<int()> withOptions(CommandLine &line, const Invocation &invocation) {
  auto options = std::make_shared<decltype(optionsOf(declare))>();
  declare(line, *options);
  return [options, &invocation] { return run(*options, invocation); };
}

extern const Command kRecord, kTree, kReport, kGraph, kFlame, kStacks, kLast, kWaits, kWhy, kOutliers, kCheck,
    kCoroutines, kDiff, kTop, kInfo, kDump, kVerify, kConvert, kRecover, kFlags, kTrigger, kView, kOpen, kLoad, kShip,
    kFleet, kStart, kStop, kStatus, kEnable, kDisable, kDetail, kFlush, kMark, kSnapshot;

/// All subcommands in the order of --help.
inline std::span<const Command *const> commands() {
  static const Command *const list[] = {&kRecord,  &kTree,   &kReport,   &kGraph,  &kFlame,      &kStacks,   &kLast,
                                        &kWaits,   &kWhy,    &kOutliers, &kCheck,  &kCoroutines, &kDiff,     &kTop,
                                        &kView,    &kOpen,   &kInfo,     &kDump,   &kVerify,     &kConvert,  &kLoad,
                                        &kShip,    &kFleet,  &kRecover,  &kStatus, &kStart,      &kStop,     &kEnable,
                                        &kDisable, &kDetail, &kTrigger,  &kFlush,  &kMark,       &kSnapshot, &kFlags};
  return list;
}

} // namespace ada::cli
#endif // ADATRACE_COMMAND_H
