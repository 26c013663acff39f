// The rows of all tables but `spans`, which has a reader of its own (span_read.h).
#pragma once

#include "ada/trace/columns.h"
#include "list_rows.h"
#include "shared_trace.h"
#include "tables.h"
#include "trace/base/table.h"
#include "trace_totals.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ada::query {

/// Which rows may be left out, and which columns.
struct ListRequest {
  uint64_t used = ~uint64_t{0};             ///< a bit for each column; others need no value
  uint64_t minTs = 0, maxTs = ~uint64_t{0}; ///< of tables that have `ts`; both ends included
  std::optional<std::vector<uint32_t>> threads = {};
  std::optional<uint64_t> id = {}; ///< of tables that have `id`
};

/// Takes the values of a row, in the order of the table's columns; false ends the reading.
using RowVisitor = std::function<bool(const std::vector<Value> &)>;

/// One trace as lists of rows. May be used from any thread.
class TraceLists {
public:
  explicit TraceLists(SharedTrace &trace);

  /// Calls `visit` with the rows that match, and perhaps with others. Ends early, without an error, if `stop` becomes
  /// true.
  Expected<void> read(const TableInfo &table, const ListRequest &request, const std::atomic<bool> &stop,
                      const RowVisitor &visit);

  /// Whether read() has the answer at hand: a row with an id, whose figures are known or not wanted.
  bool isAtHand(const TableInfo &table, const ListRequest &request);

private:
  Expected<void> readFunctions(const ListRequest &request, const std::atomic<bool> &stop, const RowVisitor &visit);
  Expected<void> readProcessFunctions(const std::atomic<bool> &stop, const RowVisitor &visit);
  Expected<void> readThreads(const ListRequest &request, const std::atomic<bool> &stop, const RowVisitor &visit);
  Expected<void> readProcesses(const ListRequest &request, const std::atomic<bool> &stop, const RowVisitor &visit);
  Expected<void> readWaits(const ListRequest &request, const std::atomic<bool> &stop, const RowVisitor &visit);
  Expected<void> readOffCpu(const ListRequest &request, const std::atomic<bool> &stop, const RowVisitor &visit);
  /// Reads the figures, once, if one of the columns from number `first` on is used; null if not.
  Expected<const TraceTotals *> totals(const ListRequest &request, unsigned first, const std::atomic<bool> &stop);

  SharedTrace &trace_;
  std::vector<Knowledge> known_;  // by process
  std::vector<uint64_t> threads_; // how many, by process
  Knowledge ofAny_;               // what is known about any process
  std::mutex mutex_;
  std::unique_ptr<TraceTotals> totals_;
};

} // namespace ada::query
