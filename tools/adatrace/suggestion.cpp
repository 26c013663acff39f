//===- suggestion.cpp - the known word that a mistyped one is nearest to --===//
#include "suggestion.h"

#include <algorithm>
#include <numeric>

namespace ada::cli {

// Edit distance with neighbouring letters swapped counted as one edit.
static size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1,
                         above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

std::string nearest(std::string_view typed,
                    const std::vector<std::string> &words) {
  std::string best;
  size_t bestDistance = std::max<size_t>(2, typed.size() / 3) + 1;
  if (typed.size() > 64)
    return best;
  for (const std::string &word : words) {
    const bool begins = typed.size() > 3 && word.starts_with(typed);
    const size_t edits = begins ? 1 : distance(typed, word);
    if (edits < bestDistance) {
      bestDistance = edits;
      best = word;
    }
  }
  return best;
}

} // namespace ada::cli
