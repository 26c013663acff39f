// Which calls of a function are slow, and which are ordinary.
//
// The slow ones are the slowest 1 % unless something else is asked for. If there is a gap in their durations, only
// those above the lowest gap are slow: the others belong to the rest. The ordinary ones are the middle half: from the
// lower quartile to the upper one.
//
// Calls inside another call of the same function do not count, and neither do those whose begin or end is missing.
#pragma once

#include "call_times.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ada::analysis {

/// The value of --slowest.
struct SlowestOf {
  enum class Kind { Share, Count, Longer };
  Kind kind = Kind::Share;
  double share = 0.01;                  ///< Share: of all calls
  uint64_t count = 0;                   ///< Count
  uint64_t longerThanNs = ~uint64_t(0); ///< Longer
  bool isGiven = false;                 ///< asked for: then no gap is looked for

  /// Reads "1%", "25" or ">5ms". Nothing if it is none of these.
  static std::optional<SlowestOf> parse(std::string_view text);
};

/// Durations from which on a call is slow, and between which it is ordinary.
struct SlowLimits {
  uint64_t slowFromNs = 0, ordinaryFromNs = 0, ordinaryToNs = 0;
  uint64_t slow = 0, ordinary = 0; ///< how many there are
  size_t mostSampled = 4000;       ///< at most that many of each kind are looked at, chosen evenly
};
/// `longer` is the number of calls that take longer than SlowestOf::longerThanNs.
SlowLimits limitsOf(const CallTimes &times, const SlowestOf &slowest, uint64_t longer);

} // namespace ada::analysis
