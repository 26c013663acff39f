// Counts what a session holds while it is being made.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace ada::cli {

/// Sums over the processes of a session. A process whose trace is in parts (option rotate) counts once, and so does
/// each of its threads. Parts that are gone are not counted.
struct RecordTotals {
  uint64_t processes = 0, threads = 0;
  uint64_t events = 0, dropped = 0;
  uint64_t bytes = 0;
};

/// Watches a session directory while programs record into it. refresh() reads the counters in the header of each
/// process's ring file. Where there is no ring file (or no longer one), it reads the trace itself; once the process has
/// finished, only once.
class RecordWatch {
public:
  explicit RecordWatch(std::string session) : session_(std::move(session)) {}
  RecordTotals refresh();

private:
  struct Process {
    std::string ring; ///< path of the ring file, empty until the manifest names it
    bool finished = false;
    uint64_t part = 0; ///< its number if it is a part of a trace
    RecordTotals totals;
  };
  void refresh(const std::string &directory, Process &process);

  std::string session_;
  std::map<std::string, Process> processes_;
};

} // namespace ada::cli
