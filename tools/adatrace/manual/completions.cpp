// What completes an option or an argument, by the name of its value.
#include "completions.h"

#include <algorithm>
#include <cctype>

namespace ada::cli {

Completed completedBy(const OptionText &option) {
  Completed by;
  by.words = option.words;
  const std::string label = option.isArgument ? option.label() : option.value;
  const auto has = [&label](const char *part) { return label.find(part) != std::string::npos; };
  by.isProcess = has("PID") && !has("TID");
  by.isSession = has("SESSION") || (option.isArgument && has("TRACE"));
  by.isFile = label == "FILE" || label == "RULES" || (option.isArgument && (label == "IN" || label == "OUT"));
  by.isDirectory = label == "DIR" || label == "DIRECTORY";
  by.isProgram = label == "PROGRAM";
  // "block|drop": the parts are words, but not one like TIME.
  const auto isSmall = [](unsigned char c) { return std::islower(c) || std::isdigit(c); };
  for (size_t at = 0; option.words.empty() && has("|") && at < label.size();) {
    const size_t end = std::min(label.find('|', at), label.size());
    const std::string part = label.substr(at, std::min(end, label.find('[', at)) - at); // tick[:TIME]
    if (!part.empty() && std::ranges::all_of(part, isSmall))
      by.words.push_back(part);
    at = end + 1;
  }
  return by;
}

std::string shortText(const std::string &text) {
  constexpr size_t kMax = 72;
  size_t end = text.size();
  for (const char *mark : {". ", "; ", " ["})
    end = std::min(end, text.find(mark));
  if (end <= kMax)
    return text.substr(0, end);
  return text.substr(0, std::min(text.rfind(' ', kMax), kMax)) + "...";
}

} // namespace ada::cli
