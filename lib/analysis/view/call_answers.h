// Single calls: all details of one, and searches for calls.
#pragma once

#include "trace_view.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada::view {

/// A call's number is that of the event that began it. Values that do not exist, or lie too far away to be found, are
/// empty.
struct CallDetails {
  uint64_t seq = 0;
  uint32_t thread = 0, function = 0, depth = 0;
  uint64_t beginNs = 0;
  std::optional<uint64_t> endNs; ///< nothing: still open
  SpanEnd how = SpanEnd::Open;
  std::optional<uint64_t> selfNs, calls; ///< for calls that have ended
  bool knowsSched = false;               ///< offCpu is known beyond the recorder's part
  std::optional<OffCpuTimes> offCpu;     ///< of the whole call, if known
  std::string arguments, result;         ///< "(n=10)" and "55"; empty where nothing was recorded
  std::vector<uint32_t> callers;         ///< functions of the calls around it, as far as known, the innermost first
  std::optional<uint64_t> parent, firstChild, previous, next, previousSame, nextSame;
};

/// Nothing if no call begins with that event.
Expected<std::optional<CallDetails>> callDetails(TraceView &view, uint32_t thread, uint64_t seq);

/// The number of the call that is open at a time at a depth (0 is the outermost).
Expected<std::optional<uint64_t>> callAt(TraceView &view, uint32_t thread, uint64_t ns, uint32_t depth);

/// The innermost call that is open at a time.
Expected<std::optional<uint64_t>> innermostAt(TraceView &view, uint32_t thread, uint64_t ns);

struct FindRequest {
  std::vector<uint32_t> threads;
  uint64_t fromNs = 0, toNs = 0; ///< calls that begin there
  std::string function = {};     ///< globs, see shared/select/function_glob.h; empty: all
  std::string arguments = {};    ///< text that they contain
  uint64_t minNs = 0;
  bool slowestFirst = false; ///< otherwise the earliest first
  size_t limit = 20;
  uint64_t mostEvents = 20'000'000; ///< limit on events read, for all threads together
};

struct FoundCalls {
  struct Call {
    Item item; ///< ItemKind::Open: its end is not known
    uint32_t thread = 0;
    std::string arguments;
  };
  std::vector<Call> calls;
  bool isComplete = true; ///< false: there may be more that match
};

Expected<FoundCalls> findCalls(TraceView &view, const FindRequest &request);

} // namespace ada::view
