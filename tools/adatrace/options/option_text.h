// Describes an option, a flag or an argument of a command.
// Help, manual and completions are made of this.
#pragma once

#include <string>
#include <vector>

namespace ada::cli {

/// Headings under which several commands list options.
namespace heading {
inline constexpr const char *kOptions = "Options", *kFunctions = "Which functions", *kPart = "Which part of the trace",
                            *kOutput = "Output", *kGeneral = "General"; ///< the last two come last
} // namespace heading

struct OptionText {
  std::vector<std::string> names; ///< "-f", "--function"; of an argument, one name
  std::string value;              ///< the name of its value; empty: a flag
  std::string text;
  std::string heading;            ///< empty: not shown
  std::vector<std::string> words; ///< the only values, if there are few
  std::string needs, excludes;    ///< names of other options
  bool isArgument = false, isRequired = false, isRepeated = false;

  /// What an argument is called in usage lines: "SESSION", "PID|NAME".
  std::string label() const;
  /// With what it needs and excludes, and the words, as far as the text does not name them.
  std::string wholeText() const;
};

} // namespace ada::cli
