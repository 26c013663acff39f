// Reads the durations of calls, and divides them into slow and ordinary ones.
#include "slow_calls.h"

#include "analysis/events/call_sink.h"
#include "base/quantities.h"
#include "base/try.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <unordered_map>

namespace ada::analysis {

namespace {

/// Collects the durations of the chosen functions' outermost calls, by name.
class TimesWorker : public CallSink<TimesWorker> {
public:
  TimesWorker(TraceTable &table, const FilterOptions &globs, const FilterOptions &all)
      : CallSink(table, all), globs_(globs, table) {}

  void threadEnds() { open_.assign(open_.size(), 0); } // called by CallSink

  // Called by ThreadCalls.
  void begin(uint64_t, const model::Event &call, bool, std::string &&) {
    if (const uint32_t name = nameOf(call.function); name != kNone)
      ++open_[name];
  }
  void end(const Span &span, bool shown, std::string &&) {
    const uint32_t name = nameOf(span.functionIndex);
    if (name == kNone || --open_[name] > 0 || !shown || span.isEarlier)
      return;
    if (span.how == SpanEnd::Return || span.how == SpanEnd::Exception)
      times[name].sortedNs.push_back(span.durationNs());
  }

  std::vector<CallTimes> times;

private:
  static constexpr uint32_t kNone = ~uint32_t{0}, kNew = kNone - 1;

  uint32_t nameOf(uint32_t function) {
    if (function >= names_.size())
      names_.resize(function + size_t{1}, kNew);
    return names_[function] == kNew ? findName(function) : names_[function];
  }
  [[gnu::noinline]] uint32_t findName(uint32_t function) {
    if (!(globs_.of(function) & FunctionRules::kIncluded))
      return names_[function] = kNone;
    const std::string &name = table().functions[function].displayName;
    const auto [at, isNew] = numbers_.try_emplace(name, static_cast<uint32_t>(times.size()));
    if (isNew) {
      times.push_back({name, {}});
      open_.push_back(0);
    }
    return names_[function] = at->second;
  }

  FunctionRules globs_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<uint32_t> names_, open_;
};

} // namespace

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

uint64_t CallTimes::aboveMedianNs() const {
  if (sortedNs.empty())
    return 0;
  const size_t middle = sortedNs.size() / 2;
  uint64_t sum = 0;
  for (size_t i = middle; i < sortedNs.size(); ++i)
    sum += sortedNs[i] - sortedNs[middle];
  return sum;
}

SlowLimits limitsOf(const CallTimes &times, const SlowestOf &slowest) {
  const std::vector<uint64_t> &ns = times.sortedNs;
  SlowLimits limits;
  if (ns.size() < 2)
    return limits;
  const size_t quarter = ns.size() / 4;
  limits.ordinaryFromNs = ns[quarter], limits.ordinaryToNs = ns[ns.size() - 1 - quarter];
  size_t slow = 0;
  switch (slowest.kind) {
  case SlowestOf::Kind::Share:
    slow = static_cast<size_t>(std::ceil(slowest.share * static_cast<double>(ns.size())));
    break;
  case SlowestOf::Kind::Count:
    slow = static_cast<size_t>(slowest.count);
    break;
  case SlowestOf::Kind::Longer:
    slow = static_cast<size_t>(ns.end() - std::ranges::upper_bound(ns, slowest.longerThanNs));
    break;
  }
  slow = std::min(slow, std::max<size_t>(quarter, 1)); // never the ordinary ones
  if (!slowest.isGiven) {
    constexpr double kGap = 2;
    for (size_t count = slow; count > 0; --count) {
      const double above = static_cast<double>(ns[ns.size() - count]);
      const double below = std::max(1.0, static_cast<double>(ns[ns.size() - count - 1]));
      if (above / below >= kGap) {
        slow = count;
        break;
      }
    }
  }
  if (slow == 0)
    return limits;
  limits.slowFromNs = ns[ns.size() - slow];
  // Equal durations are all slow or all not.
  limits.slow = static_cast<uint64_t>(ns.end() - std::ranges::lower_bound(ns, limits.slowFromNs));
  if (limits.slowFromNs <= limits.ordinaryToNs) {
    limits.slowFromNs = limits.ordinaryToNs + 1;
    limits.slow = static_cast<uint64_t>(ns.end() - std::ranges::lower_bound(ns, limits.slowFromNs));
  }
  limits.ordinary = static_cast<uint64_t>(std::ranges::upper_bound(ns, limits.ordinaryToNs) -
                                          std::ranges::lower_bound(ns, limits.ordinaryFromNs));
  return limits;
}

Expected<std::vector<CallTimes>> callTimes(model::TraceSource &source, const TraceTable &table,
                                           const std::vector<uint32_t> &threads, const std::vector<std::string> &globs,
                                           uint64_t fromNs, uint64_t toNs, Damage &damage) {
  FilterOptions included, range;
  included.included = globs;
  range.fromNs = fromNs, range.toNs = toNs;
  std::map<std::string, std::vector<uint64_t>> all;
  ADA_TRY(readParts<TimesWorker>(
      source, table, partsOf(source, table, threads),
      [&](TraceTable &own) { return std::make_unique<TimesWorker>(own, included, range); },
      [&](TimesWorker &worker) {
        for (CallTimes &times : worker.times) {
          std::vector<uint64_t> &into = all[times.function];
          if (into.empty())
            into = std::move(times.sortedNs);
          else
            into.insert(into.end(), times.sortedNs.begin(), times.sortedNs.end());
        }
      },
      damage));
  std::vector<CallTimes> result;
  for (auto &[name, ns] : all) {
    std::ranges::sort(ns);
    result.push_back({name, std::move(ns)});
  }
  return result;
}

} // namespace ada::analysis
