// A trace that is being recorded, read piece by piece under numbers that stay the same.
//
//   TraceTable table;
//   GrowingTrace trace(table);
//   for (;;) {
//     auto source = model::openTrace(path);   // again each time: the session has grown
//     trace.look(**source, sink);             // only what is new
//   }
//
// Each source numbers processes, threads and functions anew, and in another order when more of them have appeared. Here
// each keeps the number that it got when it was first seen.
#pragma once

#include "trace_table.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ada::analysis {

class GrowingTrace {
public:
  /// `table` is empty, and must outlive this.
  explicit GrowingTrace(TraceTable &table) : table_(table) {}

  /// Hands the events that are new since the last look to the sink, one thread after the other, each with endThread()
  /// after its events. Nothing else of the sink is used: table() has what is announced. `source` is threadwise, and of
  /// the same session each time. `wants`: which threads, by number in table(); empty: all. Threads that are not wanted
  /// now may be later.
  Expected<void> look(model::TraceSource &source, model::TraceSink &sink,
                      const std::function<bool(uint32_t thread)> &wants = {});

  TraceTable &table() { return table_; }
  const TraceTable &table() const { return table_; }
  /// Number of a process's function, which must have had events.
  uint32_t numberOf(uint32_t process, uint64_t functionId) const { return functions_[process].at(functionId); }
  /// Whether a thread has lost its first events after they were read (max_size, max_time). Then numbers of events are
  /// no longer what they were, and events may have been lost before they were read.
  bool hasLostFront() const { return hasLostFront_; }

private:
  class Reader;

  TraceTable &table_;
  std::map<std::string, uint32_t> processes_;                     // by name
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> threads_;     // by process and number there
  std::vector<std::unordered_map<uint64_t, uint32_t>> functions_; // by process and id
  struct Seen {
    uint64_t events = 0, firstNs = 0, lastNs = 0;
  };
  std::vector<Seen> seen_; // by thread
  bool hasLostFront_ = false;
};

} // namespace ada::analysis
