// One trace that SQL can be asked about: what its virtual tables share.
#pragma once

#include "analysis/query/list_tables.h"
#include "analysis/query/shared_trace.h"
#include "analysis/query/span_read.h"
#include "trace/base/text.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ada::query {

/// A call, as far as its two events show it.
struct KeptSpan {
  uint64_t id = 0, parentId = 0, ts = 0, dur = 0;
  uint32_t function = 0, thread = 0, process = 0, depth = 0;
  uint8_t exit = 0, outermost = 0;
};

/// For one thread: that of the database connection.
class AttachedTrace {
public:
  AttachedTrace(std::unique_ptr<SharedTrace> trace, const std::atomic<bool> &interrupt)
      : interrupt(interrupt), lists(*trace), trace_(std::move(trace)) {}

  SharedTrace &trace() { return *trace_; }
  /// The function's name as UTF-8; stays where it is.
  const std::string &nameOf(uint32_t function);
  /// The call with this id, from calls that are kept: joins ask for the same few parents again and again. Null if there
  /// is none.
  Expected<const KeptSpan *> find(uint64_t id);

  const std::atomic<bool> &interrupt; ///< true while a query is to end
  TraceLists lists;
  /// The query that is being prepared has the word OR. SQLite may then read a table once for each side and tell by
  /// their numbers which rows it had before.
  bool hasOr = false;

private:
  struct KeptRange {
    uint64_t first = 0;          ///< id
    std::vector<KeptSpan> spans; ///< by id
  };
  static constexpr uint64_t kRangeBits = 16;
  static constexpr size_t kMaxRanges = 32;

  std::unique_ptr<SharedTrace> trace_;
  std::vector<std::unique_ptr<const std::string>> names_;
  std::vector<KeptRange> kept_; // the last used first
};

} // namespace ada::query
