// Finds which of many values lie plainly apart on two sides of runs.
#include "separation.h"

#include <algorithm>
#include <limits>
#include <random>

namespace ada::analysis {

namespace {

// There is no better basis for this value than a third of the smallest change that diff names.
constexpr double kLeastSpread = 0.01 / 3;
constexpr double kRate = 0.02, kEnoughWays = 50;
constexpr size_t kMostWays = 1000, kLeastWays = 200, kMostScores = 600'000;

// For each run, whether it is dealt to side b.
using Deal = std::vector<char>;

struct Sides {
  double gap, range;
};

Sides sidesOf(std::span<const double> logs, const Deal &deal) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double low[2] = {kNone, kNone}, high[2] = {-kNone, -kNone};
  for (size_t run = 0; run < logs.size(); ++run) {
    const int side = deal[run];
    low[side] = std::min(low[side], logs[run]);
    high[side] = std::max(high[side], logs[run]);
  }
  return {std::max(low[1] - high[0], low[0] - high[1]), std::max(high[0] - low[0], high[1] - low[1])};
}

// The way in which the runs were really dealt, then all other ways, or that many chosen at random.
std::vector<Deal> dealsOf(size_t runsA, size_t runsB, size_t most) {
  Deal deal(runsA + runsB, 0);
  std::fill(deal.begin() + static_cast<ptrdiff_t>(runsA), deal.end(), 1);
  std::vector<Deal> deals;
  if (waysToDeal(runsA, runsB) > static_cast<double>(most)) {
    std::mt19937_64 random(1); // always the same, so that a comparison does not depend on luck
    for (deals.push_back(deal); deals.size() < most; deals.push_back(deal))
      for (size_t i = deal.size() - 1; i > 0; --i)
        std::swap(deal[i], deal[random() % (i + 1)]); // not std::shuffle, which differs between libraries
    return deals;
  }
  do {
    if (runsA == runsB && deal[0])
      break; // the remaining ways only swap the sides
    deals.push_back(deal);
  } while (std::ranges::next_permutation(deal).found);
  return deals;
}

class Scores {
public:
  explicit Scores(std::span<const RunValuesGroup> groups) : groups_(groups) {}

  /// The scores of each value of each group. The median range of a group counts up to `mostSpread`.
  const std::vector<std::vector<double>> &of(const Deal &deal, const std::vector<double> &mostSpread) {
    scores_.resize(groups_.size());
    spreads_.resize(groups_.size());
    for (size_t group = 0; group < groups_.size(); ++group) {
      sides_.clear();
      ranges_.clear();
      for (const RunValues &values : groups_[group]) {
        sides_.push_back(sidesOf(values.logs, deal));
        ranges_.push_back(sides_.back().range);
      }
      double spread = 0;
      if (!ranges_.empty()) {
        const auto middle = ranges_.begin() + static_cast<ptrdiff_t>(ranges_.size() / 2);
        std::nth_element(ranges_.begin(), middle, ranges_.end());
        spread = *middle;
      }
      if (!mostSpread.empty())
        spread = std::min(spread, mostSpread[group]);
      spreads_[group] = spread;
      scores_[group].clear();
      for (size_t i = 0; i < sides_.size(); ++i)
        scores_[group].push_back(sides_[i].gap /
                                 (sides_[i].range + std::max(spread, kLeastSpread) + groups_[group][i].extraSpread));
    }
    return scores_;
  }
  /// The median ranges of the last deal.
  const std::vector<double> &spreads() const { return spreads_; }

private:
  std::span<const RunValuesGroup> groups_;
  std::vector<std::vector<double>> scores_;
  std::vector<double> spreads_, ranges_;
  std::vector<Sides> sides_;
};

double highestOf(const std::vector<std::vector<double>> &scores) {
  double highest = 0;
  for (const std::vector<double> &group : scores)
    for (const double score : group)
      highest = std::max(highest, score);
  return highest;
}

// The score that a value needs, from the highest score of each other way to deal the runs.
double scoreNeeded(std::vector<double> others) {
  std::ranges::sort(others, std::greater());
  const double ways = static_cast<double>(others.size() + 1);
  const double highest = others.empty() ? 0 : others[0];
  if (ways < kEnoughWays)
    return std::max(ways < 20 ? 2.0 : 1.0, highest * (1 + 30 / (ways * ways)));
  // The score may equal or be below those of `above` other ways: (above + 1) / ways <= kRate.
  const auto above = static_cast<size_t>(kRate * ways) - 1;
  return std::max(0.5, others[above]);
}

} // namespace

double waysToDeal(size_t runsA, size_t runsB) {
  double ways = 1;
  for (size_t i = 1; i <= std::min(runsA, runsB) && ways < 1e9; ++i)
    ways = ways * static_cast<double>(std::max(runsA, runsB) + i) / static_cast<double>(i);
  return runsA == runsB ? ways / 2 : ways;
}

std::vector<std::vector<bool>> findApart(std::span<const RunValuesGroup> groups, size_t runsA, size_t runsB) {
  std::vector<std::vector<bool>> apart;
  size_t count = 0;
  for (const RunValuesGroup &group : groups) {
    apart.emplace_back(group.size());
    count += group.size();
  }
  if (std::min(runsA, runsB) < 2 || count == 0)
    return apart;
  const std::vector<Deal> deals = dealsOf(runsA, runsB, std::clamp(kMostScores / count, kLeastWays, kMostWays));
  Scores scores(groups);
  const std::vector<std::vector<double>> real = scores.of(deals[0], {});
  // A real change widens what other ways take for noise. This must not make those ways look quieter than they are.
  const std::vector<double> spreads = scores.spreads();
  std::vector<double> others;
  for (size_t way = 1; way < deals.size(); ++way)
    others.push_back(highestOf(scores.of(deals[way], spreads)));
  const double needed = scoreNeeded(std::move(others));
  for (size_t group = 0; group < groups.size(); ++group)
    for (size_t i = 0; i < groups[group].size(); ++i)
      apart[group][i] = real[group][i] > needed;
  return apart;
}

} // namespace ada::analysis
