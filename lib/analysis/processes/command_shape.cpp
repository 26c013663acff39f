// Finds the shape of a command line.
#include "command_shape.h"

#include "trace/base/text.h"

#include <algorithm>

namespace ada::analysis {

namespace {

constexpr size_t kLongestText = 100; // columns: a line of a terminal with the numbers before it
constexpr std::string_view kRest = "…";

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "commit", "remote-https": no file, number or text.
bool isName(std::string_view word) {
  return !word.empty() && isLetter(word[0]) && word.size() <= 32 &&
         std::ranges::all_of(word, [](char c) { return isLetter(c) || c == '-' || c == '_'; });
}

} // namespace

std::string commandShape(const std::string &program, const std::vector<std::string> &arguments) {
  std::string shape = program;
  bool isAfterRest = false, isAfterOptions = false;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    std::string_view kept = kRest;
    if (word == "--")
      isAfterOptions = true;
    if (word.size() > 1 && word[0] == '-' && !isAfterOptions && isLetter(word[1 + (word[1] == '-' && word.size() > 2)]))
      kept = word.substr(0, word.find('='));
    else if (i == 1 && isName(word))
      kept = word;
    if (kept != kRest || !isAfterRest)
      shape.append(" ").append(kept);
    isAfterRest = kept == kRest;
  }
  return fitted(oneLine(shape), kLongestText);
}

std::string commandText(const std::string &program, const std::vector<std::string> &arguments) {
  std::string text = program;
  for (size_t i = 1; i < arguments.size() && text.size() < 4 * kLongestText; ++i)
    text += " " + quotedForShell(arguments[i].substr(0, 4 * kLongestText));
  return fitted(oneLine(text), kLongestText);
}

} // namespace ada::analysis
