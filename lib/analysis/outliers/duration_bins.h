// How many calls took how long, to within 1.6 %: bins can be taken away and added, as if calls had taken less.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace ada::analysis {

class DurationBins {
public:
  void add(uint64_t ns, int64_t calls = 1) {
    const size_t bin = binOf(ns);
    if (bin >= counts_.size())
      counts_.resize(bin + kBins);
    counts_[bin] += calls;
    count_ += calls;
  }
  /// Subtracting more calls than there are leaves none.
  DurationBins &operator+=(const DurationBins &other) {
    counts_.resize(std::max(counts_.size(), other.counts_.size()));
    for (size_t i = 0; i < other.counts_.size(); ++i)
      counts_[i] += other.counts_[i];
    count_ += other.count_;
    return *this;
  }
  int64_t count() const { return count_; }
  /// How many took that long or longer.
  int64_t countFrom(uint64_t ns) const {
    int64_t sum = 0;
    for (size_t i = binOf(ns); i < counts_.size(); ++i)
      sum += counts_[i];
    return sum;
  }
  /// The duration that the share `part` of the calls do not exceed; 0 without calls.
  uint64_t quantile(double part) const {
    auto left = static_cast<int64_t>(part * static_cast<double>(count_));
    for (size_t i = 0; i < counts_.size(); ++i)
      if ((left -= counts_[i]) < 0)
        return middleOf(i);
    return 0;
  }

  uint64_t longest() const {
    const auto last = std::ranges::find_if(counts_.rbegin(), counts_.rend(), [](int64_t count) { return count > 0; });
    return last == counts_.rend() ? 0 : middleOf(static_cast<size_t>(counts_.rend() - last - 1));
  }

private:
  static constexpr unsigned kBinBits = 5, kBins = 1U << kBinBits;
  static size_t binOf(uint64_t ns) {
    if (ns < kBins)
      return ns;
    const auto shift = static_cast<unsigned>(63 - kBinBits - std::countl_zero(ns));
    return (size_t{shift} + 1) * kBins + ((ns >> shift) & (kBins - 1));
  }
  static uint64_t middleOf(size_t bin) {
    if (bin < kBins)
      return bin;
    const auto shift = static_cast<unsigned>(bin / kBins - 1);
    return ((kBins + bin % kBins) << shift) + (uint64_t{1} << shift) / 2;
  }

  std::vector<int64_t> counts_;
  int64_t count_ = 0;
};

} // namespace ada::analysis
