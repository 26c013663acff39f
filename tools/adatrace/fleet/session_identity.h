// Identifies a session independently of the location of its files.
#pragma once

#include "analysis/events/trace_table.h"

#include <cstdint>
#include <string>

namespace ada::cli {

struct SessionIdentity {
  /// A hash of hosts, processes and their start times; for a file of another tool, of its first bytes.
  uint64_t session = 0;
  uint64_t content = 0;       ///< a hash of the names and sizes of its files; it changes while the program runs
  uint64_t lastWrittenNs = 0; ///< when its newest file was written, in nanoseconds since 1970
};
/// Errors: E_IO.
Expected<SessionIdentity> identify(const std::string &path, const analysis::TraceTable &table);

} // namespace ada::cli
