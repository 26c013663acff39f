// The cost of one function's calls in one thread, as the viewer's index keeps it.
#pragma once

#include "ada/trace/calls.h"
#include "index_format.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace ada::view {

/// Numbers of calls by length, in 16 buckets per power of two: a length read from it is off by 1/32 at most. Below 32
/// ns all lengths are exact.
class LengthCounts {
public:
  static size_t bucketOf(uint64_t ns) {
    if (ns < 16)
      return ns;
    const auto shift = static_cast<unsigned>(std::bit_width(ns)) - 5;
    return 16 * (shift + size_t{1}) + (ns >> shift & 15);
  }
  static uint64_t startOf(size_t bucket) { return bucket < 16 ? bucket : (16 + (bucket & 15)) << (bucket / 16 - 1); }

  void add(uint64_t ns, uint64_t calls = 1) { addTo(bucketOf(ns), calls); }
  void merge(const LengthCounts &other) {
    for (size_t i = 0; i < other.counts_.size(); ++i)
      if (other.counts_[i] > 0)
        addTo(other.first_ + i, other.counts_[i]);
  }
  /// Calls `use` with the shortest length of each bucket and the number of calls in it.
  template <class Use> void forEach(Use &&use) const {
    for (size_t i = 0; i < counts_.size(); ++i)
      if (counts_[i] > 0)
        use(startOf(first_ + i), counts_[i]);
  }
  void put(IndexBytes &to) const {
    to.number(first_);
    to.number(counts_.size());
    for (const uint64_t count : counts_)
      to.number(count);
  }
  bool get(IndexCursor &from) {
    first_ = from.number();
    const uint64_t size = from.number();
    if (first_ > kBuckets || size > kBuckets - first_)
      return false;
    counts_.resize(size);
    for (uint64_t &count : counts_)
      count = from.number();
    return from.isGood();
  }

private:
  static constexpr size_t kBuckets = 16 * 61;
  void addTo(size_t bucket, uint64_t calls) {
    if (counts_.empty())
      first_ = bucket;
    if (bucket < first_) {
      counts_.insert(counts_.begin(), first_ - bucket, 0);
      first_ = bucket;
    }
    if (bucket - first_ >= counts_.size())
      counts_.resize(bucket - first_ + 1);
    counts_[bucket - first_] += calls;
  }

  size_t first_ = 0;
  std::vector<uint64_t> counts_;
};

/// Counts like FunctionStatistics.
struct FunctionTotals {
  uint64_t calls = 0, totalNs = 0, selfNs = 0, recorderNs = 0;
  uint64_t minNs = ~uint64_t{0}, maxNs = 0; ///< of calls with both ends recorded, like `lengths`
  LengthCounts lengths;

  void add(const Span &span) {
    ++calls;
    totalNs += span.outermost ? span.durationNs() : 0;
    selfNs += span.selfNs(), recorderNs += span.recorderNs;
    if (!isSeen(span.how))
      return;
    const uint64_t ns = span.durationNs();
    minNs = std::min(minNs, ns), maxNs = std::max(maxNs, ns);
    lengths.add(ns);
  }
  void merge(const FunctionTotals &other) {
    calls += other.calls, totalNs += other.totalNs;
    selfNs += other.selfNs, recorderNs += other.recorderNs;
    minNs = std::min(minNs, other.minNs), maxNs = std::max(maxNs, other.maxNs);
    lengths.merge(other.lengths);
  }
  /// By nearest rank; returns the middle of the bucket.
  uint64_t percentile(double percent) const {
    uint64_t all = 0, seen = 0, found = 0;
    lengths.forEach([&](uint64_t, uint64_t count) { all += count; });
    const double rank = percent / 100 * static_cast<double>(all);
    lengths.forEach([&](uint64_t startNs, uint64_t count) {
      if (seen == 0 || static_cast<double>(seen) < rank)
        found = startNs + (LengthCounts::startOf(LengthCounts::bucketOf(startNs) + 1) - startNs) / 2;
      seen += count;
    });
    return all ? std::clamp(found, minNs, maxNs) : 0;
  }
  void put(IndexBytes &to) const {
    for (const uint64_t value : {calls, totalNs, selfNs, recorderNs, minNs, maxNs})
      to.number(value);
    lengths.put(to);
  }
  bool get(IndexCursor &from) {
    for (uint64_t *value : {&calls, &totalNs, &selfNs, &recorderNs, &minNs, &maxNs})
      *value = from.number();
    return lengths.get(from);
  }
};

} // namespace ada::view
