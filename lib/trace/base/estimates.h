// Numbers that are only roughly known, for people and programs.
#pragma once

#include "trace/base/format.h"
#include "trace/base/json.h"
#include "trace/base/quantities.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ada {

/// The number of calls of functions that were switched off, which nobody counted: an estimate, as if they were called
/// as often as before, and an upper limit. The true number may be anything up to that limit, because a program may call
/// them more often later, or never again.
struct MissingCalls {
  uint64_t ifAsBefore, most; ///< one significant digit each; `most` is 0 if it is not known

  constexpr MissingCalls(uint64_t estimated, uint64_t atMost)
      : ifAsBefore(roundedDown(clamped(estimated) + unitOf(clamped(estimated)) / 2)),
        most(atMost ? roundedDown(clamped(atMost) + unitOf(clamped(atMost)) - 1) : 0) {}
  /// "up to 4,000,000,000 calls of it were not recorded, some 30,000,000 if it was called as often as before"
  std::string text(bool isOne) const {
    return fmt::format("{} calls of {} were not recorded, some {} if {} called as often as before",
                       most ? "up to " + formatCount(most) : "an unknown number of", isOne ? "it" : "them",
                       formatCount(ifAsBefore), isOne ? "it was" : "they were");
  }
  void putMembers(JsonMembers &json) const {
    json.number("estimated_calls", ifAsBefore).number("most_calls", most ? std::optional(most) : std::nullopt);
  }

private:
  static constexpr uint64_t clamped(uint64_t number) { return number < UINT64_MAX / 20 ? number : UINT64_MAX / 20; }
  static constexpr uint64_t unitOf(uint64_t number) {
    uint64_t unit = 1;
    while (number / unit >= 10)
      unit *= 10;
    return unit;
  }
  static constexpr uint64_t roundedDown(uint64_t number) { return number / unitOf(number) * unitOf(number); }
};

} // namespace ada
