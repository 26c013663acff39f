// Completes the descriptions of options.
#include "option_text.h"

#include <algorithm>
#include <cctype>

namespace ada::cli {

std::string OptionText::label() const {
  if (!value.empty() && value != "TEXT")
    return value;
  std::string label = names[0];
  std::ranges::transform(label, label.begin(), [](unsigned char c) { return std::toupper(c); });
  return label;
}

std::string OptionText::wholeText() const {
  std::string whole = text;
  const auto add = [&whole](const std::string &sentence) {
    whole += (whole.empty() ? "" : whole.ends_with('.') || whole.ends_with(']') ? " " : ". ") + sentence;
  };
  const auto isNamed = [this](const std::string &word) { return text.find(word) != std::string::npos; };
  if (!std::ranges::all_of(words, isNamed)) {
    std::string list;
    for (const std::string &word : words)
      list += (list.empty() ? "" : ", ") + word;
    add("One of " + list);
  }
  if (!needs.empty() && !isNamed(needs))
    add("Needs " + needs);
  if (!excludes.empty() && !isNamed(excludes))
    add("Not with " + excludes);
  return whole;
}

} // namespace ada::cli
