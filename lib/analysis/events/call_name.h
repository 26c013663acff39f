// A call as commands name it: "3:1742", or "4711/3:1742" if there are several processes.
#pragma once

#include "trace_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::analysis {

struct CallName {
  std::optional<uint64_t> pid;
  uint64_t thread = 0; ///< its number in its process
  uint64_t seq = 0;    ///< of the event that begins the call

  /// Empty if the text is not such a name.
  static std::optional<CallName> parse(std::string_view text);
  /// Those of the given threads that it may mean.
  std::vector<uint32_t> threadsIn(const TraceTable &table, const std::vector<uint32_t> &threads) const;
};

/// The call that event number `seq` of the thread begins.
std::string callName(const TraceTable &table, bool severalProcesses, uint32_t thread, uint64_t seq);

} // namespace ada::analysis
