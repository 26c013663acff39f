// Reads lines that a person types, with editing and history if the system has libedit.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace ada::cli {

/// On a terminal only. libedit (BSD licence) is loaded when the first line is asked for; without it, lines are read as
/// the terminal gives them, and none are kept.
class LineReader {
public:
  /// `history`: the name of the file in which lines are kept, under $XDG_STATE_HOME/adatrace (or
  /// ~/.local/state/adatrace).
  explicit LineReader(std::string history) : name_(std::move(history)) {}

  /// Nothing at the end of the input (^D). ^C gives up the line: then wasCancelled() is true.
  /// `begin` is called as soon as ^C is this line's: what an earlier ^C asked for can be taken back there.
  std::optional<std::string> read(const char *prompt, const std::function<void()> &begin);
  bool wasCancelled() const { return wasCancelled_; }
  /// Lets the next lines be chosen from this one, too.
  void remember(const std::string &text);

private:
  void load();
  std::optional<std::string> cancellable(const char *prompt, const std::function<void()> &begin);
  std::string name_;
  std::string path_; // empty: no place to keep lines
  bool wasLoaded_ = false, wasCancelled_ = false;
  char *(*readline_)(const char *) = nullptr;
  int (*addHistory_)(const char *) = nullptr;
  int (*writeHistory_)(const char *) = nullptr;
};

} // namespace ada::cli
