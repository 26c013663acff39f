// What makes a session the same one, wherever its files lie.
#ifndef ADATRACE_FLEET_SESSION_IDENTITY_H
#define ADATRACE_FLEET_SESSION_IDENTITY_H

#include "analysis/trace_table.h"

#include <cstdint>
#include <string>

namespace ada::cli {

struct SessionIdentity {
  std::uint64_t session = 0; ///< of hosts, processes and when they began; of a file of other tools of its first bytes
  std::uint64_t content = 0; ///< of the names and sizes of its files: it changes while the program runs
  std::uint64_t lastWrittenNs = 0; ///< its newest file, in nanoseconds since 1970
};
/// Errors: E_IO.
Expected<SessionIdentity> identify(const std::string &path, const analysis::TraceTable &table);

/// The file name, without what is above it.
std::string sessionName(const std::string &path);

} // namespace ada::cli
#endif // ADATRACE_FLEET_SESSION_IDENTITY_H
