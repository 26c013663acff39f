// The self times of a function's calls, for their median.
//
// Most functions call no other traced function. Their self times are the durations of their calls, which are there
// already, so times are kept apart only from a function's first call on of which that isn't so.
#pragma once

#include "trace/statistics.h"

#include <vector>

namespace ada::analysis {

class SelfDurations {
public:
  /// Adds a call whose both ends were recorded. `before`: the durations of the calls before it.
  void add(uint64_t selfNs, uint64_t durationNs, const Distribution &before) {
    if (own_.empty() && selfNs == durationNs)
      return;
    keepApart(before);
    own_[0].add(selfNs);
  }
  /// Both have their calls' durations; `mine` without those of `other`.
  void merge(const SelfDurations &other, const Distribution &mine, const Distribution &others) {
    if (own_.empty() && other.own_.empty())
      return;
    keepApart(mine);
    own_[0].merge(other.in(others));
  }
  /// `durations`: those of all these calls.
  const Distribution &in(const Distribution &durations) const { return own_.empty() ? durations : own_[0]; }

private:
  void keepApart(const Distribution &before) {
    if (own_.empty())
      own_.push_back(before);
  }
  std::vector<Distribution> own_; // one, or none as long as they are the durations
};

} // namespace ada::analysis
