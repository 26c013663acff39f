// How long the calls of a function took: how many took how long, and a random choice of them.
//
// Durations are counted in bins of 1/256 of their size. For each sixteenth of a power of two, kKept calls are kept with
// all that is known about them, chosen at random by their numbers, so that the choice does not depend on the order of
// reading. Where there are fewer, all are kept, and their ranks are exact. So memory and time do not grow with the
// number of calls, and the insides of a few calls can be read afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ada::analysis {

/// A call by its thread and the number of the event that began it; by default none.
struct CallId {
  uint32_t thread = ~uint32_t{0};
  uint64_t seq = ~uint64_t{0};
  bool operator==(const CallId &) const = default;
};

/// A complete call of the function, not inside another one.
struct TimedCall {
  uint64_t order = 0; ///< random, but the same each time; 0 for a call that must be kept and chosen
  uint32_t thread = 0, part = 0;
  uint64_t nth = 0; ///< among the calls of its thread, from 0
  uint64_t beginSeq = 0, endSeq = 0, beginNs = 0, endNs = 0;
  uint64_t ns = 0; ///< its duration, as far as it counts

  CallId id() const { return {thread, beginSeq}; }
};

class CallTimes {
public:
  static constexpr size_t kKept = 2048;

  /// Without `keeps`, no calls are kept.
  explicit CallTimes(bool keeps = true) : most_(keeps ? kKept : 0) {}

  /// `call` fills in what a TimedCall has beyond order and duration; called only if it is kept.
  template <class Fill> void add(uint64_t ns, uint64_t order, const Fill &fill) {
    const auto [number, bin] = placeOf(ns);
    Group &group = groupAt(number, bin / kBinsOfGroup);
    ++count_, ++group.counts[bin % kBinsOfGroup], totalNs_ += ns;
    if (group.kept.size() < most_ || (most_ > 0 && order < group.kept.front().order))
      keep(group.kept, fill(TimedCall{.order = order, .ns = ns}));
  }
  void merge(const CallTimes &other);

  uint64_t count() const { return count_; }
  uint64_t totalNs() const { return totalNs_; }
  /// The duration with that rank, from 0 for the shortest, below count().
  uint64_t at(uint64_t rank) const;
  /// How many calls take that long or longer; exact for values from at() or longest().
  uint64_t countFrom(uint64_t ns) const;
  /// How long these take together.
  uint64_t totalFrom(uint64_t ns) const;
  /// The longest durations, the longest first, and how often each: `count` calls, or some more.
  std::vector<std::pair<uint64_t, uint64_t>> longest(uint64_t count) const;
  /// At most about `count` calls with fromNs <= duration <= toNs; each one had the same chance to be chosen.
  std::vector<TimedCall> choose(uint64_t fromNs, uint64_t toNs, size_t count) const;
  /// The longest ones that were kept, the longest first.
  std::vector<TimedCall> slowest(size_t count) const;
  /// How much longer than the median calls took, in total.
  uint64_t aboveMedianNs() const;

  /// Lets `use` change what is known about the calls kept.
  template <class Use> void update(const Use &use) {
    for (auto &group : groups_)
      if (group)
        for (TimedCall &call : group->kept)
          use(call);
  }

private:
  static constexpr unsigned kBinBits = 8, kBins = 1U << kBinBits, kBinsOfGroup = 16,
                            kGroupsOfRow = kBins / kBinsOfGroup;
  using Kept = std::vector<TimedCall>; // once full, a heap by order
  // A sixteenth of a power of two. A program has thousands of functions, and most have calls in few groups.
  struct Group {
    std::array<uint64_t, kBinsOfGroup> counts = {};
    Kept kept;
    uint64_t count() const {
      uint64_t sum = 0;
      for (const uint64_t count : counts)
        sum += count;
      return sum;
    }
  };
  struct Place {
    unsigned row, bin;
  };
  static Place placeOf(uint64_t ns);
  static uint64_t lowestOf(Place place);
  static void keep(Kept &kept, TimedCall call);
  Group &groupAt(unsigned row, unsigned group) {
    const size_t number = size_t{row} * kGroupsOfRow + group;
    if (number >= groups_.size() || !groups_[number]) [[unlikely]]
      makeGroup(number);
    return *groups_[number];
  }
  void makeGroup(size_t number);
  /// The durations of a group in ascending order, and how often each. Exact if all calls were kept; otherwise
  /// those that were kept stand for the others of their bins.
  std::vector<std::pair<uint64_t, uint64_t>> durationsOf(size_t group) const;
  /// Calls `use` with each of the durations that are `ns` or longer, and how often it is there.
  template <class Use> void eachFrom(uint64_t ns, const Use &use) const;

  size_t most_;
  uint64_t count_ = 0, totalNs_ = 0;
  std::vector<std::unique_ptr<Group>> groups_; // by durations; null where there are no calls
};

inline CallTimes::Place CallTimes::placeOf(uint64_t ns) {
  if (ns < kBins)
    return {0, static_cast<unsigned>(ns)};
  const auto shift = static_cast<unsigned>(63 - kBinBits - __builtin_clzll(ns));
  return {shift + 1, static_cast<unsigned>(ns >> shift) & (kBins - 1)};
}

} // namespace ada::analysis
