// Globs that match nothing, and what may have been meant.
#include "near_names.h"

#include "globbed_function.h"
#include "trace/names.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ada::analysis {

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

static std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char &c : lower)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

static std::string_view lastComponent(std::string_view name) {
  const size_t scope = name.rfind("::");
  return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

// The distance of a name from what was typed, both in lower case; larger than any limit if they have nothing in common.
static size_t distanceOf(const std::string &typed, const std::string &name) {
  if (typed.empty())
    return ~size_t(0);
  const std::string_view last = lastComponent(name), wanted = lastComponent(typed);
  if (last == wanted)
    return 0;
  if (name.find(typed) != std::string::npos)
    return 1;
  const size_t edits = std::min(editDistance(typed, name), editDistance(wanted, last) + 1);
  const size_t most = std::max<size_t>(2, wanted.size() / 3);
  return edits <= most ? edits + 1 : ~size_t(0);
}

std::vector<std::string> nearNames(std::string_view glob, std::span<const std::string> names, size_t most) {
  std::string typed;
  for (const char c : glob.substr(0, select::lengthWithoutParameters(glob)))
    if (c != '*' && c != '?' && c != '\\')
      typed += c;
  typed = lowered(typed);
  while (typed.starts_with("::"))
    typed.erase(0, 2);
  if (typed.size() > 100) // too long to have been typed
    return {};
  std::set<std::pair<size_t, std::string>> nearest;
  for (const std::string &name : names) {
    if (name.size() > 200)
      continue;
    if (const size_t distance = distanceOf(typed, lowered(name)); distance != ~size_t(0))
      nearest.emplace(distance, name);
    if (nearest.size() > most)
      nearest.erase(std::prev(nearest.end()));
  }
  std::vector<std::string> result;
  for (const auto &[distance, name] : nearest)
    result.push_back(name);
  return result;
}

std::vector<UnmatchedGlob> unmatchedGlobs(const std::vector<std::string> &globs,
                                          const std::vector<model::Function> &functions) {
  struct Alternative {
    std::string_view text, of; // "a", of "a|b"
    bool isMatched = false;
  };
  std::vector<Alternative> alternatives;
  for (const std::string &glob : globs)
    select::anyGlob(glob, [&](TextPiece one) {
      if (one.size > 0)
        alternatives.push_back({.text = {one.data, one.size}, .of = glob});
      return false;
    });
  for (const model::Function &about : functions) {
    if (std::ranges::all_of(alternatives, &Alternative::isMatched))
      return {};
    const GlobbedFunction function(about);
    for (Alternative &one : alternatives) // operator| is one name
      one.isMatched = one.isMatched || function.matches(one.text) || function.isNamed(one.of);
  }
  std::vector<std::string> names;
  std::vector<UnmatchedGlob> unmatched;
  for (const Alternative &one : alternatives) {
    if (one.isMatched)
      continue;
    if (names.empty())
      for (const model::Function &function : functions) {
        const std::string name = shortName(function.displayName, {.foldTemplateArguments = true});
        names.push_back(name.substr(0, select::lengthWithoutParameters(name)));
      }
    unmatched.push_back({std::string(one.text), nearNames(one.text, names)});
  }
  return unmatched;
}

} // namespace ada::analysis
