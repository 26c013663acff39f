// Reads lines that a person types, with editing and history if the system has libedit.
#pragma once

#include <optional>
#include <string>

namespace ada::cli {

/// On a terminal only. libedit (BSD licence) is loaded when the first line is asked for; without it, lines are read as
/// the terminal gives them.
class LineReader {
public:
  /// Nothing at the end of the input (^D).
  std::optional<std::string> read(const char *prompt);
  /// Lets the next lines be chosen from this one, too.
  void remember(const std::string &text);

private:
  void load();
  bool wasLoaded_ = false;
  char *(*readline_)(const char *) = nullptr;
  int (*addHistory_)(const char *) = nullptr;
};

} // namespace ada::cli
