// The texts about commands, made of what they declare.
#pragma once

#include "command.h"
#include "page.h"

#include <functional>

namespace ada::cli {

/// A command with its options and arguments.
struct CommandText {
  const Command *command;
  std::vector<OptionText> options;
};

/// All commands that this adatrace was built with.
std::vector<CommandText> allCommands();

/// Adds the commands with their summaries. `addHeading` is called with the heading of each group.
void addCommands(Page &page, const std::function<void(const std::string &)> &addHeading);

/// "-o, --output=DIR"
std::string termOf(const OptionText &option);

/// For `adatrace COMMAND --help`, and for the manual.
Page helpPage(const CommandText &about);
Page manualPage(const CommandText &about);

/// The same about adatrace as a whole.
Page overviewPage();
Page overviewManualPage();

} // namespace ada::cli
