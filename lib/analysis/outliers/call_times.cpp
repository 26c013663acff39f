// Counts durations of calls, and keeps some of the calls.
#include "call_times.h"

#include <algorithm>
#include <map>

namespace ada::analysis {

namespace {

constexpr auto kByOrder = [](const TimedCall &a, const TimedCall &b) { return a.order < b.order; };

} // namespace

uint64_t CallTimes::lowestOf(Place place) {
  return place.row == 0 ? place.bin : uint64_t{kBins + place.bin} << (place.row - 1);
}

void CallTimes::keep(Kept &kept, TimedCall call) {
  if (kept.size() == kKept) {
    std::ranges::pop_heap(kept, kByOrder);
    kept.pop_back();
    kept.push_back(call);
    std::ranges::push_heap(kept, kByOrder);
    return;
  }
  kept.push_back(call);
  if (kept.size() == kKept)
    std::ranges::make_heap(kept, kByOrder);
}

void CallTimes::makeGroup(size_t number) {
  if (number >= groups_.size())
    groups_.resize(number + 1);
  groups_[number] = std::make_unique<Group>();
}

void CallTimes::merge(const CallTimes &other) {
  count_ += other.count_, totalNs_ += other.totalNs_;
  for (size_t number = 0; number < other.groups_.size(); ++number) {
    if (!other.groups_[number])
      continue;
    if (number >= groups_.size() || !groups_[number])
      makeGroup(number);
    Group &group = *groups_[number];
    const Group &from = *other.groups_[number];
    for (size_t bin = 0; bin < kBinsOfGroup; ++bin)
      group.counts[bin] += from.counts[bin];
    for (const TimedCall &call : from.kept)
      if (group.kept.size() < kKept || call.order < group.kept.front().order)
        keep(group.kept, call);
  }
}

std::vector<std::pair<uint64_t, uint64_t>> CallTimes::durationsOf(size_t number) const {
  const Group &group = *groups_[number];
  std::map<uint64_t, uint64_t> counts;
  std::array<std::vector<uint64_t>, kBinsOfGroup> known;
  for (const TimedCall &call : group.kept)
    known[placeOf(call.ns).bin % kBinsOfGroup].push_back(call.ns);
  for (size_t i = 0; i < known.size(); ++i) {
    const size_t bin = number * kBinsOfGroup + i;
    if (known[i].empty() && group.counts[i] > 0)
      known[i].push_back(lowestOf({static_cast<unsigned>(bin / kBins), static_cast<unsigned>(bin % kBins)}));
    std::ranges::sort(known[i]); // so that shares do not depend on the order of reading
    const uint64_t parts = known[i].size();
    for (uint64_t part = 0; part < parts; ++part) // whole numbers that add up
      counts[known[i][part]] += group.counts[i] * (part + 1) / parts - group.counts[i] * part / parts;
  }
  return {counts.begin(), counts.end()};
}

uint64_t CallTimes::at(uint64_t rank) const {
  uint64_t last = 0;
  for (size_t number = 0; number < groups_.size(); ++number) {
    const uint64_t count = groups_[number] ? groups_[number]->count() : 0;
    if (rank >= count) {
      rank -= count;
      continue;
    }
    for (const auto &[ns, calls] : durationsOf(number)) {
      if (rank < calls)
        return ns;
      rank -= calls, last = ns;
    }
  }
  return last;
}

template <class Use> void CallTimes::eachFrom(uint64_t ns, const Use &use) const {
  for (size_t number = size_t{placeOf(ns).row} * kGroupsOfRow; number < groups_.size(); ++number)
    if (groups_[number])
      for (const auto &[duration, calls] : durationsOf(number))
        if (duration >= ns)
          use(duration, calls);
}

uint64_t CallTimes::countFrom(uint64_t ns) const {
  uint64_t sum = 0;
  eachFrom(ns, [&](uint64_t, uint64_t calls) { sum += calls; });
  return sum;
}

uint64_t CallTimes::totalFrom(uint64_t ns) const {
  uint64_t sum = 0;
  eachFrom(ns, [&](uint64_t duration, uint64_t calls) { sum += duration * calls; });
  return sum;
}

std::vector<std::pair<uint64_t, uint64_t>> CallTimes::longest(uint64_t count) const {
  std::vector<std::pair<uint64_t, uint64_t>> result;
  uint64_t sum = 0;
  for (size_t number = groups_.size(); number-- > 0;) {
    if (!groups_[number])
      continue;
    const auto durations = durationsOf(number);
    for (auto at = durations.rbegin(); at != durations.rend() && sum < count; ++at)
      result.push_back(*at), sum += at->second;
    if (sum >= count)
      return result;
  }
  return result;
}

std::vector<TimedCall> CallTimes::choose(uint64_t fromNs, uint64_t toNs, size_t count) const {
  const auto isIn = [&](const TimedCall &call) { return call.ns >= fromNs && call.ns <= toNs; };
  double all = 0;
  for (const auto &group : groups_)
    if (group && !group->kept.empty()) // they stand for all of their group
      all += static_cast<double>(std::ranges::count_if(group->kept, isIn)) * static_cast<double>(group->count()) /
             static_cast<double>(group->kept.size());
  const double part = static_cast<double>(count) / std::max(all, 1.0);
  const uint64_t before = part >= 1 ? ~uint64_t{0} : static_cast<uint64_t>(part * 0x1p64);
  std::vector<TimedCall> result;
  for (const auto &group : groups_)
    if (group)
      for (const TimedCall &call : group->kept)
        if (isIn(call) && call.order <= before)
          result.push_back(call);
  return result;
}

std::vector<TimedCall> CallTimes::slowest(size_t count) const {
  std::vector<TimedCall> result;
  for (size_t number = groups_.size(); number-- > 0 && result.size() < count;)
    if (groups_[number])
      result.insert(result.end(), groups_[number]->kept.begin(), groups_[number]->kept.end());
  std::ranges::sort(result, [](const TimedCall &a, const TimedCall &b) {
    return std::pair(b.ns, a.beginNs) < std::pair(a.ns, b.beginNs);
  });
  result.resize(std::min(result.size(), count));
  return result;
}

uint64_t CallTimes::aboveMedianNs() const {
  const uint64_t middle = at(count_ / 2);
  uint64_t sum = 0;
  for (const auto &[ns, calls] : longest(count_ - count_ / 2))
    sum += (ns - std::min(ns, middle)) * calls;
  return sum;
}

} // namespace ada::analysis
