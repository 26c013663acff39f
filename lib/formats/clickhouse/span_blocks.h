// A trace as blocks of rows for ClickHouse, the same ones whenever it is read: spans and sums (schema.h).
#ifndef ADA_LIB_FORMATS_CLICKHOUSE_SPAN_BLOCKS_H
#define ADA_LIB_FORMATS_CLICKHOUSE_SPAN_BLOCKS_H

#include "formats/clickhouse/call_sums.h"
#include "formats/clickhouse/named_values.h"
#include "formats/clickhouse/off_cpu_sums.h"
#include "formats/clickhouse/row_binary.h"
#include "formats/row_sink.h"

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ada::model {

/// What a process has in common with no trace format: where it ran, and when the trace's clock began.
struct ProcessPlace {
  std::string host;
  std::uint64_t epochOffsetNs = 0; ///< what to add to its times to get nanoseconds since 1970
};

enum class BlockKind { Spans, Sums, Points };
inline constexpr std::size_t kBlockKinds = 3;

/// What a row of `points` is, in the order of its Enum8.
enum class PointKind : std::uint8_t { Instant, Counter, FlowBegin, FlowStep, FlowEnd, Mark };

struct SpanBlock {
  BlockKind kind = BlockKind::Spans;
  std::uint32_t number = 0; ///< from 1 for each kind, in the order of their first rows
  std::uint16_t day = 0;    ///< of all of its rows, since 1970
  std::uint64_t rows = 0;
  std::string_view bytes; ///< RowBinary; valid during the call
};

struct SpanBlockOptions {
  std::uint64_t session = 0, plan = 0; ///< as in schema.h
  std::string release;
  std::vector<ProcessPlace> places; ///< by the process's number
  std::uint64_t mostRows = 200'000, mostBytes = 32 << 20;
  std::size_t mostWays = 1'000'000;
  std::uint64_t stepNs = 0;  ///< sums of calls for each span of time that long; 0: none
  bool allCalls = true;      ///< else these only:
  std::uint64_t slowest = 0; ///< so many of each function
  double sample = 0;         ///< that share of all, chosen by chance but always the same
  bool points = true;        ///< instants, values of counters, steps of flows, marks
  std::function<Expected<void>(const SpanBlock &)> take;
};

/// A way to a function: the calls around it, as a number that is the same in all sessions.
struct Way {
  std::uint64_t way = 0, parent = 0, function = 0; ///< parent 0: an outermost call; function 0: those that did not fit
};

/// The order of the rows, and so what is in which block, depends on the trace only. Memory: one block for each day that
/// the trace is of, and the open calls.
class SpanBlocks : public RowSink {
public:
  explicit SpanBlocks(SpanBlockOptions options) : RowSink(/*lists=*/true), options_(std::move(options)) {}

  /// What was announced: processes, threads, functions.
  using RowSink::table;
  std::uint64_t calls() const { return calls_; }
  /// Of a kind.
  std::uint64_t rows(BlockKind kind) const { return of(kind).rows; }
  std::uint32_t blocks(BlockKind kind) const { return of(kind).blocks; }
  /// When the first call began and the last one ended (or a point was), since 1970; 0 if there were none.
  std::uint64_t beganNs() const { return endedNs_ ? beganNs_ : 0; }
  std::uint64_t endedNs() const { return endedNs_; }
  /// Of all calls, in no particular order.
  const std::unordered_map<std::uint64_t, Way> &ways() const { return ways_; }
  /// Names of marks by their hashes: rows of `functions` that are none.
  const std::map<std::uint64_t, std::string> &marks() const { return marks_; }

private:
  struct OpenBlock {
    std::uint32_t number = 0;
    std::uint64_t rows = 0;
    RowBinary bytes;
  };
  struct ThreadTimes {
    OffCpuSums sums;
    std::vector<OffCpuTimes> inCalls;  // made by the open calls, by depth
    std::vector<std::string> traceIds; // of the open calls, by depth
  };

  void newThread(const Thread &thread) override;
  void offCpuTimes(const Thread &thread, const OffCpuLane &lane) override;
  void newFunction(const Function &function) override;
  std::uint64_t wayOf(const Call &call, std::uint64_t around) override;
  void lateValue(std::uint32_t thread, std::uint32_t depth, const Text &text) override;
  void writeRow(const Row &row) override;
  bool point(const Point &point) override;
  void mark(std::uint32_t thread, std::uint64_t timeNs, const Text &text) override;
  void leaveThread(std::uint32_t thread) override { times_[thread] = {}; }
  void endTrace() override;
  const Expected<void> &status() const override { return status_; }
  struct Table {
    std::uint64_t rows = 0;
    std::uint32_t blocks = 0;
    std::map<std::uint16_t, OpenBlock> open; // by day
  };
  // A row without its first columns.
  struct KeptCall {
    std::uint64_t duration = 0, number = 0; // of two that took as long the one that ended first
    std::uint16_t day = 0;
    std::string values;
    bool operator<(const KeptCall &other) const {
      return duration != other.duration ? duration > other.duration : number < other.number;
    }
  };

  struct AnyPoint {
    PointKind kind;
    std::uint32_t thread;
    std::uint64_t function, timeNs;
    std::optional<analysis::CounterValue> value;
    std::string_view arguments, json;
  };
  Table &of(BlockKind kind) { return tables_[static_cast<std::size_t>(kind)]; }
  const Table &of(BlockKind kind) const { return tables_[static_cast<std::size_t>(kind)]; }
  /// Of the innermost open call, before `depth` if one is given.
  std::string_view traceIdAround(std::uint32_t thread, std::size_t depth) const;
  void putPoint(const AnyPoint &point);
  void put(BlockKind kind, std::uint16_t day, std::string_view values);
  void putSums();
  void keepIfSlow(std::uint32_t function, KeptCall call);
  void handOn(BlockKind kind, std::uint16_t day, OpenBlock &block);

  SpanBlockOptions options_;
  std::vector<ThreadTimes> times_;       // by thread
  std::vector<std::uint64_t> functions_; // the names' hashes, by number
  std::unordered_map<std::uint64_t, Way> ways_;
  Table tables_[kBlockKinds]; // by BlockKind
  std::map<std::uint64_t, std::string> marks_;
  NamedValues named_;
  CallSums sums_;
  std::vector<std::vector<KeptCall>> slow_; // by function, the fastest one first in each (a heap)
  RowBinary row_;
  std::uint64_t calls_ = 0, beganNs_ = ~std::uint64_t{0}, endedNs_ = 0;
  Expected<void> status_;
};

} // namespace ada::model

#endif // ADA_LIB_FORMATS_CLICKHOUSE_SPAN_BLOCKS_H
