// Which processes of a trace run the same program with alike command lines: what is shown of one stands for all.
#pragma once

#include "analysis/events/trace_table.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ada::analysis {

struct ProcessKind {
  std::string command;    ///< of one process its command line, of several the shape of theirs
  uint32_t processes = 0; ///< how many there are
  uint32_t longest = 0;   ///< the one that took longest, in TraceTable::processes

  bool areSeveral() const { return processes > 1; }
};

class ProcessKinds {
public:
  explicit ProcessKinds(const TraceTable &table);

  uint32_t numberOf(uint32_t process) const { return kindOf_[process]; }
  const ProcessKind &of(uint32_t process) const { return all_[kindOf_[process]]; }
  /// In the order of their first processes.
  std::span<const ProcessKind> all() const { return all_; }

private:
  std::vector<ProcessKind> all_;
  std::vector<uint32_t> kindOf_; // by process
};

} // namespace ada::analysis
