// Divides calls into slow and ordinary ones.
#include "slow_calls.h"

#include "trace/base/quantities.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ada::analysis {

std::optional<SlowestOf> SlowestOf::parse(std::string_view text) {
  SlowestOf slowest;
  slowest.isGiven = true;
  if (text.starts_with('>')) {
    const auto ns = parseDuration(text.substr(1));
    if (!ns)
      return std::nullopt;
    slowest.kind = Kind::Longer, slowest.longerThanNs = *ns;
    return slowest;
  }
  const bool isShare = text.ends_with('%');
  if (isShare)
    text.remove_suffix(1);
  const char *end = text.data() + text.size();
  if (isShare) {
    double percent = 0;
    const auto [at, error] = std::from_chars(text.data(), end, percent);
    if (error != std::errc() || at != end || !(percent > 0 && percent <= 50))
      return std::nullopt;
    slowest.share = percent / 100;
    return slowest;
  }
  slowest.kind = Kind::Count;
  const auto [at, error] = std::from_chars(text.data(), end, slowest.count);
  if (error != std::errc() || at != end || slowest.count == 0)
    return std::nullopt;
  return slowest;
}

// Looks for a gap in the durations: the lowest one from `fromNs` on; if there is none, the next one below, but not
// below `leastNs`. Returns the shortest duration above it, or `fromNs` if there is no gap.
//
// Durations count from the median. A gap reaches from half of a duration to that duration, and has hardly any calls
// compared to those above it. The calls above it make up most of the extra time; if not, they are only the ragged end
// of something that is there without them. A wide gap, from a fifth, needs less: the first call of a program may be the
// only one that stands apart, and many calls that are hardly longer than others add up to as much.
static uint64_t aboveGap(const CallTimes &times, uint64_t fromNs, uint64_t leastNs) {
  constexpr double kHardlyAny = 0.05, kMost = 0.7, kMuch = 0.25;
  const uint64_t median = times.at(times.count() / 2);
  const auto longest = times.longest(times.count() - times.count() / 2); // the longest first
  const auto extraOf = [&](size_t i) { return longest[i].first - std::min(longest[i].first, median); };
  std::vector<uint64_t> calls = {0}; // above each one
  std::vector<double> extra = {0};
  for (size_t i = 0; i < longest.size(); ++i) {
    calls.push_back(calls.back() + longest[i].second);
    extra.push_back(extra.back() + static_cast<double>(extraOf(i)) * static_cast<double>(longest[i].second));
  }
  const auto countFrom = [&](uint64_t ns) {
    return static_cast<size_t>(std::ranges::partition_point(longest, [ns](const auto &of) { return of.first >= ns; }) -
                               longest.begin());
  };
  const auto hasHardlyAnyFrom = [&](uint64_t lower, size_t i) {
    const size_t below = std::max(countFrom(lower + 1), i + 1);
    return static_cast<double>(calls[below] - calls[i + 1]) <= kHardlyAny * static_cast<double>(calls[i + 1]);
  };
  const auto hasGapBelow = [&](size_t i, size_t last) {
    return (extra[i + 1] >= kMost * extra[last] && hasHardlyAnyFrom(median + extraOf(i) / 2, i)) ||
           (extra[i + 1] >= kMuch * extra[last] && hasHardlyAnyFrom(median + extraOf(i) / 5, i));
  };
  const size_t slow = countFrom(fromNs), most = countFrom(leastNs);
  for (size_t i = slow; i-- > 0;)
    if (hasGapBelow(i, slow))
      return longest[i].first;
  for (size_t i = slow; i < most; ++i)
    if (hasGapBelow(i, most)) {
      while (i + 1 < most && hasGapBelow(i + 1, most))
        ++i;
      return longest[i].first;
    }
  return fromNs;
}

SlowLimits limitsOf(const CallTimes &times, const SlowestOf &slowest, uint64_t longer) {
  const uint64_t all = times.count();
  SlowLimits limits;
  if (all < 2)
    return limits;
  const uint64_t quarter = all / 4;
  limits.ordinaryFromNs = times.at(quarter), limits.ordinaryToNs = times.at(all - 1 - quarter);
  limits.ordinary = times.countFrom(limits.ordinaryFromNs) - times.countFrom(limits.ordinaryToNs + 1);
  if (slowest.kind == SlowestOf::Kind::Longer) {
    limits.slowFromNs = std::max(slowest.longerThanNs, limits.ordinaryToNs) + 1;
    limits.slow = limits.slowFromNs == slowest.longerThanNs + 1 ? longer : times.countFrom(limits.slowFromNs);
    return limits;
  }
  uint64_t slow = slowest.count;
  if (slowest.kind == SlowestOf::Kind::Share)
    slow = static_cast<uint64_t>(std::ceil(slowest.share * static_cast<double>(all)));
  slow = std::clamp<uint64_t>(slow, 1, std::max<uint64_t>(quarter, 1)); // never the ordinary ones
  limits.slowFromNs = times.at(all - slow);
  if (!slowest.isGiven)
    limits.slowFromNs = aboveGap(times, limits.slowFromNs, times.at(all - 1 - all / 10));
  // Equal durations are all slow or all not.
  limits.slowFromNs = std::max(limits.slowFromNs, limits.ordinaryToNs + 1);
  limits.slow = times.countFrom(limits.slowFromNs);
  return limits;
}

} // namespace ada::analysis
