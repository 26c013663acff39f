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

void CallTimes::merge(const CallTimes &other) {
  count_ += other.count_, totalNs_ += other.totalNs_;
  for (unsigned number = 0; number < other.rows_.size(); ++number) {
    if (!other.rows_[number])
      continue;
    Row &row = rowAt(number);
    const Row &from = *other.rows_[number];
    for (size_t bin = 0; bin < kBins; ++bin)
      row.counts[bin] += from.counts[bin];
    for (size_t i = 0; i < row.kept.size(); ++i)
      for (const TimedCall &call : from.kept[i])
        if (row.kept[i].size() < kKept || call.order < row.kept[i].front().order)
          keep(row.kept[i], call);
  }
}

uint64_t CallTimes::countOf(const Row &row, size_t kept) {
  uint64_t count = 0;
  for (size_t bin = kept * kBinsOfKept; bin < (kept + 1) * kBinsOfKept; ++bin)
    count += row.counts[bin];
  return count;
}

std::vector<std::pair<uint64_t, uint64_t>> CallTimes::durationsOf(const Row &row, unsigned number, size_t kept) {
  std::map<uint64_t, uint64_t> counts;
  std::array<std::vector<uint64_t>, kBinsOfKept> known;
  for (const TimedCall &call : row.kept[kept])
    known[placeOf(call.ns).bin - kept * kBinsOfKept].push_back(call.ns);
  for (size_t i = 0; i < known.size(); ++i) {
    const size_t bin = kept * kBinsOfKept + i;
    if (known[i].empty() && row.counts[bin] > 0)
      known[i].push_back(lowestOf({number, static_cast<unsigned>(bin)}));
    std::ranges::sort(known[i]); // so that shares do not depend on the order of reading
    const uint64_t parts = known[i].size();
    for (uint64_t part = 0; part < parts; ++part) // whole numbers that add up
      counts[known[i][part]] += row.counts[bin] * (part + 1) / parts - row.counts[bin] * part / parts;
  }
  return {counts.begin(), counts.end()};
}

uint64_t CallTimes::at(uint64_t rank) const {
  uint64_t last = 0;
  for (unsigned number = 0; number < rows_.size(); ++number) {
    if (!rows_[number])
      continue;
    for (size_t i = 0; i < rows_[number]->kept.size(); ++i) {
      const uint64_t count = countOf(*rows_[number], i);
      if (rank >= count) {
        rank -= count;
        continue;
      }
      for (const auto &[ns, calls] : durationsOf(*rows_[number], number, i)) {
        if (rank < calls)
          return ns;
        rank -= calls, last = ns;
      }
    }
  }
  return last;
}

uint64_t CallTimes::countFrom(uint64_t ns) const {
  uint64_t sum = 0;
  for (unsigned number = placeOf(ns).row; number < rows_.size(); ++number)
    if (rows_[number])
      for (size_t i = 0; i < rows_[number]->kept.size(); ++i)
        if (countOf(*rows_[number], i) > 0)
          for (const auto &[duration, calls] : durationsOf(*rows_[number], number, i))
            sum += duration >= ns ? calls : 0;
  return sum;
}

std::vector<std::pair<uint64_t, uint64_t>> CallTimes::longest(uint64_t count) const {
  std::vector<std::pair<uint64_t, uint64_t>> result;
  uint64_t sum = 0;
  for (unsigned number = static_cast<unsigned>(rows_.size()); number-- > 0;)
    if (rows_[number])
      for (size_t i = rows_[number]->kept.size(); i-- > 0;) {
        if (countOf(*rows_[number], i) == 0)
          continue;
        const auto durations = durationsOf(*rows_[number], number, i);
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
  for (const auto &row : rows_)
    for (size_t i = 0; row && i < row->kept.size(); ++i)
      if (const Kept &kept = row->kept[i]; !kept.empty()) // they stand for all of their group
        all += static_cast<double>(std::ranges::count_if(kept, isIn)) * static_cast<double>(countOf(*row, i)) /
               static_cast<double>(kept.size());
  const double part = static_cast<double>(count) / std::max(all, 1.0);
  const uint64_t before = part >= 1 ? ~uint64_t{0} : static_cast<uint64_t>(part * 0x1p64);
  std::vector<TimedCall> result;
  for (const auto &row : rows_)
    for (size_t i = 0; row && i < row->kept.size(); ++i)
      for (const TimedCall &call : row->kept[i])
        if (isIn(call) && call.order <= before)
          result.push_back(call);
  return result;
}

std::vector<TimedCall> CallTimes::slowest(size_t count) const {
  std::vector<TimedCall> result;
  for (size_t number = rows_.size(); number-- > 0 && result.size() < count;)
    for (size_t i = rows_[number] ? rows_[number]->kept.size() : 0; i-- > 0 && result.size() < count;)
      result.insert(result.end(), rows_[number]->kept[i].begin(), rows_[number]->kept[i].end());
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
