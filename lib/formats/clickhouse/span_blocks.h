// Turns a trace into blocks of rows for ClickHouse: spans and sums (schema.h). Every reading gives the same blocks.
#pragma once

#include "formats/clickhouse/call_sums.h"
#include "formats/clickhouse/named_values.h"
#include "formats/clickhouse/row_binary.h"
#include "formats/row_sink.h"

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ada::formats {

/// Facts about a process that trace formats don't share: where it ran, and when the trace's clock began.
struct ProcessPlace {
  std::string host;
  uint64_t epochOffsetNs = 0; ///< add this to its times to get nanoseconds since 1970
};

enum class BlockKind { Spans, Sums, Points };
inline constexpr size_t kBlockKinds = 3;

/// The kind of a row of `points`, in the order of its Enum8.
enum class PointKind : uint8_t { Instant, Counter, FlowBegin, FlowStep, FlowEnd, Mark };

struct SpanBlock {
  BlockKind kind = BlockKind::Spans;
  uint32_t number = 0; ///< from 1 for each kind, in the order of their first rows
  uint16_t day = 0;    ///< of all its rows, since 1970
  uint64_t rows = 0;
  std::string_view bytes; ///< RowBinary; valid during the call
};

struct SpanBlockOptions {
  uint64_t session = 0, plan = 0; ///< as in schema.h
  std::string release;
  std::vector<ProcessPlace> places; ///< by the process's number
  uint64_t mostRows = 200'000, mostBytes = 32 << 20;
  size_t mostWays = 1'000'000;
  uint64_t stepNs = 0;  ///< length of the time spans for which calls are summed; 0: no sums
  bool allCalls = true; ///< otherwise only these:
  uint64_t slowest = 0; ///< the slowest calls of each function, this many
  double sample = 0;    ///< this share of all, chosen at random but always the same
  bool points = true;   ///< instants, values of counters, steps of flows, marks
  std::function<Expected<void>(const SpanBlock &)> take;
};

/// A way to a function: the calls around it, as a number that is the same in all sessions.
struct Way {
  uint64_t way = 0, parent = 0, function = 0; ///< parent 0: an outermost call; function 0: ways that did not fit
};

/// The order of the rows, and so the contents of each block, depends only on the trace. Memory: one block for each day
/// that the trace covers, and the open calls.
class SpanBlocks : public RowSink {
public:
  explicit SpanBlocks(SpanBlockOptions options) : RowSink(Wants::ValueLists), options_(std::move(options)) {}

  /// The processes, threads and functions that were announced.
  using RowSink::table;
  uint64_t calls() const { return calls_; }
  /// The number of rows and of blocks of a kind.
  uint64_t rows(BlockKind kind) const { return of(kind).rows; }
  uint32_t blocks(BlockKind kind) const { return of(kind).blocks; }
  /// The begin of the first call and the end of the last one (or the time of a point), since 1970; 0 if there were
  /// none.
  uint64_t beganNs() const { return endedNs_ ? beganNs_ : 0; }
  uint64_t endedNs() const { return endedNs_; }
  /// The ways of all calls, in no particular order.
  const std::unordered_map<uint64_t, Way> &ways() const { return ways_; }
  /// Names of marks by their hashes: rows of `functions` that are not functions.
  const std::map<uint64_t, std::string> &marks() const { return marks_; }

private:
  struct OpenBlock {
    uint32_t number = 0;
    uint64_t rows = 0;
    RowBinary bytes;
  };
  struct ThreadTimes {
    OffCpuSums sums;
    std::vector<OffCpuTimes> inCalls;  // of the calls made by the open calls, by depth
    std::vector<std::string> traceIds; // of the open calls, by depth
  };

  void newThread(const model::Thread &thread) override;
  void offCpuTimes(const model::Thread &thread) override;
  void newFunction(const model::Function &function) override;
  bool wantsNumbers() const override { return true; }
  uint64_t wayOf(const Call &call, uint64_t around) override;
  void lateValue(uint32_t thread, uint32_t depth, const model::Text &text) override;
  void writeRow(const Row &row) override;
  bool point(const Point &point) override;
  void mark(uint32_t thread, uint64_t timeNs, const model::Text &text) override;
  void leaveThread(uint32_t thread) override { times_[thread] = {}; }
  void endTrace() override;
  const Expected<void> &status() const override { return status_; }
  struct Table {
    uint64_t rows = 0;
    uint32_t blocks = 0;
    std::map<uint16_t, OpenBlock> open; // by day
  };
  // A row without its first columns.
  struct KeptCall {
    uint64_t duration = 0, number = 0; // of two with the same duration, the one that ended first counts
    uint16_t day = 0;
    std::string values;
    bool operator<(const KeptCall &other) const {
      return duration != other.duration ? duration > other.duration : number < other.number;
    }
  };

  struct AnyPoint {
    PointKind kind;
    uint32_t thread;
    uint64_t function, timeNs, id;
    std::optional<analysis::CounterValue> value;
    std::string_view arguments, json;
  };
  Table &of(BlockKind kind) { return tables_[static_cast<size_t>(kind)]; }
  const Table &of(BlockKind kind) const { return tables_[static_cast<size_t>(kind)]; }
  /// The trace id of the innermost open call that has one and is less deep than `depth`.
  std::string_view traceIdAround(uint32_t thread, size_t depth) const;
  void putPoint(const AnyPoint &point);
  void put(BlockKind kind, uint16_t day, std::string_view values);
  void putSums();
  void keepIfSlow(uint32_t function, KeptCall call);
  void handOn(BlockKind kind, uint16_t day, OpenBlock &block);

  SpanBlockOptions options_;
  std::vector<ThreadTimes> times_;  // by thread
  std::vector<uint64_t> functions_; // hashes of the names, by number
  std::unordered_map<uint64_t, Way> ways_;
  Table tables_[kBlockKinds]; // by BlockKind
  std::map<uint64_t, std::string> marks_;
  NamedValues named_;
  CallSums sums_;
  std::vector<std::vector<KeptCall>> slow_; // by function, the fastest one first in each (a heap)
  RowBinary row_;
  uint64_t calls_ = 0, beganNs_ = ~uint64_t{0}, endedNs_ = 0;
  Expected<void> status_;
};

} // namespace ada::formats
