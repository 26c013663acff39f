// The registry of subcommands.
//
// A subcommand is one file, commands/<verb>.cpp, that defines one `const Command`.
// To add one: write the file, name its Command below and in commands().
#pragma once

#include "exit_codes.h"
#include "options/command_line.h"
#include "options/option_values.h"
#include "terminal/terminal.h"

#include <functional>
#include <memory>
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
    kCoroutines, kProcesses, kDiff, kTop, kInfo, kDump, kVerify, kConvert, kRecover, kFlags, kTrigger, kView, kSql,
    kOpen, kLoad, kShip, kFleet, kStart, kStop, kStatus, kEnable, kDisable, kDetail, kFlush, kMark, kSnapshot, kPack,
    kUnpack, kDoctor, kCargo;

struct CommandGroup {
  const char *heading;
  std::vector<const Command *> commands;
};

/// All subcommands, as --help lists them.
inline const std::vector<CommandGroup> &commandGroups() {
  static const std::vector<CommandGroup> groups = {
      {"Record", {&kRecord, &kRecover, &kFlags, &kCargo, &kDoctor}},
      {"Control running programs",
       {&kStatus, &kStart, &kStop, &kEnable, &kDisable, &kDetail, &kTrigger, &kMark, &kFlush, &kSnapshot}},
      {"See calls", {&kTree, &kGraph, &kFlame, &kView, &kCoroutines}},
      {"See what they cost, and what changed", {&kReport, &kTop, &kOutliers, &kDiff, &kCheck}},
      {"See what ran, and what it waited for", {&kProcesses, &kStacks, &kLast, &kWaits, &kWhy}},
      {"Look into files", {&kInfo, &kDump, &kSql, &kVerify}},
      {"Give a trace to others", {&kPack, &kUnpack}},
      {"Use other tools", {&kConvert, &kOpen}},
      {"Collect from many machines", {&kLoad, &kShip, &kFleet}},
  };
  return groups;
}

inline std::vector<const Command *> commands() {
  std::vector<const Command *> all;
  for (const CommandGroup &group : commandGroups())
    all.insert(all.end(), group.commands.begin(), group.commands.end());
  return all;
}

/// Declares everything that the command takes, and returns the function to run.
inline std::function<int()> declareAll(const Command &command, CommandLine &line, Invocation &invocation) {
  std::function<int()> run = command.declare(line, invocation);
  addWhen(line, "--color", invocation.color, "Colours: auto (only on a terminal), always or never [auto]");
  return run;
}

} // namespace ada::cli
