// Reads the counters in the ring file of a recording program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ada::recover {

/// The path of the ring file according to a process directory's manifest; empty if it names none. `part` receives the
/// number of the part of the process's trace that the directory is, 0 if the manifest gives none.
std::string ringPathOf(const std::string &directory, uint64_t *part = nullptr);

/// What the runtime counts while it records.
struct RingCounters {
  uint64_t events = 0, lost = 0, bytes = 0, threads = 0;
};
/// The counters for what is in the process directory `directory`. Nothing if the ring file is gone, is something else,
/// or is about another part of the trace (option rotate).
std::optional<RingCounters> readRingCounters(const std::string &path, const std::string &directory);

} // namespace ada::recover
