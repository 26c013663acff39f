// Suggests functions to leave out: those whose tracing costs most and shows least.
#include "suggestion.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace ada::analysis {

// A function must have at least one in this many of all calls.
static constexpr uint64_t kPart = 100;
// Limits on a call's duration, as multiples of what recording it takes: for half of the calls, and for all but one in a
// hundred.
static constexpr uint64_t kShort = 5, kAlike = 50;
// If the trace does not show the cost: loading a word instead of reading the counter.
static constexpr uint64_t kTickCostNs = 5;

// From time stamp to time stamp, the shortest calls last as long as one hook. Each call has two hooks.
static uint64_t costOf(const std::vector<TracedName> &names) {
  uint64_t shortest = ~uint64_t(0);
  for (const TracedName &name : names)
    if (const Distribution &durations = name.figures.durations; durations.count() >= 1000)
      for (const double percent : {50., 90., 99.}) // clocks that advance in steps give 0 for many calls
        if (const uint64_t ns = durations.percentile(percent)) {
          shortest = std::min(shortest, ns);
          break;
        }
  return std::clamp<uint64_t>(shortest == ~uint64_t(0) ? 10 : shortest, 2, 200) * 2;
}

Suggestion suggestFilter(const Report &report, uint64_t resolutionNs) {
  std::map<std::string, TracedName> byName;
  Suggestion suggestion;
  for (const ReportRow &row : report.rows) {
    suggestion.allCalls += row.figures.calls;
    if (!row.function || row.function->name.empty())
      continue;
    TracedName &name = byName[row.function->name];
    name.name = row.function->name;
    name.function = row.function;
    name.figures.merge(row.figures);
  }
  std::vector<TracedName> names;
  for (auto &[text, name] : byName)
    names.push_back(std::move(name));
  suggestion.callCostNs = resolutionNs ? kTickCostNs : costOf(names);
  const uint64_t isShort = std::max(kShort * suggestion.callCostNs, resolutionNs);
  for (TracedName &name : names) {
    const FunctionStatistics &figures = name.figures;
    if (figures.calls * kPart < suggestion.allCalls || figures.exceptions + figures.inferred > 0 ||
        figures.durations.count() == 0 || figures.durations.percentile(50) > isShort ||
        figures.durations.percentile(99) > isShort / kShort * kAlike)
      continue;
    suggestion.calls += figures.calls;
    suggestion.leaveOut.push_back(std::move(name));
  }
  std::ranges::stable_sort(suggestion.leaveOut,
                           [](const TracedName &a, const TracedName &b) { return a.figures.calls > b.figures.calls; });
  return suggestion;
}

// Characters other than letters and digits may have a meaning in a pattern. In patterns of older LLVMs, a dot matches
// any character, including itself.
std::string globOf(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.')
      text += '\\';
    text += c;
  }
  return text;
}

std::string ignoreListOf(const Suggestion &suggestion) {
  std::string text = "# Functions whose tracing costs most and shows least: ada-clang --ada-ignorelist=FILE\n"
                     "[ada]\n";
  for (const TracedName &name : suggestion.leaveOut)
    text += "fun:" + globOf(name.name) + "\n";
  return text;
}

std::string globsOf(const Suggestion &suggestion) {
  std::string text;
  for (const TracedName &name : suggestion.leaveOut)
    text += (text.empty() ? "" : "|") + globOf(name.name);
  return text;
}

} // namespace ada::analysis
