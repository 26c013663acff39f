// The texts about commands, made of what they declare.
#pragma once

#include "command.h"
#include "page.h"

namespace ada::cli {

/// A command with its options and arguments.
struct CommandText {
  const Command *command;
  std::vector<OptionText> options;
};

/// All commands that this adatrace was built with.
std::vector<CommandText> allCommands();

/// "-o, --output=DIR"
std::string termOf(const OptionText &option);

/// For `adatrace COMMAND --help`, and for the manual.
Page helpPage(const CommandText &about);
Page manualPage(const CommandText &about);

/// The same about adatrace as a whole.
Page overviewPage();
Page overviewManualPage();

} // namespace ada::cli
