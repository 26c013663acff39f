// Whether interruptions alone explain in which parts of slow calls the time is.
//
// Other programs, the kernel and a hypervisor stop threads, and not every stop is in the scheduling records. They hit
// code in proportion to the time for which it runs: a path that ordinarily has a tenth of the calls' time on-CPU gets a
// tenth of the stops. So it is to blame only if it is slow more often than that.
#pragma once

#include "call_parts.h"

#include <cstdint>
#include <vector>

namespace ada::analysis {

class Interruptions {
public:
  Interruptions(const CallSample &sample, const std::vector<PartColumn> &columns);
  /// The probability that interruptions alone make this many calls slow in one path of the part. Only for parts that
  /// have isSlower.
  double chanceOf(const PartColumn &column) const;

private:
  struct Node {
    double ordinaryNs = 0;   // on-CPU in all ordinary calls
    uint64_t slowMostly = 0; // slow calls that have more of their extra time there than elsewhere
  };
  std::vector<Node> nodes_; // by path
  double ordinaryNs_ = 0;   // of all paths of parts with isSlower; likewise:
  uint64_t slowMostly_ = 0, tested_ = 0;
};

} // namespace ada::analysis
