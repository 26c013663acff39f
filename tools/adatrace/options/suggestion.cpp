// Finds the known word that is closest to a mistyped one.
#include "suggestion.h"

#include "analysis/events/near_names.h"

#include <algorithm>

namespace ada::cli {

// The words that start with `typed`, as "record or recover". Empty if there are none, or too many to help.
static std::string completions(std::string_view typed, const std::vector<std::string> &words) {
  std::string all;
  size_t count = 0;
  if (typed.size() < 2 || typed == "--")
    return all;
  for (const std::string &word : words) {
    if (!word.starts_with(typed))
      continue;
    all += (count++ ? " or " : "") + word;
  }
  return count <= 3 ? all : std::string();
}

std::string nearest(std::string_view typed, const std::vector<std::string> &words) {
  std::string best = completions(typed, words);
  if (!best.empty() || typed.size() > 64)
    return best;
  size_t bestDistance = std::max<size_t>(2, typed.size() / 3) + 1;
  for (const std::string &word : words) {
    const size_t edits = analysis::editDistance(typed, word);
    if (edits < bestDistance) {
      bestDistance = edits;
      best = word;
    }
  }
  return best;
}

} // namespace ada::cli
