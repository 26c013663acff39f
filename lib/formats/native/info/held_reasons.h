// Why the recorder held threads up, and for how long: sums by the reason that was measured.
#pragma once

#include "trace/base/json.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ada::atf {

class HeldReasons {
public:
  /// `reason`: as in docs/formats/sched.md; any other number means that the trace does not say why.
  void add(uint32_t reason, uint64_t ns);
  /// "the buffer was full (1.2 s), events were lost (3.4 ms)": the worst first, without those of less than a twentieth
  /// of `allNs`.
  std::string text(uint64_t allNs) const;
  /// The one that cost most; 0 if there is none, or if the trace does not say why.
  uint32_t worst() const;
  /// The sums in JSON, by the reasons' keys.
  JsonMembers members() const;

private:
  std::vector<std::pair<uint64_t, uint32_t>> worstFirst() const;
  std::map<uint32_t, uint64_t> sumsNs_;
};

} // namespace ada::atf
