// The part of the own time of calls that lies in a time range.
#pragma once

#include "ada/trace/calls.h"

#include <algorithm>
#include <span>
#include <vector>

namespace ada::analysis {

/// Follows one thread. It needs each event before the walker gets it, and each call that ends.
///
/// It only has to know the own time of the open calls when the range began and when it ended. Both values may be too
/// large by the same amount: the time that the calls spent in calls that were not read.
class OwnTime {
public:
  OwnTime(uint64_t fromNs, uint64_t toNs) : fromNs_(fromNs), toNs_(toNs) {}

  void next(uint64_t timeNs, const CallStackWalker &calls) {
    if (!hasBegun_ && timeNs >= fromNs_) {
      hasBegun_ = true;
      if (fromNs_ > 0)
        before_ = selves(calls.open(), fromNs_);
    }
    if (!isOver_ && timeNs >= toNs_ && toNs_ != ~uint64_t(0)) {
      isOver_ = true;
      until_ = selves(calls.open(), toNs_);
    }
  }
  /// Returns the call with Span::childrenNs set so that Span::selfNs() is its own time in the range.
  Span inRange(Span span) const {
    uint64_t own = span.selfNs();
    if (span.beginNs < toNs_ && isOver_ && span.depth < until_.size())
      own = until_[span.depth];
    if (span.beginNs < fromNs_ && hasBegun_ && span.depth < before_.size())
      own -= std::min(own, before_[span.depth]);
    span.childrenNs = span.durationNs() - std::min(own, span.durationNs());
    return span;
  }
  bool isOver() const { return isOver_; }

private:
  static std::vector<uint64_t> selves(std::span<const Span> open, uint64_t ns) {
    std::vector<uint64_t> selves;
    for (size_t i = 0; i < open.size(); ++i) {
      const uint64_t end = std::max(i + 1 < open.size() ? open[i + 1].beginNs : ns, open[i].beginNs);
      const uint64_t duration = end - open[i].beginNs;
      selves.push_back(duration - std::min(open[i].childrenNs, duration));
    }
    return selves;
  }

  uint64_t fromNs_, toNs_;
  bool hasBegun_ = false, isOver_ = false;
  std::vector<uint64_t> before_, until_; // by depth
};

} // namespace ada::analysis
