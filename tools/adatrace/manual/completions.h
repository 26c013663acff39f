// Completions for shells: commands, options, the words that an option takes, sessions, files and processes.
#pragma once

#include "command_page.h"

#include <string>
#include <vector>

namespace ada::cli {

/// What the value of an option or an argument is.
struct Completed {
  std::vector<std::string> words;
  bool isSession = false, isFile = false, isDirectory = false, isProcess = false, isProgram = false;
};
Completed completedBy(const OptionText &option);

/// The beginning of a text, for a list of choices.
std::string shortText(const std::string &text);

/// The scripts.
std::string bashCompletion(const std::vector<CommandText> &commands, const std::vector<std::string> &topics);
std::string zshCompletion(const std::vector<CommandText> &commands, const std::vector<std::string> &topics);
std::string fishCompletion(const std::vector<CommandText> &commands, const std::vector<std::string> &topics);

} // namespace ada::cli
