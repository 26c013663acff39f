// Which calls of a function are slow, and which are ordinary.
//
// The slow ones are the slowest 1 % unless something else is asked for. If there is a gap in their durations (one of
// them takes twice as long as the next), only those above the lowest such gap are slow: the others belong to the rest.
// The ordinary ones are the middle half: from the lower quartile to the upper one.
//
// Calls inside another call of the same function do not count, and neither do those whose begin or end is missing.
#ifndef ADA_LIB_ANALYSIS_SLOW_CALLS_H
#define ADA_LIB_ANALYSIS_SLOW_CALLS_H

#include "analysis/events/thread_workers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

/// The value of --slowest.
struct SlowestOf {
  enum class Kind { Share, Count, Longer };
  Kind kind = Kind::Share;
  double share = 0.01;       ///< Share: of all calls
  uint64_t count = 0;        ///< Count
  uint64_t longerThanNs = 0; ///< Longer
  bool isGiven = false;      ///< asked for: then no gap is looked for

  /// Reads "1%", "25" or ">5ms". Nothing if it is none of these.
  static std::optional<SlowestOf> parse(std::string_view text);
};

/// A call by its thread and the number of the event that began it; by default none.
struct CallId {
  uint32_t thread = ~uint32_t{0};
  uint64_t seq = ~uint64_t{0};
  bool operator==(const CallId &) const = default;
};

/// The durations of the calls of one function.
struct CallTimes {
  std::string function; ///< its display name; functions of that name in all processes count as one
  std::vector<uint64_t> sortedNs;

  /// How much longer than the median calls took, in total.
  uint64_t aboveMedianNs() const;
};

/// Durations from which on a call is slow, and between which it is ordinary.
struct SlowLimits {
  uint64_t slowFromNs = 0, ordinaryFromNs = 0, ordinaryToNs = 0;
  uint64_t slow = 0, ordinary = 0; ///< how many there are
  uint64_t mostSampled = 20'000;   ///< at most that many of each kind are looked at, chosen evenly
  CallId always;                   ///< this one is sampled whatever its number, if it is slow
};
SlowLimits limitsOf(const CallTimes &times, const SlowestOf &slowest);

/// The functions that a glob chooses, in all threads given, by name. Reads the trace once, several threads at a time.
/// Memory: 8 bytes for each call of such a function.
Expected<std::vector<CallTimes>> callTimes(model::TraceSource &source, const TraceTable &table,
                                           const std::vector<uint32_t> &threads, const std::vector<std::string> &globs,
                                           uint64_t fromNs, uint64_t toNs, Damage &damage);

} // namespace ada::analysis

#endif // ADA_LIB_ANALYSIS_SLOW_CALLS_H
